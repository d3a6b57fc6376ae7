"""One supervisor per data folder and duty, by a file lock that dies with its process."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO

from plans.supervise.refusals import CannotStart


def take(folder: Path, duty: str) -> IO[str]:
    """Lock `folder` for `duty` (web or workers); return the file to keep open. Raises CannotStart when taken."""
    # Opened to append: the holder's pid must stay readable for the one who comes second.
    file = (folder / f"{duty}.lock").open("a+", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip()
        file.close()
        raise CannotStart("up_already_running", folder=str(folder), pid=holder or "?") from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file
