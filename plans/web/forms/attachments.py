"""Files of the New run form: stored at the first POST, kept by uuid after that, so that no error loses them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, cast

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest

from plans.core.errors import InputError
from plans.core.jsontypes import JsonObject
from plans.engine.attachments import store_attachment
from plans.management.headless.files import slug
from plans.models import Attachment
from plans.skills.profile import profile_file
from plans.web.access import own_attachments
from plans.wording import sentence

MOST_FILES = 20


@dataclass(slots=True)
class Files:
    """What is attached so far, and a sentence for each file that could not be."""

    kept: list[Attachment] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def by_name(self) -> dict[str, Attachment]:
        """Return the files by the name people know them by; a second `a.csv` is `a.csv (2)`."""
        named: dict[str, Attachment] = {}
        for row in self.kept:
            name, number = row.filename, 2
            while name in named:
                name, number = f"{row.filename} ({number})", number + 1
            named[name] = row
        return named

    @property
    def profiles(self) -> dict[str, JsonObject]:
        return {name: row.profile for name, row in self.by_name.items()}

    @property
    def references(self) -> dict[str, JsonObject]:
        return {name: row.as_ref() for name, row in self.by_name.items()}

    def for_model(self) -> tuple[JsonObject, JsonObject]:
        """Return references and profiles by names that expressions can use: `Sales Q4.csv` is `sales_q4_csv`."""
        references: JsonObject = {}
        profiles: JsonObject = {}
        for name, row in self.by_name.items():
            key, number = slug(name), 2
            while key in references:
                key, number = f"{slug(name)}_{number}", number + 1
            references[key], profiles[key] = row.as_ref(), row.profile
        return references, profiles

    @property
    def has_table(self) -> bool:
        return any(row.profile.get("kind") == "table" for row in self.kept)


def receive(request: HttpRequest, user: User) -> Files:
    """Return this person's files named in the POST, without removed ones, and store the new ones."""
    removed = set(request.POST.getlist("remove"))
    wanted = [uuid for uuid in request.POST.getlist("attachment") if uuid not in removed]
    files = Files(kept=own_attachments(user, wanted))
    if len(files.kept) < len(set(wanted)):
        files.errors.append(sentence("attachment_gone"))
    for upload in request.FILES.getlist("files"):
        if len(files.kept) >= MOST_FILES:
            files.errors.append(sentence("too_many_files", {"limit": MOST_FILES}))
            break
        _store(user, upload, files)
    return files


def _store(user: User, upload: UploadedFile[bytes], files: Files) -> None:
    name = upload.name or ""
    try:
        stream = cast(BinaryIO, upload.open("rb"))
        row = store_attachment(owner=user, filename=name, stream=stream, profile=profile_file)
    except InputError as error:
        files.errors.append(_about(name, error.code, error.params))
    else:
        files.kept.append(row)


def _about(name: str, code: str, params: Mapping[str, Any]) -> str:
    text = sentence(code, {"name": name, "file": name, **params})
    return text if name and name in text else f"{name}: {text}"
