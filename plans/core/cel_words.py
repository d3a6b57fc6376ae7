"""Words that mean something in CEL."""

from __future__ import annotations

CONSTANTS = frozenset({"true", "false", "null"})
KEYWORDS = CONSTANTS | {"in"}
TYPE_NAMES = frozenset({"int", "uint", "double", "bool", "string", "bytes", "list", "map", "type", "null_type"})
# Not allowed as identifiers by the CEL specification ("reserved").
RESERVED = KEYWORDS | frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)
MACROS = frozenset({"all", "exists", "exists_one", "existsOne", "map", "filter"})
