"""What a role says about speculative decoding, in the words of its engine, with every line.

https://docs.vllm.ai/en/latest/features/spec_decode/
https://docs.sglang.io/advanced_features/speculative_decoding.html
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from checks.parse.json_members import read_json
from checks.parse.recipe import Recipe, Variant
from checks.parse.roles import Role, Setting, flag, roles, setting
from checks.parse.yaml import Map, Mark

_ALONE = {"method": "spec-method", "model": "spec-model", "num_speculative_tokens": "spec-tokens"}
SIMULATED_LENGTH, SIMULATED_METHOD = "SGLANG_SIMULATE_ACC_LEN", "SGLANG_SIMULATE_ACC_METHOD"
FORCED = "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """One value with its place.

    Attributes:
        name: the flag, variable or JSON key that sets it, as written.
        value: the value as text.
        line: 1-based.
        mark: the scalar that holds it.
        embedded: whether it is a member of a JSON string, which is the scalar.

    """

    name: str
    value: str
    line: int
    mark: Mark
    embedded: bool = False

    @property
    def number(self) -> Decimal | None:
        """Return the value as a finite decimal, or None when it is none."""
        return decimal(self.value)


def decimal(value: str) -> Decimal | None:
    """Return a short decimal number, or None."""
    if len(value) > 40:
        return None
    try:
        number = Decimal(value.strip())
    except InvalidOperation:
        return None
    # Of a number with a huge exponent, nothing can be computed.
    return number if number.is_finite() and -40 < number.adjusted() < 9 else None


@dataclass(frozen=True, slots=True, eq=False)
class Speculation:
    """The speculative facts of one role; None where the file does not say.

    Attributes:
        tokens: draft length k.
        draft: draft model.
        sampling: draft sampling method.
        length: simulated acceptance length as written (TensorRT-LLM counts one token less).
        rate: what stands in the place of ``length``: the part of the drafted tokens that is
            accepted, or one such part for each of them in brackets.
        bonus: what to add to ``length`` to get the acceptance length: 0, or 1 for TensorRT-LLM.
        mode: what decides whether the length is used.
        target_dtype: KV-cache dtype of the target model.
        draft_dtype: KV-cache dtype of the draft model alone.
        target_format: quantization of the target model.
        draft_format: quantization of the draft model alone.
        target_weights: dtype of the target model.
        draft_weights: dtype of the draft model alone.

    """

    role: Role
    method: Fact | None = None
    tokens: Fact | None = None
    draft: Fact | None = None
    sampling: Fact | None = None
    length: Fact | None = None
    rate: Fact | None = None
    bonus: int = 0
    mode: Fact | None = None
    target_dtype: Fact | None = None
    draft_dtype: Fact | None = None
    target_format: Fact | None = None
    draft_format: Fact | None = None
    target_weights: Fact | None = None
    draft_weights: Fact | None = None

    @property
    def simulated(self) -> Decimal | None:
        """Return the simulated acceptance length, the target's own token included."""
        if self.length is None:
            return self._rated
        number = self.length.number
        return None if number is None else number + self.bonus

    @property
    def _rated(self) -> Decimal | None:
        """Return the acceptance length that a rate, or one for each drafted token, stands for."""
        tokens = self.tokens.number if self.tokens else None
        written = self.rate.value if self.rate else ""
        numbers = [decimal(each) for each in written.strip("[]").split(",")]
        rates = [each for each in numbers if each is not None]
        if len(rates) < len(numbers) or tokens is None:
            return None
        return 1 + (sum(rates, Decimal(0)) if written.startswith("[") else tokens * rates[0])

    @property
    def pin(self) -> Fact | None:
        """Return what simulates an acceptance, None where nothing does or it is switched off."""
        found, length = self.length or self.rate, self.simulated
        return None if self.length and length is not None and length <= self.bonus else found


@lru_cache(maxsize=1024)
def speculations(variant: Variant) -> tuple[Speculation, ...]:
    """Return the speculative facts of each role of a variant; an unknown engine has none."""
    readers = {"vllm": _vllm, "sglang": _sglang, "trtllm": _trtllm, "atom": _atom}
    return tuple(readers.get(role.engine.lower(), Speculation)(role) for role in roles(variant))


def origin(recipe: Recipe, fact: Fact) -> str:
    """Return the selector of the first variant that takes a fact from the same place."""
    for variant in recipe.variants.values():
        for found in speculations(variant):
            facts = (found.length, found.rate, found.mode, found.tokens, found.draft_dtype)
            if any(f and (f.line, f.name) == (fact.line, fact.name) for f in facts):
                return variant.selector
    return ""


def _fact(found: Setting | None) -> Fact | None:
    if found is None or isinstance(found.value, Map | list) or found.value is None:
        return None
    value = found.value if isinstance(found.value, str) else found.mark.raw or str(found.value)
    return Fact(found.key, value, found.line, found.mark)


def argument(role: Role, *names: str) -> Fact | None:
    """Return an engine flag of a role by any of its kebab-case names."""
    return _fact(role.arg(*names))


def member(node: Map, key: str) -> Fact | None:
    """Return a scalar of a mapping by its key."""
    return _fact(setting(node, key)) if key in node else None


def container(variant: Variant) -> Fact | None:
    """Return the container image, or its name in srtslurm.yaml, that a variant runs."""
    model = variant.content.map("model")
    return _fact(setting(model, "container")) if model and "container" in model else None


def spelled(member: str) -> tuple[str, ...]:
    """Return the flags with which vLLM takes one member of its speculative config alone."""
    dotted = f"speculative-config.{member.replace('_', '-')}"
    return (_ALONE[member], dotted) if member in _ALONE else (dotted,)


def of_vllm(
    role: Role, flag: Callable[..., Fact | None], member: Callable[[str], Fact | None]
) -> Speculation:
    """Return vLLM's facts; ``flag`` gives one by any of its names, ``member`` those in the JSON."""

    def get(name: str) -> Fact | None:
        return member(name) or flag(*spelled(name))

    return Speculation(
        role,
        method=get("method"),
        tokens=get("num_speculative_tokens"),
        draft=get("model"),
        sampling=get("draft_sample_method"),
        length=get("synthetic_acceptance_length"),
        rate=get("synthetic_acceptance_rates") or get("synthetic_acceptance_rate"),
        mode=get("rejection_sample_method"),
        target_dtype=flag("kv-cache-dtype"),
        draft_dtype=get("kv_cache_dtype"),
        target_format=flag("quantization"),
        draft_format=get("quantization"),
        target_weights=flag("dtype"),
        draft_weights=get("dtype") or get("torch_dtype"),
    )


def _vllm(role: Role) -> Speculation:
    members = _Members(role.arg("speculative-config"))

    def member(name: str) -> Fact | None:
        return members.listed(name) or members.fact(name)

    return of_vllm(role, lambda *names: argument(role, *names), member)


def of_sglang(
    role: Role, flag: Callable[..., Fact | None], variable: Callable[[str], Fact | None]
) -> Speculation:
    """Return SGLang's facts; ``flag`` gives one by any of its names."""
    method = flag("speculative-algorithm", "speculative-algo")
    steps, block = flag("speculative-num-steps"), flag("speculative-dspark-block-size")
    blocks = method.value.lower() == "dspark" if method else block is not None
    # DSpark drafts a block in each of its steps, of which there is one.
    tokens = block if blocks and (method or steps is None) else None if blocks else steps
    return Speculation(
        role,
        method=method,
        tokens=tokens,
        draft=flag("speculative-draft-model-path", "speculative-draft-model"),
        length=variable(SIMULATED_LENGTH),
        mode=variable(SIMULATED_METHOD),
        target_dtype=flag("kv-cache-dtype"),
        draft_dtype=flag("speculative-draft-kv-cache-dtype"),
        target_format=flag("quantization"),
        draft_format=flag("speculative-draft-model-quantization"),
    )


def _sglang(role: Role) -> Speculation:
    return of_sglang(
        role, lambda *names: argument(role, *names), lambda name: _fact(role.variable(name))
    )


def _trtllm(role: Role) -> Speculation:
    config = _Members(role.arg("speculative-config"))
    cache = _Members(role.arg("kv-cache-config"))
    return Speculation(
        role,
        method=config.fact("decoding_type"),
        tokens=config.fact("max_draft_len") or config.fact("num_nextn_predict_layers"),
        draft=config.fact("speculative_model") or config.fact("speculative_model_dir"),
        length=_fact(role.variable(FORCED)),
        bonus=1,
        target_dtype=cache.fact("dtype"),
    )


def _atom(role: Role) -> Speculation:
    method = _fact(role.arg("method"))
    return Speculation(
        role,
        method=method,
        tokens=_fact(role.arg("num-speculative-tokens")),
        draft=_fact(role.arg("draft-model")),
        sampling=atom_sampling(method),
        length=_fact(role.arg("spec-decode-acceptance-length")),
        rate=_fact(role.arg("spec-decode-acceptance-rate")),
        target_dtype=_fact(role.arg("kv-cache-dtype")),
    )


def atom_sampling(method: Fact | None) -> Fact | None:
    """Return how ATOM samples its draft: dspark does it probabilistically.

    https://github.com/SemiAnalysisAI/InferenceX: golden_al_distribution/README.md
    """
    if method is None or method.value.lower() != "dspark":
        return None
    return Fact("draft_sample_method", "probabilistic", method.line, method.mark)


class _Members:
    """The members of a setting that is a mapping or a JSON string."""

    def __init__(self, found: Setting | None) -> None:
        self.found = found
        value = found.value if found else None
        self.node = value if isinstance(value, Map) else None
        self.members = read_json(value) if isinstance(value, str) else {}

    def fact(self, name: str) -> Fact | None:
        if self.node is not None:
            spelled = (key for key in self.node if isinstance(key, str))
            key = next((key for key in spelled if flag(key) == flag(name)), None)
            return _fact(setting(self.node, key)) if key is not None else None
        value = self.members.get(name)
        if self.found is None or value is None or isinstance(value, dict | list):
            return None
        return Fact(name, str(value), self.found.line, self.found.mark, embedded=True)

    def listed(self, name: str) -> Fact | None:
        value = (self.members if self.node is None else self.node).get(name)
        if self.found is None or not isinstance(value, list):
            return None
        written, embedded = f"[{', '.join(map(str, value))}]", self.node is None
        return Fact(name, written, self.found.line, self.found.mark, embedded=embedded)
