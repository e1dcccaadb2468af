"""A sign-off holds for what its author had before them: whatever main did since, no byte more."""

from collections.abc import Mapping

import pytest

from checks.model import ChangedFile, Status
from checks.signoff.binding import Coverage, coverage, print_of, taken_back
from checks.signoff.facts import Kind
from checks.signoff.prints import Print
from tests.checks.signoff.facts import DOCS, changed, facts, prints
from tests.checks.signoff.facts import MASTER as FILE
from tests.kit import DictTree, between

Files = Mapping[str, str]
MASTER = "a:\n  image: one\n  space:\n    - tp: 4\nb:\n  image: one\n  space:\n    - tp: 4\n"
LOG = "- config-keys: [a]\n  description: [x]\n"


def _prints(base: Files, head: Files, kind: Kind = Kind.MASTER) -> dict[str, Print]:
    found = between(DictTree(base, "b" * 40), DictTree(head, "a" * 40), None)
    return {file.path: print_of(found.base, found.head, file, kind) for file in found.files}


def _one(base: str, head: str, path: str = "m.yaml", kind: Kind = Kind.MASTER) -> Print:
    return _prints({path: base}, {path: head}, kind)[path]


def test_the_same_bytes_are_the_same() -> None:
    ours = MASTER.replace("tp: 4", "tp: 8", 1)
    assert _one(MASTER, ours).same(_one(MASTER, ours))


def test_a_change_of_main_elsewhere_in_the_file_changes_nothing() -> None:
    ours = MASTER.replace("tp: 4", "tp: 8", 1)
    before = _one(MASTER, ours)
    main = "new:\n  image: two\n" + MASTER
    assert before.same(_one(main, "new:\n  image: two\n" + ours))


def test_one_changed_byte_is_another() -> None:
    before = _one(MASTER, MASTER.replace("tp: 4", "tp: 8", 1))
    assert not before.same(_one(MASTER, MASTER.replace("tp: 4", "tp: 16", 1)))


def test_moving_the_same_lines_is_another_even_when_main_changed_the_file() -> None:
    under_a = MASTER.replace("    - tp: 4\nb:", "    - tp: 4\n    - tp: 8\nb:")
    under_b = MASTER + "    - tp: 8\n"
    main = "new:\n  image: two\n"
    assert not _one(MASTER, under_a).same(_one(MASTER, under_b))
    assert not _one(MASTER, under_a).same(_one(main + MASTER, main + under_b))


def test_moving_a_later_line_of_a_hunk_is_another_even_when_main_changed_the_file() -> None:
    keys = ["a:\n  tp: 4\n", "b:\n  tp: 4\n", "c:\n  tp: 4\n"]
    more = "  ep: 8\n"
    in_b = "".join([keys[0] + more, keys[1] + more, keys[2]])
    in_c = "".join([keys[0] + more, keys[1], keys[2] + more])
    base, main = "".join(keys), "new:\n  tp: 2\n"
    assert _one(base, in_b).same(_one(main + base, main + in_b))
    assert not _one(base, in_b).same(_one(main + base, main + in_c))


def test_taking_the_same_line_from_another_key_is_another() -> None:
    keys = ["a:\n  tp: 4\n", "b:\n  tp: 4\n", "c:\n  tp: 4\n  ep: 8\n"]
    base, main = "".join(key + "  ep: 8\n" for key in keys[:2]), "new:\n  tp: 2\n"
    from_a, from_b = (
        "".join([keys[0], keys[1] + "  ep: 8\n"]),
        "".join([keys[0] + "  ep: 8\n", keys[1]]),
    )
    assert not _one(base, from_a).same(_one(main + base, main + from_b))


def test_moving_lines_of_a_script_is_another() -> None:
    script = "".join(f"step {n}\n" for n in range(20))
    early = script.replace("step 3\n", "step 3\nexport X=1\n")
    late = script.replace("step 15\n", "step 15\nexport X=1\n")
    main = "#!/bin/bash\n"
    assert not _one(script, early, "run.sh", Kind.SCRIPT).same(
        _one(main + script, main + late, "run.sh", Kind.SCRIPT)
    )


def test_an_appended_changelog_entry_holds_when_main_appended_its_own() -> None:
    entry, other = "\n- config-keys: [b]\n", "\n- config-keys: [c]\n"
    before = _one(LOG, LOG + entry, "log.yaml", Kind.CHANGELOG)
    assert before.same(_one(LOG + other, LOG + other + entry, "log.yaml", Kind.CHANGELOG))
    changed = _one(LOG + other, LOG + other + entry.replace("b", "d"), "log.yaml", Kind.CHANGELOG)
    assert not before.same(changed)


def test_an_edit_of_history_in_the_changelog_is_bound_like_any_other() -> None:
    before = _one(LOG, LOG.replace("x", "y"), "log.yaml", Kind.CHANGELOG)
    assert not before.same(_one(LOG, LOG.replace("x", "z"), "log.yaml", Kind.CHANGELOG))


@pytest.mark.parametrize("path", ["gone.yaml", "gone.sh"])
def test_added_and_removed_are_told_apart(path: str) -> None:
    added = _prints({}, {path: "x\n"})[path]
    removed = _prints({path: "x\n"}, {})[path]
    assert (added.base, removed.head) == ("", "")
    assert not added.same(removed)


def test_what_nobody_can_read_is_bound_to_its_commit() -> None:
    found = between(DictTree({}, "b" * 40), DictTree({"link": "x"}, "a" * 40), None)
    unread = [DictTree({}, sha * 40) for sha in "cd"]  # a link is no regular file
    first, second = (print_of(found.base, tree, found.files[0], Kind.OTHER) for tree in unread)
    assert not first.same(second)


SIGNED = Print("old", "new", "change")


@pytest.mark.parametrize(
    ("now", "same"),
    [
        (SIGNED, True),
        (Print("old", "new", "other"), True),  # to the byte: how a diff is cut matters not
        (Print("old", "newer", "change"), False),  # a byte that no hunk shows
        (Print("older", "newer", "change"), True),  # main moved, the change did not
        (Print("older", "new", "other"), False),  # the same file, from another one
    ],
)
def test_the_same_is_to_the_byte_or_from_another_base_by_the_same_change(
    now: Print, same: bool
) -> None:
    assert SIGNED.same(now) is same


def test_what_nobody_knows_covers_nothing_that_can_be_told() -> None:
    content = facts(files=(FILE, DOCS)).content
    assert coverage(None, content) is None
    nothing = coverage({}, content)
    assert nothing == Coverage(frozenset(), frozenset({FILE.path, DOCS.path}))
    assert not nothing.whole
    all_of_it = coverage(prints(FILE, DOCS), content)
    assert all_of_it is not None
    assert all_of_it.whole


def test_what_the_pull_request_changes_no_more_is_not_the_whole() -> None:
    found = coverage(prints(FILE, DOCS), facts(files=(FILE,)).content)
    assert found == Coverage(frozenset({FILE.path}), frozenset(), frozenset({DOCS.path}))
    assert not found.whole
    part = coverage(prints(FILE), facts(files=(changed(FILE),)).content)
    assert part == Coverage(frozenset(), frozenset({FILE.path}))
    assert part is not None
    assert taken_back([found]) == {DOCS.path}
    assert taken_back([found, part]) == frozenset()  # one signed without it
    assert taken_back([]) == frozenset()


def test_a_renamed_file_is_bound_to_both_names() -> None:
    head = DictTree({"new.sh": "x\n"}, "a" * 40)
    one, two = (
        print_of(
            DictTree({name: "x\n"}, "b" * 40),
            head,
            ChangedFile("new.sh", Status.RENAMED, name),
            Kind.SCRIPT,
        )
        for name in ("a.sh", "b.sh")
    )
    assert (one.base, one.head) == (two.base, two.head)
    assert one.change != two.change


def test_what_a_line_is_nested_in_is_told_as_in_sign_offs_that_are_given() -> None:
    base = (
        "# top\na:\n  image: one\n  # note\n  space:\n\n    - tp: 4\n      ep: 2\n    - tp: 8\n"
        "  more:\n      deep: 1\n    odd: 2\nb:\n  - x: 1\n    y: 2\n"
    )
    ours = base.replace("ep: 2", "ep: 4").replace("odd: 2", "odd: 3").replace("y: 2", "y: 3")
    assert _one(base, ours).change == "61b42a9aa2ffe7ab"
