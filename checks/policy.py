"""The policy of a reviewed repository (``.github/referee.yml``), strict and frozen.

A policy says where things are, which rules judge them and how, and in which languages Referee
writes. ``extends: inferencex`` starts from the shipped preset; a file lists only what differs.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from checks.model import Blob, Severity, Tree
from checks.parse.duplicates import duplicates
from checks.parse.yaml import Map, YamlError, parse
from checks.policy_form import Form, Problem, Strict, plain
from checks.policy_types import (
    Address,
    Apps,
    CommandPolicy,
    Disclosure,
    Glob,
    LabelGroups,
    Labels,
    Languages,
    Obligations,
    Pattern,
    SignOff,
    Sweeps,
)
from checks.text import Text, text

POLICY_PATH = ".github/referee.yml"
EXTENDS = "extends: inferencex"
PRESETS = ("inferencex",)
MOST_BYTES = 100_000  # of a policy file: the preset, with all of its comments, has a tenth


class Layout(Strict):
    """Where one generation of the repository keeps its files (globs; ``**`` crosses folders).

    ``recipe_roots`` maps what a recipe reference starts with to the folder it means, tried in
    order. ``golden_al_source`` says who sets the simulated acceptance length of an agentic run:
    the ``recipe`` itself, or a ``planner`` that overwrites it at launch. ``generation`` says how
    matrix rows look where the source of the ``generator`` is not there to tell. ``own_recipes``
    are the starts of references that never mean a recipe of another repository.
    ``retired_settings`` are settings of a worker that a field of the search space replaced;
    ``prohibited`` are the rules of this generation that block, and only warn in others.
    ``disclosure`` says whether descriptions must name the AI models that were used.
    ``checklist`` are the pages that may hold the template of a sign-off; the first one there is it.
    ``obligations`` say how those of a sign-off count in this generation, where it differs.
    ``harness`` is what decides, beside workflows, whether a job is green and what its results are.
    ``upstream_recipes`` says which configs need a recipe of the engine's project: those of an
    engine alone on a ``single-node``, or ``every`` one.
    """

    changelog: str
    masters: tuple[Glob, ...]
    runners: tuple[str, ...] = ()
    generator: tuple[str, ...] = ()
    generation: Literal["august-2026", "november-2026"] = "november-2026"
    recipes: tuple[Glob, ...] = ()
    recipe_roots: dict[str, str] = field(default_factory=dict)
    own_recipes: tuple[str, ...] = ()
    retired_settings: dict[str, str] = field(default_factory=dict)
    prohibited: tuple[Literal["draft-precision", "events-metrics-off"], ...] = ()
    scripts: tuple[Glob, ...] = ()
    launchers: tuple[Glob, ...] = ()
    harness: tuple[Glob, ...] = ()
    models: tuple[str, ...] = ()
    golden_al: tuple[Glob, ...] = ()
    golden_al_source: Literal["recipe", "planner"] = "recipe"
    ignored: tuple[Glob, ...] = ()
    disclosure: Literal["required", "optional"] = "optional"
    checklist: tuple[str, ...] = ()
    obligations: Obligations = field(default_factory=dict)
    upstream_recipes: Literal["single-node", "every"] = "every"


class Curve(Strict):
    """Which golden acceptance-length file a speculative configuration is compared with.

    The first curve whose every condition holds is taken. ``file`` is a name without folder and
    ending; the conditions are a model prefix and case-insensitive regular expressions that must
    be found in the method, draft model, target model or draft sampling method.
    """

    file: str
    prefix: str
    method: Pattern = ""
    draft: Pattern = ""
    model: Pattern = ""
    sampling: Pattern = ""


class RulePolicy(Strict):
    """What a repository changes about one rule.

    ``exceptions`` are config keys (``*`` is a wildcard) that the maintainers have excused: what
    becomes of their findings is on the rule's page, and a rule that does not judge config keys one
    by one has none. ``exclude`` are paths of files.
    """

    enabled: bool = True
    severity: Severity | None = None
    exclude: tuple[Glob, ...] = ()
    exceptions: tuple[str, ...] = ()


def _override(text_: str) -> None:
    _, _, value = text_.partition("=")
    try:
        known = bool(value) and re.match(r"[\w.-]+=", text_) and parse(value.encode()) != ""
    except YamlError:
        known = False
    if not known:
        raise ValueError("it is not a field and its value, such as num_hidden_layers=61")


Override = Annotated[str, _override]


class Images(Strict):
    """What counts as a public container image, and as upstream's own.

    ``upstream`` maps a framework to the organisation that publishes its images;
    ``upstream_required`` are the frameworks for which another one blocks.
    """

    private_registries: tuple[str, ...] = ()
    upstream: dict[str, str] = field(default_factory=dict)
    upstream_required: tuple[str, ...] = ()


class Engines(Strict):
    """Which frameworks are open source, and which come after them on established hardware."""

    open_source: tuple[str, ...] = ()
    vendor: tuple[str, ...] = ()
    established_hardware: tuple[str, ...] = ()


class Policy(Strict):
    """Everything a repository may decide. See ``checks/presets/inferencex.yaml`` for the values.

    ``native_overrides`` are the fields of a model's configuration, by model prefix, that a run may
    name because the checkpoint has the same values (``text_config.num_hidden_layers=61``).
    ``allowed_apps`` are the ids of the Apps that may give commands, each with its role.
    """

    extends: Literal["inferencex"] | None = None
    mode: Literal["enforcing", "advisory"] = "enforcing"
    languages: Languages = ("en",)
    pull_request_url: str = "https://github.com/SemiAnalysisAI/InferenceX/pull/"
    link_placeholders: tuple[str, ...] = ()
    documentation_url: Address = ""
    layouts: dict[str, Layout] = field(default_factory=dict)
    curves: tuple[Curve, ...] = ()
    drafts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    native_overrides: dict[str, tuple[Override, ...]] = field(default_factory=dict)
    images: Images = Images()
    engines: Engines = Engines()
    sign_off: SignOff = SignOff()
    sweeps: Sweeps = Sweeps()
    labels: Labels = LabelGroups()
    disclosure: Disclosure = Disclosure()
    rules: dict[str, RulePolicy] = field(default_factory=dict)
    commands: dict[str, CommandPolicy] = field(default_factory=dict)
    allowed_apps: Apps = field(default_factory=dict)

    @property
    def sign_offs_advise(self) -> bool:
        """Tell whether a sign-off that is missing keeps nothing from being merged."""
        return "advisory" in (self.mode, self.sign_off.mode)

    def layout(self, tree: Tree) -> Layout | None:
        """Return the first layout whose changelog exists in a tree, or None."""
        return next((x for x in self.layouts.values() if tree.has(x.changelog)), None)

    def rule(self, name: str) -> RulePolicy:
        """Return what the policy says about a rule."""
        return self.rules.get(name) or RulePolicy()


class PolicyError(ValueError):
    """A policy file is wrong. ``problems`` are (line, column, what is wrong and what to do)."""

    def __init__(self, problems: tuple[tuple[int, int, Text], ...]) -> None:
        super().__init__("; ".join(f"{line}:{column}: {what}" for line, column, what in problems))
        self.problems = problems


@cache
def preset(name: str) -> Policy:
    """Return a policy that ships with Referee.

    Raises:
        LookupError: there is no preset of that name.

    """
    policy = Form(Map()).read(Policy, plain(_preset(name)))
    assert isinstance(policy, Policy)
    return policy


@cache
def _preset(name: str) -> Any:
    if name not in PRESETS:
        raise LookupError(f"There is no policy preset {name!r}; shipped are: {', '.join(PRESETS)}.")
    return parse((Path(__file__).parent / "presets" / f"{name}.yaml").read_bytes())


@lru_cache(maxsize=64)
def read_policy(source: Blob) -> Policy:
    """Read and check a policy file.

    Raises:
        PolicyError: every problem with its line and column, and the closest right word.

    """
    if len(source.data) > MOST_BYTES:
        large = text("A policy file has at most {most} bytes.", most=MOST_BYTES)
        raise PolicyError(((1, 1, large),))
    try:
        content = parse(source.data)
    except YamlError as error:
        raise PolicyError(((error.line, error.column, error.reason),)) from None
    if not isinstance(content, Map):
        begin = text("A policy file is a mapping of settings; begin with {line}.", line=EXTENDS)
        raise PolicyError(((1, 1, begin),))
    for _, twice in duplicates(content):
        mark = twice.mark
        what = text("{key} is given twice; keep one.", key=str(twice.key))
        raise PolicyError(((mark.row + 1, mark.column + 1, what),))
    settings = plain(content)
    if content.get("extends") == "inferencex":
        settings = _merge(plain(_preset("inferencex")), settings)
    form = Form(content)
    policy = form.read(Policy, settings)
    problems = [*form.problems, *_wrong_names(content)]
    if not form.problems and not policy.layouts:
        problems.append((1, 1, text("This policy judges nothing; add {line}.", line=EXTENDS)))
    if problems:
        raise PolicyError(tuple(sorted(problems, key=lambda problem: problem[:2])))
    assert isinstance(policy, Policy)
    return policy


def _wrong_names(content: Map) -> Iterator[Problem]:
    if any(content.map(name) for name in ("rules", "commands", "sign-off", "layouts")):
        # What has these names is typed against this module, which cannot import it before.
        from checks.policy_names import wrong_names

        yield from wrong_names(content)


def _merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``over`` laid on ``under``: mappings merge, everything else replaces."""
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        merged[key] = _merge(below, value) if both else value  # type: ignore[arg-type]
    return merged
