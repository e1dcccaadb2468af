r"""CODEOWNERS as GitHub reads it: its own examples, gitignore through git, and what it skips.

Where GitHub departs from gitignore, by its page on code owners and its list of errors: a last ``*``
covers the files of its folder alone; ``!``, ``[ ]``, ``\#``, ``***`` and ``/`` are no patterns. A
``?`` is one character here and one byte in git.
"""

import itertools
import subprocess
from collections.abc import Iterable
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.model import Blob
from checks.parse.codeowners import (
    LARGEST_FILE,
    CodeOwners,
    Ownership,
    find_codeowners,
    read_codeowners,
)
from tests.kit import DictTree


def read(source: str) -> CodeOwners:
    return read_codeowners(Blob.of(source.encode()))


def owned(pattern: str, path: str) -> bool:
    return bool(read(f"{pattern} @o").owners_of(path).owners)


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("*", ["a", "a/b", ".github/x"], []),
        ("*.js", ["a.js", "x/a.js", "x.js/deep/a"], ["a.jsx", "a.JS"]),
        ("/build/logs/", ["build/logs/a", "build/logs/x/a"], ["build/logs", "x/build/logs/a"]),
        ("docs/*", ["docs/a"], ["docs/b/a", "x/docs/a"]),
        ("/docs/*", ["docs/a"], ["docs/a/b"]),
        ("apps/", ["apps/a", "x/apps/a", "x/apps/y/a"], ["apps", "x/apps"]),
        ("config/", ["a/config/x"], ["myconfig/x"]),
        ("/config/", ["config/x"], ["a/config/x"]),
        ("**/logs", ["logs/a", "build/logs/a", "a/b/logs", "logs"], ["mylogs/a"]),
        ("**/bar", ["q/bar"], ["q/foo_bar"]),
        ("/p/**/z", ["p/z", "p/q/z", "p/q/r/z/s"], ["p/q/m.py", "q/p/z"]),
        ("/*", ["a"], ["a/b"]),
        ("/*/", ["a/b", "a/b/c"], ["a"]),
        ("docs/**", ["docs/a", "docs/b/a"], ["docs", "x/docs/a"]),
        ("docs/*/*", ["docs/a/b"], ["docs/a", "docs/a/b/c"]),
        ("docs/**/*", ["docs/a", "docs/a/b/c"], ["docs"]),
        ("docs/a*", ["docs/ab", "docs/ab/c"], ["docs/b"]),
        ("/apps/github", ["apps/github", "apps/github/x"], ["apps/githubs", "x/apps/github"]),
        ("Path\\ With\\ Space.cs", ["Path With Space.cs", "x/Path With Space.cs"], ["Path"]),
        ("a?c", ["abc", "aéc"], ["a/c", "ac"]),
        ("a\\*c", ["a*c"], ["abc"]),
        ("a#c", ["a#c"], ["a"]),
        ("配置/", ["配置/x"], ["x"]),
        ("a\\[b", ["a[b"], []),
    ],
)
def test_a_pattern_covers(pattern: str, inside: list[str], outside: list[str]) -> None:
    assert [path for path in inside if not owned(pattern, path)] == []
    assert [path for path in outside if owned(pattern, path)] == []


NAMES = ("a", "b", "ab", "a.b", "x y", "docs")
PARTS = ("a", "ab", "*", "**", "a*", "*b", "?", "*.b", "a**b", "docs", "x\\ y", "\\*", "*a*b")


def patterns() -> list[str]:
    """Return patterns of one to three parts, anchored or not, of folders or not."""
    single = [(part,) for part in PARTS]
    double = list(itertools.product(PARTS, PARTS))[::2]
    triple = list(itertools.product(PARTS, PARTS, PARTS))[::41]
    bodies = ["/".join(parts) for parts in (*single, *double, *triple)]
    ends = itertools.cycle([("", ""), ("/", ""), ("", "/"), ("/", "/")])
    return [f"{start}{body}{end}" for body, (start, end) in zip(bodies, ends, strict=False)]


PATHS = [
    "/".join(names)
    for count in (1, 2, 3, 4)
    for names in list(itertools.product(NAMES, repeat=count))[:: 1 + 7 * (count - 2) ** 3 * 2]
]


def ignored(folder: Path, pattern: str, paths: Iterable[str]) -> set[str]:
    """Return the paths that git ignores by a pattern."""
    (folder / "patterns").write_text(f"{pattern}\n")
    done = subprocess.run(
        ["git", "-c", f"core.excludesFile={folder / 'patterns'}", "check-ignore",
         "--no-index", "-z", "--stdin"],
        cwd=folder, input="\0".join(paths).encode(), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return set(done.stdout.decode().split("\0")) - {""}


def folders(path: str) -> set[str]:
    return {path[:place] for place, char in enumerate(path) if char == "/"}


def test_patterns_cover_what_git_ignores_but_for_a_last_star(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    wrong, pairs = [], 0
    for pattern in patterns():
        last_star = pattern.endswith("/*") and "**" not in pattern
        if pattern.endswith("/*") and not last_star:
            continue  # git cannot tell the file from its folder: the table above has these
        taken = ignored(tmp_path, pattern, PATHS)
        if last_star:
            above = {folder for path in PATHS for folder in folders(path)}
            deeper = ignored(tmp_path, pattern, above)
            taken = {path for path in taken if not folders(path) & deeper}
        ours = read(f"{pattern} @o")
        assert not ours.skipped
        wrong += [(pattern, p) for p in PATHS if bool(ours.owners_of(p).owners) != (p in taken)]
        pairs += len(PATHS)
    assert wrong == []
    assert pairs > 9_000


def test_the_last_line_that_covers_a_path_decides() -> None:
    file = read("* @org/core\n\n/apps/ @octo  @Org/team.a me@example.com # both\n/apps/gh\n# end\n")
    assert file.owners_of("x") == Ownership(("@org/core",), 1, "* @org/core", catch_all=True)
    apps = file.owners_of("apps/x")
    assert (apps.owners, apps.line, apps.catch_all) == (
        ("@octo", "@Org/team.a", "me@example.com"), 3, False,
    )  # fmt: skip
    assert file.owners_of("apps/gh/x") == Ownership((), 4, "/apps/gh")
    assert read("/apps/ @o").owners_of("x") == Ownership()


def test_comments_white_space_and_line_ends() -> None:
    file = read("\ufeff*.md\t@a #no @b\r\n  *.py @a\x0c@b\r\n#x @c\r\n\\ a @d\n*.txt#x @e\n")
    assert file.owners_of("x.md") == Ownership(("@a",), 1, "*.md\t@a #no @b")
    assert file.owners_of("x.py").owners == ("@a", "@b")
    assert file.owners_of("#x").line is None
    assert file.owners_of(" a").owners == ("@d",)
    assert file.owners_of("a.txt#x").owners == ("@e",)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            "!a @o",
            "GitHub knows no negation here; a later line without owners takes owners away.",
        ),
        ("\\#a @o", "GitHub reads no pattern that starts with an escaped `#`."),
        (
            "[ab].py @o",
            "GitHub knows no character ranges and no sections here; write one line each.",
        ),
        (
            "[Section] @o",
            "GitHub knows no character ranges and no sections here; write one line each.",
        ),
        (
            "^[Section][2] @o",
            "GitHub knows no character ranges and no sections here; write one line each.",
        ),
        ("a[ @o", "GitHub knows no character ranges and no sections here; write one line each."),
        ("***/*.rb @o", "Three asterisks are no pattern; write `**`."),
        ("/ @o", "This pattern covers nothing; `*` covers everything."),
        ("a//b @o", "This pattern covers nothing; `*` covers everything."),
        ("a\\", "A backslash stands before nothing that it could escape."),
        ("a\\/b @o", "A backslash stands before nothing that it could escape."),
        (
            "*.txt @o docs@",
            "`docs@` is neither `@user` nor `@organisation/team` nor an email address.",
        ),
        ("* user", "`user` is neither `@user` nor `@organisation/team` nor an email address."),
        ("* @a,@b", "`@a,@b` is neither `@user` nor `@organisation/team` nor an email address."),
        (f"{'a' * 4097} @o", "This pattern has more than 4096 characters."),
    ],
)
def test_a_line_that_github_skips_is_named_and_changes_nothing(line: str, reason: str) -> None:
    file = read(f"* @core\n{line}\n/b @o\n")
    assert [(each.line, each.text, str(each.reason)) for each in file.skipped] == [
        (2, line, reason)
    ]
    assert file.owners_of("a.txt").owners == ("@core",)
    assert file.owners_of("b").line == 3


def test_the_first_of_three_places_is_followed() -> None:
    files = {"docs/CODEOWNERS": "* @d", "CODEOWNERS": "* @r", "x/CODEOWNERS": "* @x"}
    found = find_codeowners(DictTree(files, "a"))
    assert found is not None
    assert (found[0], found[1].owners_of("a").owners) == ("CODEOWNERS", ("@r",))
    found = find_codeowners(DictTree({**files, ".github/CODEOWNERS": ""}, "a"))
    assert found is not None
    assert (found[0], found[1].owners_of("a")) == (".github/CODEOWNERS", Ownership())
    assert find_codeowners(DictTree({"x/CODEOWNERS": ""}, "a")) is None


def test_a_file_of_three_megabytes_is_not_followed() -> None:
    line = b"* @a\n"
    fits = line + b"#" * (LARGEST_FILE - len(line) - 1)
    assert read_codeowners(Blob.of(fits)).owners_of("a").owners == ("@a",)
    assert read_codeowners(Blob.of(fits + b"#")) == CodeOwners(too_large=True)


@given(st.binary(max_size=300), st.text(max_size=40))
def test_any_bytes_can_be_read_and_asked(data: bytes, path: str) -> None:
    file = read_codeowners(Blob.of(data))
    decided = file.owners_of(path)
    assert decided.line is None or 1 <= decided.line <= data.count(b"\n") + 1


SYNTAX = st.lists(st.sampled_from(["*", "**", "?", "/", "\\", "a", "b", " ", "\n", "#", "@a", "é"]))


@given(SYNTAX, st.lists(st.sampled_from(["a", "b", "/", " ", "*"]), min_size=1))
def test_any_patterns_can_be_read_and_asked(pieces: list[str], names: list[str]) -> None:
    read("".join(pieces)).owners_of("".join(names))


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 2000 + "*b", "a" * 4000),
        ("**/a/" * 800 + "b", "a/" * 2000 + "c"),
        ("**/*a*/" * 500 + "b", "a" * 200 + "/a" * 1900),
        ("**/**/" * 600 + "?b", "a/" * 2000 + "c"),
        ("?" * 2000 + "*" + "?" * 2000, "a" * 3999),
        ("**/" + "*a" * 1000 + "/*b", "a" * 2000 + "/a" * 1000),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    file = read(f"{pattern} @o")
    assert not file.skipped
    start = process_time()
    assert not file.owners_of(path).owners
    assert process_time() - start < 1


def test_a_file_of_many_lines_is_read_and_asked_in_seconds() -> None:
    lines = "".join(f"/folder{number}/*/file?{number} @org/team\n" for number in range(75_000))
    start = process_time()
    file = read(lines)
    for number in range(10):
        assert file.owners_of(f"folder{number}/x/file_{number}").line == number + 1
    assert process_time() - start < 5
