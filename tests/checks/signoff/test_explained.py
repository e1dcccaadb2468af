"""A verdict in a terminal: nothing that a pull request names moves its cursor."""

from dataclasses import replace

from checks.signoff.explained import as_lines
from checks.signoff.verdict import verdict
from tests.checks.signoff.facts import DOCS, MASTER, POLICY, facts, sign_off


def test_hostile_names_and_addresses_are_shown_in_signs_that_can_be_seen() -> None:
    hostile = replace(MASTER, path="configs/\x1b[2K\u202em.yaml")
    signed = replace(sign_off("ann", DOCS), url="https://x/\x1b]0;owned\x07")
    found = facts(signed, files=(hostile, DOCS))
    shown = "\n".join(as_lines(verdict(found, POLICY), found))
    assert "\\u{001B}[2K\\u{202E}m.yaml>" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)
