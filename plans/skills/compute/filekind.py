"""Tell from the first bytes what a file is when it is surely no text table, so that nobody reads it as one."""

from __future__ import annotations

import io
import re
import zipfile

from plans.core.errors import BadInputError

MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is_excel", "Excel 97-2003"),
    (b"%PDF-", "not_a_table", "PDF"),
    (b"\x89PNG\r\n\x1a\n", "not_a_table", "PNG"),
    (b"\xff\xd8\xff", "not_a_table", "JPEG"),
    (b"GIF8", "not_a_table", "GIF"),
    (b"\x1f\x8b", "is_zip", "gzip"),
    (b"BZh", "is_zip", "bzip2"),
    (b"\xfd7zXZ\x00", "is_zip", "xz"),
    (b"(\xb5/\xfd", "is_zip", "zstd"),
    (b"7z\xbc\xaf'\x1c", "is_zip", "7-Zip"),
    (b"Rar!\x1a\x07", "is_zip", "RAR"),
    (b"PAR1", "not_a_table", "Parquet"),
    (b"SQLite format 3\x00", "not_a_table", "SQLite"),
    (b"\x7fELF", "not_a_table", "ELF"),
    (b"{\\rtf", "not_a_table", "RTF"),
)
MARKUP = re.compile(rb"\s*<(!doctype|html|head|body|\?xml|svg|table)\b", re.IGNORECASE)
JSON_START = re.compile(rb"\s*(\{\s*(\"|\}|$)|\[\s*(\{|\[|\"|\]|-?\d|true|false|null|$))")
CONTROL = frozenset(range(32)) - {7, 8, 9, 10, 11, 12, 13, 27}


def refuse_other_kinds(head: bytes, *, json_is_text: bool = False) -> None:
    """Raise BadInputError when the file is a workbook, an archive, a picture, a web page or JSON."""
    body = head.removeprefix(b"\xef\xbb\xbf")
    if body.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        raise BadInputError(
            "is_excel" if _is_workbook(body) else "is_zip", what="Excel" if _is_workbook(body) else "zip"
        )
    for magic, code, what in MAGIC:
        if body.startswith(magic):
            raise BadInputError(code, what=what)
    if MARKUP.match(body):
        raise BadInputError("not_a_table", what="HTML" if b"<?xml" not in body[:200].lower() else "XML")
    if not json_is_text and JSON_START.match(body):
        raise BadInputError("is_json")


def refuse_binary(data: bytes, encoding: str) -> None:
    """Raise BadInputError when the bytes are no text in any encoding we know."""
    if encoding.startswith(("utf-16", "utf-32")):
        return
    sample = data[:65536]
    odd = sum(sample.count(bytes([code])) for code in CONTROL)
    # A stray NUL in a cell is a damaged table; one byte in twenty is another kind of file (random bytes have one in eleven).
    if odd > 8 and odd * 20 > len(sample):
        raise BadInputError("not_a_table", what="binary")


def _is_workbook(head: bytes) -> bool:
    if b"xl/" in head or b"[Content_Types].xml" in head:
        return True
    try:
        with zipfile.ZipFile(io.BytesIO(head)) as archive:
            return any(name.startswith("xl/") for name in archive.namelist())
    except zipfile.BadZipFile:
        return False
