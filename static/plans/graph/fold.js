// Fold and open milestones: the SVG is fetched anew, the clicked header stays under the pointer.
export async function fold(graph, link) {
  const key = link.dataset.group, wasOpen = link.getAttribute("aria-expanded") === "true";
  const before = corner(link), hadFocus = link.matches(":focus");
  const page = new URL(link.getAttribute("href"), location.href);
  if (!(await fetched(graph, asked(graph, page, key, wasOpen)))) return;
  const now = graph.svg?.querySelector(`[data-group="${CSS.escape(key)}"]`);
  if (now) {
    const after = corner(now);
    graph.view.pan(before.x - after.x, before.y - after.y);
    if (hadFocus) now.focus({ preventScroll: true });
  }
  history.pushState({}, "", page);
  graph.say(wasOpen ? graph.words.folded : graph.words.opened);
}

// Fetch the SVG for a query and put it in place at the same scale; tell whether that worked.
export async function fetched(graph, query) {
  const url = new URL(graph.host.dataset.source, location.href), { scale, now } = graph.view;
  url.search = query;
  graph.expect();
  let html = null;
  try {
    const answer = await fetch(url, { headers: { "X-Requested-With": "fetch" } });
    if (answer.ok && !answer.redirected) html = await answer.text();
  } catch (error) {
    console.info("graph: no answer", error);
  }
  graph.swap(html);
  // Offline, restarted or signed out: the picture stays and the person is told.
  if (html === null) graph.say(graph.words.offline);
  else graph.view?.set(now), graph.view?.resize(scale);
  return html !== null;
}

// What is folded and open right now travels along: a milestone that has just finished must not fold by itself.
function asked(graph, page, key, wasOpen) {
  const query = new URLSearchParams(page.search);
  query.delete("fold");
  query.delete("open");
  for (const group of graph.svg.querySelectorAll("[data-group]")) {
    const open = group.dataset.group === key ? !wasOpen : group.getAttribute("aria-expanded") === "true";
    query.append(open ? "open" : "fold", group.dataset.group);
  }
  return query.toString();
}

// A header and a folded node are matched by where their titles start on the screen.
function corner(element) {
  const text = element.querySelector(":scope > text"), at = name => text[name].baseVal.length ? text[name].baseVal[0].value : 0;
  return new DOMPoint(at("x"), at("y")).matrixTransform(text.getScreenCTM());
}
