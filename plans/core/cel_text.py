"""Read the text of a CEL expression without evaluating it: names, paths, nesting, literals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from plans.core.cel_words import KEYWORDS, MACROS

# Strings first: nothing inside them may look like anything else. A raw string knows no escapes.
_STRING = (
    r"""(?:[rR][bB]?|[bB][rR])(?:\"\"\".*?\"\"\"|'''.*?'''|"[^"\n]*"|'[^'\n]*')"""
    r"""|[bB]?(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
)
_TOKEN = re.compile(
    rf"(?P<string>{_STRING})"
    r"|(?P<comment>//[^\n]*)"
    r"|(?P<float>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|(?<![\w)\]])\.\d+(?:[eE][+-]?\d+)?)"
    r"|(?P<int>0[xX][0-9a-fA-F]+[uU]?|\d+[uU]?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<op>&&|\|\||==|!=|<=|>=|\S)"
    r"|(?P<space>\s+)",
    re.DOTALL,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
# Next to one of these a null makes the expression fail; `==` and `!=` take a null, `?` after a name does not.
_FRAGILE_BESIDE = frozenset({"<", ">", "<=", ">=", "+", "-", "*", "/", "%", "!", "&&", "||"})
_TAKES_NULL = frozenset({"text", "type", "has", "dyn"})


class Token(NamedTuple):
    kind: str
    text: str
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One place where a variable of the context is named, with the constant path that follows: `a.b["c"][0]`."""

    name: str
    path: tuple[str | int, ...]
    followed: bool
    """Something that is not constant follows the path: a method or a computed index."""
    fragile: bool
    """A null at the end of the path would make the expression fail."""
    null_check: bool
    """Compared with `null` right here."""
    compared: str
    """Type of the constant it is compared with by `==` or `!=` right here: `text`, `number`, `boolean`, else empty."""
    in_brackets: bool
    read_in_body: bool
    """Read for every element of a comprehension, and not itself walked by an inner one (that is counted as nesting)."""


@dataclass(slots=True, kw_only=True)
class Analysis:
    """What the text says. `nesting` counts comprehensions inside each other, `longest_literal` list elements."""

    tokens: list[Token]
    uses: list[Use] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    nesting: int = 0
    additions: int = 0
    longest_literal: int = 0
    structs: list[str] = field(default_factory=list)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(use.name for use in self.uses)

    def mentions(self, word: str) -> bool:
        """Tell whether `word` occurs as a name, a field or a string."""
        return any(
            (token.kind == "name" and token.text == word) or (token.kind == "string" and token.text[1:-1] == word)
            for token in self.tokens
        )


@dataclass(slots=True)
class _Bracket:
    open: str
    variable: str | None = None
    is_list: bool = False
    commas: int = 0
    function: str | None = None


def tokens_of(text: str) -> list[Token]:
    """Return the tokens that mean something: no blanks, no comments."""
    found = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind not in {"space", "comment"}:
            found.append(Token(kind, match.group(), match.start()))
    return found


def bracket_depth(text: str) -> int:
    """Return how deep brackets are nested, strings and comments apart."""
    depth = deepest = 0
    for token in tokens_of(text):
        if token.kind == "op" and token.text in _CLOSING:
            depth += 1
            deepest = max(deepest, depth)
        elif token.kind == "op" and token.text in ")]}":
            depth -= 1
    return deepest


@lru_cache(maxsize=2048)
def analyse(text: str) -> Analysis:
    """Return what the expression names. The text must be valid CEL for the answer to mean anything."""
    tokens = tokens_of(text)
    analysis = Analysis(tokens=tokens)
    brackets: list[_Bracket] = []
    for index, token in enumerate(tokens):
        if token.kind == "name":
            _read_name(analysis, tokens, index, brackets)
        elif token.kind == "op":
            _read_operator(analysis, tokens, index, brackets)
    return analysis


def _text(tokens: Sequence[Token], index: int) -> str:
    """Return the text of an operator or name at `index`; empty for strings, numbers and the outside."""
    if 0 <= index < len(tokens) and tokens[index].kind in {"op", "name"}:
        return tokens[index].text
    return ""


def _read_operator(analysis: Analysis, tokens: Sequence[Token], index: int, brackets: list[_Bracket]) -> None:
    mark = tokens[index].text
    if mark in _CLOSING:
        brackets.append(_opened(tokens, index))
        analysis.nesting = max(analysis.nesting, sum(1 for bracket in brackets if bracket.variable))
        if mark == "{" and index and tokens[index - 1].kind == "name":
            analysis.structs.append(tokens[index - 1].text)
    elif mark in {")", "]", "}"} and brackets:
        closed = brackets.pop()
        if closed.is_list:
            analysis.longest_literal = max(analysis.longest_literal, closed.commas + 1)
    elif mark == "," and brackets:
        brackets[-1].commas += 1
    elif mark == "+":
        analysis.additions += 1


def _opened(tokens: Sequence[Token], index: int) -> _Bracket:
    bracket = _Bracket(tokens[index].text)
    before = tokens[index - 1] if index else None
    if bracket.open == "[":
        bracket.is_list = not (before and _ends_operand(before))
    elif bracket.open == "(" and before and before.kind == "name":
        bracket.function = before.text
        is_method = _text(tokens, index - 2) == "."
        if is_method and before.text in MACROS and _is_variable(tokens, index + 1):
            bracket.variable = tokens[index + 1].text
    return bracket


def _ends_operand(token: Token) -> bool:
    if token.kind == "op":
        return token.text in {")", "]", "}"}
    return token.text not in KEYWORDS


def _is_variable(tokens: Sequence[Token], index: int) -> bool:
    return index < len(tokens) and tokens[index].kind == "name" and _text(tokens, index + 1) == ","


def _read_name(analysis: Analysis, tokens: Sequence[Token], index: int, brackets: Sequence[_Bracket]) -> None:
    name = tokens[index].text
    after = _text(tokens, index + 1)
    if after == "(":
        analysis.functions.append(name)
        return
    is_field = _text(tokens, index - 1) == "." and index > 1
    if is_field or after == "{" or name in KEYWORDS or any(bracket.variable == name for bracket in brackets):
        return
    path, end = _path(tokens, index + 1)
    after, before = _text(tokens, end), _text(tokens, index - 1)
    null_check = _is_null_check(tokens, index, end)
    function = brackets[-1].function if brackets else None
    argument = bool(function) and function not in _TAKES_NULL | MACROS and before in {"(", ","} and after in {")", ","}
    followed = after in {".", "["}
    beside = after in _FRAGILE_BESIDE or before in _FRAGILE_BESIDE
    analysis.uses.append(
        Use(
            name=name,
            path=path,
            followed=followed,
            fragile=not null_check and (followed or beside or argument),
            null_check=null_check,
            compared=_compared(tokens, index, end),
            in_brackets=any(bracket.open == "[" for bracket in brackets),
            read_in_body=any(bracket.variable for bracket in brackets) and not _is_walked(tokens, end),
        )
    )


def _is_walked(tokens: Sequence[Token], end: int) -> bool:
    return _text(tokens, end) == "." and _text(tokens, end + 1) in MACROS and _text(tokens, end + 2) == "("


def _path(tokens: Sequence[Token], index: int) -> tuple[tuple[str | int, ...], int]:
    """Return the constant path that begins at `index`, and the index of the first token after it."""
    path: list[str | int] = []
    while True:
        if _text(tokens, index) == "." and index + 1 < len(tokens) and tokens[index + 1].kind == "name":
            if _text(tokens, index + 2) == "(":
                return tuple(path), index
            path.append(tokens[index + 1].text)
            index += 2
        elif _text(tokens, index) == "[" and _text(tokens, index + 2) == "]":
            key = constant(tokens[index + 1])
            if key is None:
                return tuple(path), index
            path.append(key)
            index += 3
        else:
            return tuple(path), index


_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[xX]([0-9a-fA-F]{2})|([0-3][0-7]{2})|(.))", re.DOTALL)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def constant(token: Token) -> str | int | None:
    """Return the value of a literal that can be a key: text or a whole number; else None."""
    if token.kind == "int":
        return int(token.text.rstrip("uU"), 0) if not token.text.isdigit() else int(token.text)
    if token.kind != "string":
        return None
    prefix = token.text[: len(token.text) - len(token.text.lstrip("rRbB"))].lower()
    body = token.text[len(prefix) :]
    if "b" in prefix:
        return None
    quotes = 3 if body[:3] in {'"""', "'''"} and len(body) >= 6 else 1
    inner = body[quotes:-quotes]
    return inner if "r" in prefix else _ESCAPE.sub(_unescape, inner)


def _unescape(match: re.Match[str]) -> str:
    short, long, hexadecimal, octal, char = match.groups()
    code = short or long or hexadecimal
    if code:
        number = int(code, 16)
        return chr(number) if number <= 0x10FFFF else "\ufffd"
    if octal:
        return chr(int(octal, 8))
    return _SIMPLE.get(char, char)


def _is_null_check(tokens: Sequence[Token], start: int, end: int) -> bool:
    compare = {"==", "!="}
    ahead = _text(tokens, end) in compare and _text(tokens, end + 1) == "null"
    behind = _text(tokens, start - 1) in compare and _text(tokens, start - 2) == "null"
    return ahead or behind


_CONSTANT_TYPES = {"string": "text", "int": "number", "float": "number"}
_AROUND_COMPARISON = frozenset({"", "(", ")", "[", "]", ",", "?", ":", "&&", "||"})


def _compared(tokens: Sequence[Token], start: int, end: int) -> str:
    compare = {"==", "!="}
    if _text(tokens, end) in compare and _text(tokens, start - 1) in _AROUND_COMPARISON:
        other, beyond = end + 1, end + 2
    elif _text(tokens, start - 1) in compare and _text(tokens, end) in _AROUND_COMPARISON:
        other, beyond = start - 2, start - 3
    else:
        return ""
    if not 0 <= other < len(tokens) or _text(tokens, beyond) not in _AROUND_COMPARISON:
        return ""
    token = tokens[other]
    return "boolean" if token.text in {"true", "false"} else _CONSTANT_TYPES.get(token.kind, "")


def plain_path(text: str) -> tuple[str, tuple[str | int, ...]] | None:
    """Return name and path when the whole expression is one constant path, else None."""
    tokens = tokens_of(text)
    if not tokens or tokens[0].kind != "name" or tokens[0].text in KEYWORDS:
        return None
    path, end = _path(tokens, 1)
    return (tokens[0].text, path) if end == len(tokens) else None
