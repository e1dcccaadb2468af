"""Which servers commands start: those that nothing tells apart are one."""

import pytest

from checks.parse.server import Server, servers
from checks.parse.shell.state import Run
from checks.parse.shell.words import REST, UNKNOWN_TEXT, Piece, Word


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


VLLM = "vllm serve toy --port 8 "


def server(line: str, **env: str) -> Server:
    (found,) = servers([run(line, **env)])
    return found


def facts(found: Server) -> tuple[str | None, str | None, str | None]:
    told = found.speculation
    method, tokens, length = told.method, told.tokens, told.length
    return (
        method.value if method else None,
        tokens.value if tokens else None,
        length.value if length else None,
    )


@pytest.mark.parametrize(
    "flags",
    [
        '--speculative-config {"method":"mtp","num_speculative_tokens":3}',
        '-sc {"method":"mtp","num_speculative_tokens":3}',
        "--spec-method mtp --spec-tokens 3",
        "--speculative-config.method mtp --speculative_config.num_speculative_tokens=3",
        '--speculative-config {"draft":{"method":"x"},"method":"mtp","num_speculative_tokens":3}',
        '--speculative-config {"method":"x","num_speculative_tokens":3,"method":"mtp"}',
    ],
)
def test_every_way_to_tell_vllm_what_it_drafts(flags: str) -> None:
    found = server(VLLM + flags)
    assert facts(found) == ("mtp", "3", None)
    assert (found.drafts, found.simulates) == (True, False)


def test_members_on_their_own_simulate_too() -> None:
    dotted = "--speculative-config.synthetic_acceptance_length 2.5"
    found = server(f"{VLLM} --spec-method mtp {dotted}")
    assert facts(found) == ("mtp", None, "2.5")
    assert found.simulates is True


def test_a_file_of_settings_may_hold_any_flag() -> None:
    for line in (
        f"{VLLM} --config c.yaml",
        f"{SGLANG.split(' --', maxsplit=1)[0]} --config c.yaml",
    ):
        assert server(line).drafts is None
    assert server("trtllm-serve toy --config c.yaml").run.complete


def test_members_that_are_not_known_may_simulate() -> None:
    whole = server(VLLM + f'--speculative-config {{"method":"mtp","model":"{UNKNOWN_TEXT}/a"}}')
    open_ = server(VLLM + f'--speculative-config {{"method":"mtp"{UNKNOWN_TEXT}}}')
    assert (whole.simulates, open_.simulates) == (False, None)


@pytest.mark.parametrize(
    ("more", "method"),
    [
        ("", "dspark"),
        (',"draft_sample_method":"probabilistic"', "dspark"),
        (f',"draft_sample_method":"{UNKNOWN_TEXT}"', None),
        (UNKNOWN_TEXT, None),
    ],
)
def test_how_drafts_are_sampled_decides_about_the_curve(more: str, method: str | None) -> None:
    config = f'{{"method":"dspark","num_speculative_tokens":7{more}}}'
    assert facts(server(f"{VLLM} --speculative-config {config}"))[0] == method


def test_variables_that_are_not_known_may_simulate() -> None:
    assert server(SGLANG).simulates is False
    assert server(SGLANG, **{REST: UNKNOWN_TEXT}).simulates is None


@pytest.mark.parametrize("value", ["X3", "3X", "X/3X", "X"])
def test_a_value_is_not_what_is_known_of_it(value: str) -> None:
    known = server(f"{SGLANG} --speculative-num-steps {value.replace('X', UNKNOWN_TEXT)}")
    assert known.speculation.tokens is None


def test_a_folder_that_is_not_known_is_no_part_of_a_name() -> None:
    path = f"{UNKNOWN_TEXT}/toy-EAGLE3"
    found = server(f"{SGLANG} --speculative-draft-model-path {path}").speculation.draft
    assert found
    assert found.value == "/toy-EAGLE3"


def test_a_block_of_dspark_is_its_draft_length_whichever_flag_comes_last() -> None:
    line = "python3 -m sglang.launch_server --speculative-algorithm DSPARK"
    flags = ("--speculative-dspark-block-size 6", "--speculative-num-steps 1")
    for given in (flags, flags[::-1]):
        assert facts(server(" ".join([line, *given])))[1] == "6"
