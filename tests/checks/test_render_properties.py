"""Nothing that a pull request contains gets out of its code span, fence or link."""

from collections.abc import Iterator
from urllib.parse import unquote

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from checks.markers import STICKY, FindingMarker, Memory, read_finding, read_memory
from checks.model import Evidence, Finding, InternalError, Report, RuledOut, Severity, Suggestion
from checks.plan import plan
from checks.publication import Published
from checks.render import MAX_SUGGESTION, Voice, finding_comment, fixed_comment
from checks.summary import Outcome, sticky
from checks.text import text

HEAD = "a" * 40
MARKER = FindingMarker("topic/rule", "f" * 16, HEAD)
VOICE = Voice(("en", "zh"), "https://github.com/o/n", "https://example.com/rules/")
PIECES = (
    "`", "``", "```", "~~~", "````suggestion", "\n", "\r\n", "\n\n", "<!--", "-->", "<b>",
    "</details>", "<details>", "](http://evil.example)", "[x](http://evil.example)", "![x](y)",
    "@someone", "#1", "| a |\n|---|\n", "# h", "* ", "> ", "- [ ] ", "$$", "\\", "{x}", "{", "%",
    "<!-- referee:sticky -->", str(MARKER), str(Memory({"f" * 16: HEAD}, {})), "\0", "\u2028",
    "\u202e", "\ufeff", "\udc80", "&lt;", "https://evil.example", "www.evil.example", " ", "\t",
    "😀", "中", "a", "~~", "**", "_",
)  # fmt: skip
hostile = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=8).map("".join)
paths = hostile.map(lambda path: path.replace("\0", "") or "x")


def finding(path: str, shown: str, line: str, change: str | None, **more: object) -> Finding:
    return Finding(
        rule=MARKER.rule,
        severity=Severity.BLOCKING,
        path=path,
        line=3,
        end_line=3,
        title=text("The value {value} is wrong", value=shown),
        message=text("It is {value}; {more}.", value=shown, more=text("and {value}", value=line)),
        evidence=(Evidence(path, 3, line), Evidence(path, None, shown)),
        suggestion=None if change is None else Suggestion(3, 3, change),
        fingerprint=str(more.get("fingerprint", MARKER.fingerprint)),
    )


def tokens(body: str) -> Iterator[Token]:
    for block in MarkdownIt("gfm-like", {"linkify": False}).parse(body):
        yield block
        yield from block.children or ()


OURS = ("<!-- referee:", "<details><summary>", "</details>", "</summary>")


def hold(body: str, path: str) -> None:
    """Assert that all markup of a body is ours."""
    body.encode()
    for each in tokens(body):
        if each.type in {"html_block", "html_inline"}:
            assert each.content.startswith(OURS), each.content
            assert "<b>" not in each.content
        if each.type == "link_open":
            target = str(each.attrGet("href"))
            assert target.startswith((f"{VOICE.repository_url}/blob/", VOICE.documentation_url))
            if target.startswith(VOICE.repository_url):
                where = unquote(target, errors="surrogateescape").split("/blob/", 1)[1]
                assert where.split("/", 1)[1].removesuffix("#L3") == path
        if each.type == "text":
            assert "@" not in each.content
            assert "evil" not in each.content
        assert each.type not in {"image", "table_open", "blockquote_open"}
        assert each.type != "heading_open" or each.tag == "h3"


@given(paths, hostile, hostile, st.none() | hostile)
@settings(max_examples=60, deadline=None)
@example("x", "`", "```", "```\n<b>\n")
def test_a_comment_holds_everything(path: str, shown: str, line: str, change: str | None) -> None:
    found = finding(path, shown, line, change)
    body = finding_comment(found, MARKER, VOICE, HEAD, suggest=True)
    hold(body, path)
    assert read_finding(body) == MARKER
    fences = [t for t in tokens(body) if t.type == "fence" and t.info == "suggestion"]
    if change is not None and not any("\ud800" <= char <= "\udfff" for char in change):
        (fence,) = fences
        expected = change if change.endswith("\n") or not change else f"{change}\n"
        same = expected.replace("\0", "\ufffd").replace("\r\n", "\n").replace("\r", "\n")
        assert fence.content == same
    else:
        assert fences == []
    closed = fixed_comment(body, MARKER, "b" * 40, VOICE)
    hold(closed, path)
    fixed = read_finding(closed)
    assert fixed is not None
    assert fixed.fixed


@given(paths, hostile, hostile)
@settings(max_examples=60, deadline=None)
def test_a_sticky_comment_holds_everything_and_only_our_memory_is_read(
    path: str, shown: str, line: str
) -> None:
    found = finding(path, shown, line, None)
    errors = (InternalError("topic/rule", text("It failed with {error}.", error=shown)),)
    cleared = (RuledOut("topic/rule", path, 3, text("{value} is right", value=line)),)
    report = Report("b" * 40, HEAD, (found,), cleared, errors, policy=text("P {p}.", p=shown))
    memory = Memory({found.fingerprint: HEAD}, {"e" * 16: "c" * 40})
    body = sticky(report, Outcome(memory), VOICE)
    hold(body, path)
    assert body.startswith(STICKY)
    assert body.count("<!-- referee:") == 4  # itself, runs and their end, its memory
    assert read_memory(body) == memory


LONG = "/".join(["%27`😀" * 40] * 100)


def test_endless_paths_and_lines_stay_within_githubs_limit() -> None:
    many = tuple(
        finding(f"{LONG}/{n}", "😀" * 9_000, ("y" * 9_000 + "\n") * 9, "z", fingerprint=f"{n:016x}")
        for n in range(50)
    )
    heads = [f"{n:040x}" for n in range(2_000)]
    memory = Memory(
        {f"{n:016x}": heads[n] for n in range(1_000)},
        {f"{n:016x}": heads[n] for n in range(1_000, 2_000)},
    )
    cleared = tuple(
        RuledOut("topic/rule", f"{LONG}/{n}", 3, text("{v}", v=LONG)) for n in range(100)
    )
    report = Report("b" * 40, HEAD, many, cleared)
    wanted = plan(report, Published(memory=memory), (), VOICE)
    assert wanted.sticky is not None
    assert wanted.check_run is not None
    assert len(wanted.sticky.body) <= 65_536
    assert len(wanted.check_run.summary) <= 65_535
    assert len(finding_comment(many[0], MARKER, VOICE, HEAD, suggest=True)) <= 65_536
    hold(wanted.sticky.body, "")


def test_half_a_suggestion_is_never_posted() -> None:
    whole = finding("x", "v", "l", "y" * (MAX_SUGGESTION + 1))
    assert "suggestion" not in finding_comment(whole, MARKER, VOICE, HEAD, suggest=True)


def test_what_is_counted_as_fixed_is_what_is_remembered() -> None:
    before = Published(memory=Memory({}, {f"{n:016x}": f"{n:040x}" for n in range(2_000)}))
    wanted = plan(Report("b" * 40, HEAD), before, (), VOICE)
    assert wanted.sticky is not None
    again = Published(sticky_id=1, sticky_body=wanted.sticky.body)
    again = Published(
        sticky_id=1, sticky_body=wanted.sticky.body, memory=read_memory(again.sticky_body)
    )
    assert plan(Report("b" * 40, HEAD), again, (), VOICE).sticky is None
