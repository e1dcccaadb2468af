"""What a few commands print, so that a value built with them is known."""

import re
from collections.abc import Iterator

from checks.parse.shell.words import ANY, UNKNOWN_TEXT, Piece, Word, joined, known, shown, unknown

_CONVERSION = re.compile(r"%(?:%|[-0-9.]*[sdifgq])")


def printed(argv: list[Word], row: int) -> Word:
    """Return what a command prints, without the line feed at its end."""
    command = known(argv[0]) if argv else None
    if ANY in argv or command not in ("printf", "echo", "basename"):
        return unknown(row)
    rest = [word for word in argv[1:] if shown(word) != "--"]
    if command == "echo":
        if rest and re.fullmatch(r"-[neE]+", shown(rest[0])):
            option, *rest = rest
            if "e" in shown(option) and any("\\" in shown(word) for word in rest):
                return unknown(row)
        spaced = [part for word in rest for part in (((Piece(" ", row)),), word)]
        return joined(spaced[1:], row)
    if command == "basename":
        text = shown(rest[0]) if len(rest) == 1 else UNKNOWN_TEXT
        return (Piece(text.rstrip("/").rpartition("/")[2], row),)
    return _formatted(rest, row) if rest else unknown(row)


def _formatted(words: list[Word], row: int) -> Word:
    """Return the text of a ``printf`` whose format is used once."""
    form, *values = words
    layout = known(form)
    places = _CONVERSION.findall(layout or "")
    parts = [each for piece in form for each in _CONVERSION.findall(piece.text)]
    wanted = sum(each != "%%" for each in places)
    if layout is None or places != parts or wanted != len(values):
        return unknown(row)
    if "\\" in layout.removesuffix("\\n"):
        return unknown(row)
    return joined(_filled(form, list(values)), row)


def _filled(form: Word, values: list[Word]) -> Iterator[Word]:
    for piece in form:
        at = 0
        for match in _CONVERSION.finditer(piece.text):
            yield (piece._replace(text=piece.text[at : match.start()]),)
            at = match.end()
            yield (
                (piece._replace(text="%"),)
                if match[0] == "%%"
                else _rounded(match[0], values.pop(0))
            )
        yield (piece._replace(text=piece.text[at:].removesuffix("\\n")),)


def _rounded(conversion: str, word: Word) -> Word:
    """Return a value as it is written, when the conversion leaves it as it is."""
    text = known(word)
    if text is None:
        return word
    if conversion == "%s" or (conversion in ("%d", "%i") and re.fullmatch(r"0|-?[1-9]\d*", text)):
        return word
    if conversion == "%q" and re.fullmatch(r"[\w./:@%+=-]+", text):
        return word
    digits = re.fullmatch(r"%\.(\d)f", conversion)
    exact = digits and re.fullmatch(rf"-?\d+\.\d{{{digits[1]}}}", text)
    return word if exact else unknown(word[0].row if word else -1)
