"""New run: goals and files that are refused in place, nothing lost, one run for one form, and what fits nothing."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from plans.engine.local import drain_until_done
from plans.models import Attachment, Run
from plans.tasks import runner
from tests.web.new_run_form import GOAL, LOG, SALES, hidden, send, upload


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


@pytest.mark.parametrize("goal", ["", "   \n\t "])
def test_an_empty_goal_is_refused_in_place_and_files_are_kept(browser: Client, goal: str) -> None:
    text = send(browser, goal=goal, files=[upload()])

    assert 'id="id_goal_error"' in text
    assert "web.log" in text
    assert hidden(text, "attachment") == [str(Attachment.objects.get().uuid)]
    assert Run.objects.count() == 0


def test_a_goal_of_8001_characters_is_refused_with_its_text_kept(browser: Client) -> None:
    goal = "界" * 8001

    text = send(browser, goal=goal)

    assert goal in text
    assert "id_goal_error" in text
    assert 'maxlength="8000"' not in text


def test_a_line_break_counts_once(browser: Client) -> None:
    text = send(browser, goal="a\r\n" * 3999 + "ab")

    assert "id_goal_error" not in text


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"", "empty.csv"),
        (b"<!DOCTYPE html><html><body><table><tr><td>1</td></tr></table></body></html>", "table.csv"),
        (b"PK\x03\x04" + bytes(range(256)) * 40, "book.csv"),
        (bytes(range(256)) * 40, "noise.csv"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_sentence_at_once_and_everything_else_stays(
    browser: Client, data: bytes, name: str
) -> None:
    text = send(browser, files=[upload(), upload(data, name)])

    error = re.search(r'<ul class="errorlist" id="id_files_error">(.*?)</ul>', text)
    assert error is not None
    assert name in error[1]
    assert "Something went wrong" not in error[1]
    assert "%(" not in error[1]
    assert GOAL in text
    assert [row.filename for row in Attachment.objects.all()] == ["web.log"]
    assert Run.objects.count() == 0


def test_a_file_over_the_limit_is_refused(browser: Client, settings) -> None:
    settings.PLANS_MAX_UPLOAD_BYTES = 1024 * 1024

    text = send(browser, files=[upload(b"a,b\n" * 300_000, "large.csv")])

    assert "large.csv" in text
    assert "id_files_error" in text
    assert Attachment.objects.count() == 0


def test_the_best_playbooks_parameters_are_shown_with_guesses_and_what_was_found(browser: Client) -> None:
    text = send(browser, files=[upload()])

    for expected in ("Check the parameters", "web.log", "50 lines", "Access log", "five pages", 'value="5"'):
        assert expected in text
    assert Run.objects.count() == 0


def test_the_second_step_makes_a_run_that_a_worker_plans(browser: Client, owner: User) -> None:
    first = send(browser, files=[upload()])

    text = send(
        browser, parameters="1", playbook=hidden(first, "playbook")[0], attachment=hidden(first, "attachment"),
        **{"p-log": "web.log", "p-top": "3", "p-period": "all"},
    )  # fmt: skip

    run = Run.objects.get()
    assert "Planning…" in text
    assert (run.state, run.goal, run.owner, run.playbook) == ("planning", GOAL, owner, "busiest_pages")
    drain_until_done(run, runner(), 60, until=frozenset({"review"}))
    assert "3 busiest pages" in browser.get(reverse("plan", args=[run.uuid])).content.decode()


def test_the_same_form_sent_twice_makes_one_run(browser: Client) -> None:
    first = send(browser, files=[upload()])
    again = {"parameters": "1", "playbook": "busiest_pages", "attachment": hidden(first, "attachment")}

    send(browser, **again)
    send(browser, **again)

    assert Run.objects.count() == 1


def test_a_form_changed_after_the_back_button_makes_another_run(browser: Client) -> None:
    first = send(browser, files=[upload()])
    again = {"parameters": "1", "playbook": "busiest_pages", "attachment": hidden(first, "attachment")}

    send(browser, **again)
    send(browser, **again, **{"p-top": "3"})

    assert Run.objects.count() == 2


def test_a_wrong_parameter_is_refused_next_to_its_field_and_kept(browser: Client) -> None:
    first = send(browser, files=[upload()])

    text = send(
        browser, parameters="1", playbook="busiest_pages", attachment=hidden(first, "attachment"),
        **{"p-log": "web.log", "p-top": "many"},
    )  # fmt: skip

    assert 'id="id_p-top_error"' in text
    assert 'value="many"' in text
    assert Run.objects.count() == 0


def test_without_the_file_it_needs_the_file_field_says_so(browser: Client) -> None:
    first = send(browser)

    text = send(browser, parameters="1", playbook=hidden(first, "playbook")[0])

    assert "_error" in text
    assert Run.objects.count() == 0


def test_when_nothing_fits_no_run_is_made_and_everything_stays(browser: Client) -> None:
    text = send(
        browser, goal="Write a poem about the sea", autonomy="every_step", files=[upload(SALES.encode(), "sales.csv")]
    )

    for expected in (
        "No playbook fits this goal, so no run was made.", "Write a poem about the sea", "sales.csv",
        "Look at any table", "All playbooks", "Import a plan", "Connect a model", "ANTHROPIC_API_KEY",
    ):  # fmt: skip
        assert expected in text
    assert re.search(r'value="every_step"[^>]*checked', text)
    assert Run.objects.count() == 0


def test_look_at_any_table_is_offered_only_with_a_table(browser: Client) -> None:
    assert "Look at any table" not in send(browser, goal="Write a poem about the sea")


def test_an_offered_playbook_is_used_on_the_files_that_are_there(browser: Client) -> None:
    first = send(browser, goal="Write a poem about the sea", files=[upload(SALES.encode(), "sales.csv")])
    offered = re.findall(r'name="use" value="([^"]*)"', first)

    text = send(browser, goal="Write a poem", use=offered[0], attachment=hidden(first, "attachment"))

    assert "Check the parameters" in text
    assert "sales.csv" in text


def test_a_file_can_be_removed_without_losing_the_rest(browser: Client) -> None:
    first = send(browser, goal="", files=[upload(), upload(SALES.encode(), "sales.csv")])
    uuids = hidden(first, "attachment")

    text = send(browser, goal="half a goal", attachment=uuids, remove=uuids[0])

    assert hidden(text, "attachment") == uuids[1:]
    assert "half a goal" in text


def test_files_of_others_are_refused(browser: Client, outsider: User, client: Client) -> None:
    theirs = Client()
    theirs.force_login(outsider)
    uuid = hidden(send(theirs, goal="", files=[upload()]), "attachment")[0]

    for foreign in (uuid, "no uuid at all", "00000000-0000-0000-0000-000000000000"):
        text = send(browser, attachment=[foreign])
        assert "no longer available" in text
        assert hidden(text, "attachment") == []
    assert Run.objects.count() == 0


def test_back_to_the_goal_keeps_goal_and_files(browser: Client) -> None:
    first = send(browser, files=[upload()])

    text = send(browser, parameters="1", back="1", attachment=hidden(first, "attachment"))

    assert "What should be done?" in text
    assert GOAL in text
    assert hidden(text, "attachment") == hidden(first, "attachment")


def test_two_files_of_one_name_can_be_told_apart(browser: Client) -> None:
    text = send(browser, files=[upload(), upload(LOG + LOG)])

    assert "web.log (2)" in text


def test_columns_are_guessed_again_for_another_file(browser: Client) -> None:
    other = SALES.replace("Sales", "Turnover").replace("Order date", "Day").encode()
    first = send(
        browser, goal="sales by month with growth and a chart",
        files=[upload(SALES.encode(), "a.csv"), upload(other, "b.csv")],
    )  # fmt: skip
    names = {"parameters": "1", "playbook": hidden(first, "playbook")[0], "attachment": hidden(first, "attachment")}

    text = send(browser, refresh="1", **names, **{"p-file": "b.csv", "p-date": "Order date", "p-amount": "Sales"})

    assert "Turnover" in text
    assert 'value="Day" selected' in text
    assert Run.objects.count() == 0


def test_unattended_needs_the_permission(browser: Client, owner: User) -> None:
    assert 'value="unattended"' not in browser.get(reverse("new_run")).content.decode()
    assert "Select a valid choice" in send(browser, autonomy="unattended")

    owner.user_permissions.add(Permission.objects.get(codename="unattended"))

    assert 'value="unattended"' in browser.get(reverse("new_run")).content.decode()


def test_the_playbooks_page_leads_to_a_form_with_the_playbook_chosen(browser: Client) -> None:
    page = browser.get(reverse("playbooks")).content.decode()
    assert f"{reverse('new_run')}?playbook=recent_files" in page

    text = browser.get(reverse("new_run") + "?playbook=recent_files").content.decode()

    assert 'name="playbook"' in text
    assert "Diagnose a missing recent-files list" in text


def test_an_unknown_playbook_in_the_address_is_no_error(browser: Client) -> None:
    assert browser.get(reverse("new_run") + "?playbook=nope").status_code == 200


def test_a_form_without_a_token_still_works(browser: Client) -> None:
    assert "Check the parameters" in send(browser, token="", files=[upload()])


def test_a_profile_says_what_was_dropped(browser: Client) -> None:
    text = send(browser, files=[upload(LOG + b"this is no log line\n" * 3)])

    assert "3 rows left out: not a line of an access log (lines 51, 52, 53)." in text


def test_labels_are_tied_to_their_fields(browser: Client) -> None:
    text = send(browser, goal="")

    for target in re.findall(r'<label for="([^"]+)"', text):
        assert f'id="{target}"' in text
    assert 'aria-invalid="true"' in text
