"""Two generations of a made-up checklist, and ways to fill it in."""

from checks.model import Blob
from checks.policy import preset
from checks.signoff.model import Template
from checks.signoff.read import Reader
from checks.signoff.template import read_template

POLICY = preset("inferencex").sign_off
PHRASE = POLICY.phrase
RUN = "https://github.com/acorn/bench/actions/runs/4711"
UPSTREAM = "https://github.com/vllm-project/recipes/pull/88"

OPENING = f"{PHRASE}, I went through this change and have:"
LATEST = "- [ ] Copied the latest version of [the checklist](https://acorn.example/checklist)."
VALIDATION = "- [ ] Seen its validation pass. Please link the workflow run."
EVALS = "- [ ] Seen its evals pass at 5 or more points. Please link the workflow run."
DEPRECATED = (
    "- [ ] Looked into [MODELS.md](https://acorn.example/MODELS.md): nothing deprecated here."
)
CHAT = "- [ ] Made sure that **drafting** runs go through the chat template, so lengths are real."
ARCHITECTURE = (
    "- [ ] Made sure that the model's architecture isn't changed (`--hf-overrides` and such)."
)
PATCH = """- [ ] Made sure that no patch of the engine is applied. The one exception has a waiver in
  [docs/waiver/](https://acorn.example/waiver)`<NUMBER>.md`, linked below."""
RECIPE = "- [ ] Found every recipe of this change in the upstream cookbook:"
MERGED = """  - [ ] Linked its pull request and made sure that it is **MERGED**; open or closed ones
    do not count."""
REASONING = "- [ ] Given additional reasoning below for whatever cannot be met."
DETAILS = "### Additional detail section:\n- write what else there is to say"
SIGNED = "Signed: `PUT_YOUR_USERNAME_HERE`"
PARETO = "- [ ] Counted at least 5 points on the Pareto frontier of every curve that changes."
SHIPPED = "- [ ] Made sure that the draft model runs as shipped, at its own precision."

AUGUST_ITEMS = (
    LATEST, VALIDATION, EVALS, DEPRECATED, CHAT, ARCHITECTURE, PATCH, RECIPE, MERGED, REASONING,
)  # fmt: skip
NOVEMBER_ITEMS = (*AUGUST_ITEMS[:6], SHIPPED, PATCH, PARETO, RECIPE, MERGED, REASONING)


def form(items: tuple[str, ...]) -> str:
    return "\n".join((OPENING, *items, "", DETAILS, "", SIGNED))


def page(items: tuple[str, ...]) -> str:
    return (
        f"# How to sign\n\nSome words first.\n\n## Template\n```\n{form(items)}\n```\n\n## More\n"
    )


def template(items: tuple[str, ...]) -> Template:
    return read_template(Blob.of(page(items).encode()), POLICY)


AUGUST, NOVEMBER = template(AUGUST_ITEMS), template(NOVEMBER_ITEMS)
READER = Reader(AUGUST, POLICY)


def filled(items: tuple[str, ...] = AUGUST_ITEMS, name: str = "ann") -> str:
    """Return a form with every box ticked, evidence and a name."""
    return (
        form(items)
        .replace("[ ]", "[x]")
        .replace("PUT_YOUR_USERNAME_HERE", name)
        .replace("validation pass. Please link the workflow run.", f"validation pass. {RUN}")
        .replace("write what else there is to say", f"Recipe: {UPSTREAM}")
    )
