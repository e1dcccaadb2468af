"""The catalogs of what people read on GitHub: English is in the code, the rest in ``locale/``."""

from functools import cache

from checks.text import Translate


def translator(language: str) -> Translate:
    """Return the function that translates a template into a language.

    Args:
        language: "en" or the name of a folder under ``checks/locale``.

    A template that a catalog lacks stays English; a test makes sure that none is missing.

    """
    if language == "en":
        return str
    templates = _catalog(language)
    return lambda template: templates.get(template, template)


@cache
def _catalog(language: str) -> dict[str, str]:
    # Both are slow to import, and English needs neither.
    from importlib.resources import files

    from babel.messages.pofile import read_po

    source = files("checks") / "locale" / language / "LC_MESSAGES" / "referee.po"
    with source.open("rb") as file:
        catalog = read_po(file, locale=language)
    return {str(m.id): str(m.string) for m in catalog if m.id and m.string and not m.fuzzy}
