"""A new model prefix has no row on the models page.

What it does
    For each model prefix that no config key had at the base, looks for its row in the support
    matrix of the models page at head, and in the page's Chinese version where there is one.

Why it matters
    The page says which scenarios of a model are measured. Without a row nobody knows, and nothing
    can be held to it.

Example
    ``model-prefix: toy3`` while the support matrix ends with ``toy2``.

Use instead
    ``| Toy-V3 | `toy3` | 2026-11-30 | Agentic coding | |``

Exceptions
    A version that stands in the row of its model, such as 2.6 in *Toy-V2.5/2.6*.

References
    https://github.com/SemiAnalysisAI/InferenceX/blob/main/MODELS.md
"""

from collections.abc import Iterator

from checks.model import Evidence, Observation, Severity, Snapshot
from checks.parse.arms import changes
from checks.parse.config_entry import ConfigEntry, SearchSpace
from checks.parse.master_config import config_entries
from checks.parse.models_page import read_models_page
from checks.parse.quote import quote
from checks.policy import Layout, Policy
from checks.registry import rule
from checks.text import text


@rule(Severity.WARNING, family="config-schema")
def check(snapshot: Snapshot, policy: Policy) -> Iterator[Observation]:
    """Look for the row of each new model prefix."""
    touched = changes(snapshot, policy)
    if touched is None:
        return
    before = config_entries(snapshot.base, touched.layout).values()
    known = {entry.node.str("model-prefix") for entry in before}
    for entry in touched.entries:
        prefix = entry.node.str("model-prefix")
        if prefix and prefix not in known:
            known.add(prefix)
            pages = tuple(_without(snapshot, touched.layout, prefix))
            if pages:
                yield _observation(snapshot, entry, prefix, pages)


def _without(snapshot: Snapshot, layout: Layout, prefix: str) -> Iterator[str]:
    """Return the pages that have a support matrix without a row for a prefix."""
    page = next((path for path in layout.models if snapshot.head.has(path)), None)
    if page is None:
        return
    blob = snapshot.head.blob(page)
    found = read_models_page(blob) if blob else None
    if found is None or not found.rows:
        return
    row = found.row(prefix)
    if row is None:
        yield page
    other = page.removesuffix(".md") + "_zh.md"
    chinese = snapshot.head.blob(other)
    alias = row is not None and prefix not in row.prefixes
    if chinese and not alias and f"`{prefix}`".encode() not in chinese.data:
        yield other


def _stub(snapshot: Snapshot, page: str, entry: ConfigEntry, prefix: str) -> Evidence:
    """Return the row to add below the last one; its date and its words are a person's to say."""
    blob = snapshot.head.blob(page)
    found = read_models_page(blob) if blob else None
    if found is None or not found.rows:
        return Evidence(page, None, prefix)
    name = (entry.node.str("model") or prefix).rpartition("/")[2]
    scenarios = ", ".join(dict.fromkeys(_scenario(each) for each in entry.search_spaces))
    return Evidence(
        page, found.rows[-1].line, f"+ | {name} | `{prefix}` | <date> | {scenarios} | |"
    )


def _scenario(space: SearchSpace) -> str:
    if space.agentic:
        return "Agentic coding"
    isl, osl = space.block.get("isl"), space.block.get("osl")
    thousands = (f"{x // 1024}k" if isinstance(x, int) and x % 1024 == 0 else x for x in (isl, osl))
    return f"Single-turn {''.join(map(str, thousands))}"


def _observation(
    snapshot: Snapshot, entry: ConfigEntry, prefix: str, pages: tuple[str, ...]
) -> Observation:
    line = entry.line_of("model-prefix")
    return Observation(
        entry.path,
        line,
        text("The model has no row on the models page"),
        text(
            "{prefix} is a new model prefix without a row on {pages}. Add one to the support "
            "matrix in this pull request.",
            prefix=prefix,
            pages=tuple(pages),
        ),
        (prefix,),
        evidence=(
            quote(snapshot.head, entry.path, line),
            *(_stub(snapshot, page, entry, prefix) for page in pages),
        ),
    )
