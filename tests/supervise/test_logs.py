"""Log files: cut when too large, also under a child that writes on."""

from plans.supervise import logs


def test_small_log_is_left_alone(tmp_path):
    log = tmp_path / "web.log"
    log.write_text("short\n")

    logs.rotate(log, limit_bytes=6)

    assert log.read_text() == "short\n"
    assert not (tmp_path / "web.log.1").exists()


def test_large_log_is_kept_once_and_a_writer_goes_on_in_the_new_one(tmp_path):
    log = tmp_path / "web.log"
    with logs.open_append(log) as writer:
        writer.write(b"long enough\n")

        logs.rotate(log, limit_bytes=6)
        writer.write(b"later\n")

    assert log.read_text() == "later\n"
    assert (tmp_path / "web.log.1").read_text() == "long enough\n"


def test_missing_log_is_no_fault(tmp_path):
    logs.rotate(tmp_path / "none.log")

    assert list(tmp_path.iterdir()) == []


def test_last_line_is_the_last_that_says_something(tmp_path):
    log = tmp_path / "worker.log"
    log.write_text("first\nImportError: no such thing\n\n")

    assert logs.last_line(log) == "ImportError: no such thing"
