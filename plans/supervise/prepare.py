"""Bring database and static files to this version, and look before: each thing in the way is one clear line."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from plans.supervise.refusals import CannotStart, from_database_error, from_os_error


def database_name() -> str:
    """Return the database as a person would name it: the file, or name and host; never its password."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return str(database["NAME"])
    return f"{database['NAME']} on {database['HOST'] or 'localhost'}"


def data_folder() -> Path:
    """Make the data folder and its logs, for this user's eyes only. Raises CannotStart."""
    folder = Path(settings.PLANS_DATA_DIR)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / "logs").mkdir(mode=0o700, exist_ok=True)
        probe = folder / "logs" / ".writable"
        probe.write_bytes(b"x" * 4096)
        probe.unlink()
    except OSError as error:
        raise from_os_error(error, str(folder)) from error
    return folder


def database(*, migrate: bool) -> None:
    """Check that the database answers and fits this version; bring it up to date if asked. Raises CannotStart."""
    try:
        connection.ensure_connection()
        executor = MigrationExecutor(connection)
        known = set(executor.loader.disk_migrations)
        newer = [key for key in executor.loader.applied_migrations if key[0] == "plans" and key not in known]
        if newer:
            raise CannotStart("up_database_newer", database=database_name(), migration=max(newer)[1])
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            if not migrate:
                raise CannotStart("up_database_old", database=database_name())
            call_command("migrate", verbosity=0, interactive=False)
    except DatabaseError as error:
        raise from_database_error(error, database_name(), str(settings.PLANS_DATA_DIR)) from error
    finally:
        connection.close()


def static_files() -> None:
    """Collect static files, unless nothing has changed since the last time. Raises CannotStart."""
    root = Path(settings.STATIC_ROOT)
    stamp, wanted = root / ".collected", _static_fingerprint()
    try:
        if stamp.is_file() and stamp.read_text(encoding="ascii") == wanted:
            return
        call_command("collectstatic", verbosity=0, interactive=False, clear=root.is_dir())
        stamp.write_text(wanted, encoding="ascii")
    except OSError as error:
        raise from_os_error(error, str(root)) from error


def _static_fingerprint() -> str:
    digest = hashlib.sha256(settings.STORAGES["staticfiles"]["BACKEND"].encode())
    for finder in get_finders():
        for path, storage in finder.list(ignore_patterns=[]):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
