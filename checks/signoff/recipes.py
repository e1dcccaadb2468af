"""The recipes that sign-offs link: whether they are published, and what they say of the flags."""

import re
from collections.abc import Iterator, Sequence

from checks.policy import Policy
from checks.signoff.facts import Config, Facts, Upstream
from checks.signoff.flag_differences import Difference, differences
from checks.signoff.model import Link, State
from checks.signoff.obligation import Assessment, Proof, failed, listed, passed, unknown
from checks.signoff.proving import by_person, places
from checks.signoff.signers import Heard, counting
from checks.text import Text, text

ITEM = "recipe"
MOST_PROOFS = 8
_THERE = frozenset({"merged", "published"})
_CLIMBS = re.compile(r"/(?:\.|%2e){1,2}(?:/|%2f|$|[?#])|\\", re.IGNORECASE)
_PLACES = ("details", ITEM, "recipe-merged")


def judged(facts: Facts, policy: Policy, engine: str, configs: Sequence[Config]) -> Assessment:
    """Judge the recipes that one engine's project has of some configs."""
    links = [each for heard in counting(facts, policy) for each in heard.sign_off.said.links]
    linked = tuple(dict.fromkeys(_linked(facts, policy, engine)))
    if not linked:
        return failed(_missing(engine), *listed(_elsewhere(links), MOST_PROOFS))
    found = [facts.upstream.get(url) or Upstream(url, "unknown") for url in linked]
    states = listed((Proof(_state(each), each.url) for each in found), MOST_PROOFS)
    there = [each for each in found if each.state in _THERE]
    if there:
        return _compared(facts, policy, configs, there, states)
    unclear = next((each for each in found if each.state == "unknown"), None)
    if unclear:
        what = text("Whether {url} is merged could not be read; ask again later.", url=unclear.url)
        return unknown(what, *states)
    first = found[0]
    return failed(
        text("{url} is {state}; it has to be merged.", url=first.url, state=_word(first)), *states
    )


def _linked(facts: Facts, policy: Policy, engine: str) -> Iterator[str]:
    starts = policy.sign_off.recipes[engine]
    for heard in counting(facts, policy):
        for link in heard.sign_off.said.links:
            if _counts(link, heard) and _is_under(link, starts):
                yield link.url


def _counts(link: Link, heard: Heard) -> bool:
    """Tell whether a link stands where the checklist asks for it, beside a box that is ticked."""
    if link.where not in _PLACES:
        return False
    return link.where == "details" or heard.sign_off.said.state(link.where) is State.CHECKED


def _is_under(link: Link, starts: Sequence[str]) -> bool:
    """Tell whether a link is to a page or pull request under some addresses, not to their root.

    A branch or commit of a repository is nothing that was merged.
    """
    url = link.url.lower()
    start = next((each for each in starts if url.startswith(each.lower())), None)
    if start is None or not re.match(r"\w", url[len(start) :]) or _CLIMBS.search(url):
        return False
    return link.kind == "pull-request" or "://github.com/" not in start.lower()


def _missing(engine: str) -> Text:
    return text(
        "The detail section links no recipe of {engine}: a merged pull request or published page"
        " of its project.",
        engine=engine,
    )


def _elsewhere(links: Sequence[Link]) -> Iterator[Proof]:
    """Yield what is linked but does not count."""
    for url in (link.url for link in links if link.kind != "run"):
        yield Proof(text("{url} does not count", url=url), url)


def _state(each: Upstream) -> Text:
    return text("{url}: {state}", url=each.url, state=_word(each))


def _word(each: Upstream) -> Text:
    match each.state:
        case "merged":
            return text("merged")
        case "published":
            return text("published")
        case "open":
            return text("open")
        case "draft":
            return text("a draft")
        case "closed":
            return text("closed without a merge")
        case "missing":
            return text("not there")
        case "unknown":
            return text("not read")


def _compared(
    facts: Facts,
    policy: Policy,
    configs: Sequence[Config],
    there: Sequence[Upstream],
    states: tuple[Proof, ...],
) -> Assessment:
    said = [each.text for each in there if each.text.strip()]
    if not said or any(each.flags is None for each in configs):
        what = text(
            "{url} is there, but its flags could not be read; a person must compare them.",
            url=there[0].url,
        )
        return by_person(facts, policy, what, ITEM, places(configs), *states)
    found = [
        (_difference(config, each), config)
        for config in configs
        for each in differences(config.flags or {}, config.model, said)
    ]
    if not found:
        return passed(text("{url} has the flags that decide.", url=there[0].url), *states)
    proofs = (*states, *(Proof(words, path=each.path, line=each.line) for words, each in found))
    what = text(
        "{difference}; a person must judge whether that comes to the same.",
        difference=found[0][0],
    )
    shown = listed(proofs, MOST_PROOFS)
    return by_person(facts, policy, what, ITEM, places(configs), *shown)


def _difference(config: Config, each: Difference) -> Text:
    flag, key, ours = each.name, config.key, ", ".join(each.ours)
    if each.theirs:
        return text(
            "{config} has {flag} {ours}, the recipe as far as it was read {theirs}",
            config=key,
            flag=flag,
            ours=ours,
            theirs=", ".join(each.theirs),
        )
    if each.ours:
        return text(
            "{config} has {flag} {ours}, the recipe does not name it",
            config=key,
            flag=flag,
            ours=ours,
        )
    return text("{config} has {flag}, the recipe does not name it", config=key, flag=flag)
