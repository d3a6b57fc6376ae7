// A goal that is being written, kept in this browser per person until a run is made of it or the person logs out.
const SENT = "draft-sent";
const KEY = "draft:";

// Private windows may refuse storage: then nothing is kept, and nothing else changes.
function stored(action, fallback = null) {
  try {
    return action();
  } catch {
    return fallback;
  }
}

export class Draft {
  constructor(form, goal) {
    Object.assign(this, { form, goal, key: KEY + form.dataset.draft });
    form.addEventListener("input", () => this.keep());
    form.addEventListener("change", () => this.keep());
  }

  keep() {
    const autonomy = this.form.querySelector("input[name=autonomy]:checked")?.value ?? "";
    const text = JSON.stringify({ goal: this.goal.value, autonomy });
    stored(() => (this.goal.value ? localStorage.setItem(this.key, text) : localStorage.removeItem(this.key)));
  }

  // What the server filled in (after an error, from a playbook) is newer than any draft.
  restore() {
    stored(() => sessionStorage.removeItem(SENT));
    const kept = stored(() => JSON.parse(localStorage.getItem(this.key)));
    if (!kept || this.goal.value) return;
    this.goal.value = kept.goal ?? "";
    for (const radio of this.form.querySelectorAll("input[name=autonomy]")) {
      if (radio.value === kept.autonomy) radio.checked = true;
    }
  }

  sent() {
    stored(() => sessionStorage.setItem(SENT, this.key));
  }
}

// On the page of the plan that was made: what was sent from this tab has arrived.
export function arrived() {
  const key = stored(() => sessionStorage.getItem(SENT));
  if (!key) return;
  stored(() => localStorage.removeItem(key));
  stored(() => sessionStorage.removeItem(SENT));
}

// Whoever logs out on a shared machine leaves no text behind.
export function forget() {
  stored(() => {
    for (const key of Object.keys(localStorage)) if (key.startsWith(KEY)) localStorage.removeItem(key);
  });
}
