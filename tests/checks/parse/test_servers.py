"""Which servers commands start: those that nothing tells apart are one."""

from checks.parse.server import servers
from checks.parse.shell.state import Run
from checks.parse.shell.words import Piece, Word


def word(text: str) -> Word:
    return (Piece(text, 3),)


def run(line: str, row: int = 3, files: str = "", **env: str) -> Run:
    written = {"/c.yaml": word(files)} if files else {}
    given = {name: word(value) for name, value in env.items()}
    return Run(tuple(map(word, line.split())), given, written, row)


SGLANG = "python3 -m sglang.launch_server --speculative-algorithm EAGLE"


def test_of_servers_that_nothing_tells_apart_the_last_one_is_told() -> None:
    first, last = run(SGLANG, OTHER="1"), run(SGLANG, OTHER="2")
    (found,) = servers([first, last, run("bash serve.sh")])
    assert found.run is last
    fact = found.variable("OTHER")
    assert fact
    assert fact.value == "2"


def test_what_a_server_reads_tells_it_apart() -> None:
    lengths = [run(SGLANG, SGLANG_SIMULATE_ACC_LEN=each) for each in ("2.4", "2.5")]
    found = servers([*lengths, run(SGLANG), run(SGLANG, row=9)])
    read = [(each.line, each.speculation.length) for each in found]
    assert [(line, fact.value if fact else None) for line, fact in read] == [
        (4, "2.4"),
        (4, "2.5"),
        (4, None),
        (10, None),
    ]


def test_the_file_that_a_server_reads_tells_it_apart() -> None:
    line = "trtllm-serve toy --config /c.yaml"
    texts = [f"speculative_config:\n  max_draft_len: {each}\n" for each in (1, 2)]
    found = servers([run(line, files=each) for each in texts])
    tokens = [each.speculation.tokens for each in found]
    assert [fact.value for fact in tokens if fact] == ["1", "2"]
