"""Each obstacle becomes one line that names the remedy."""

from __future__ import annotations

import errno

import pytest
from django.db import OperationalError

from plans.supervise.refusals import from_database_error, from_os_error
from plans.wording.supervise import SENTENCES


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "up_disk_full"),
        (OSError(errno.EROFS, "Read-only file system"), "up_folder_not_writable"),
        (PermissionError(errno.EACCES, "Permission denied"), "up_folder_not_writable"),
    ],
)
def test_failed_write_names_the_folder(error, code):
    refusal = from_os_error(error, "/data")

    assert refusal.code == code
    assert "/data" in str(refusal)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("database is locked", "up_database_locked"),
        ("database or disk is full", "up_disk_full"),
        ("attempt to write a readonly database", "up_folder_not_writable"),
        (
            'connection to server at "127.0.0.1", port 5432 failed: Connection refused\n\tIs it?',
            "up_database_unreachable",
        ),
    ],
)
def test_database_that_does_not_answer_is_one_line(said, code):
    refusal = from_database_error(OperationalError(said), "plans on db.example", "/data")

    assert refusal.code == code
    assert "\n" not in str(refusal)


def test_every_sentence_is_one_line_of_text():
    assert [code for code, text in SENTENCES.items() if "\n" in str(text)] == []
