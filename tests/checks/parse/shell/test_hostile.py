"""Any bytes as a script: no exception, no hang."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.model import Blob
from checks.parse.shell.interpret import runs_of
from checks.parse.shell.syntax import read_script

LONG = {
    "one long line": b"vllm serve " + b"a " * 140_000,
    "one long word": b"vllm serve " + b"a" * 290_000,
    "a megabyte": b"A=" + b"x" * 1_000_000,
    "many lines": b"A=1\n" * 100_000,
    "many statements": b"A=1\n" * 9_000,
    "many unknown conditions": b"if a; then B=$B$C; else B=2; fi\n" * 900,
    "many variables": b"".join(b"if a; then B%d=1; else B%d=2; fi\n" % (n, n) for n in range(600)),
    "deep nesting": b"if a; then\n" * 140 + b":\n" + b"fi\n" * 140,
    "deeper nesting": b"if a; then\n" * 5_000 + b":\n" + b"fi\n" * 5_000,
    "deep substitution": b"A=" + b"$(echo " * 120 + b"x" + b")" * 120,
    "doubling": b"A=aaaaaaaaaa\n" + b'A="$A$A"\n' * 60 + b"vllm serve $A\n",
    "doubling array": b"A=(a b)\n" + b'A=("${A[@]}" "${A[@]}")\n' * 40 + b'vllm serve "${A[@]}"\n',
    "here-documents": b"cat <<a\nx\n" * 25_000,
    "conflicts": b"<<<<<<< a\nx: 1\n=======\nx: 2\n>>>>>>> b\n" * 7_000,
    "recursion": b"f() { f; f; f; f; }\nf\n",
    "open brackets": b"(" * 50_000,
    "open quotes": b"\"'" * 50_000,
    "big numbers": b"A=9\n" + b"A=$((A * A))\n" * 60,
    "globs": b"case " + b"a" * 150 + b" in *a*a*a*a*a*a*a*b) ;; esac\n",
}


@pytest.mark.parametrize("name", LONG)
def test_hostile_scripts_do_not_hang(name: str) -> None:
    start = time.process_time()
    runs_of(Blob.of(LONG[name]), (("A", "1"),))
    assert time.process_time() - start < 3


PARTS = st.sampled_from(
    [
        *("if", "then", "else", "fi", "case", "in", "esac", "for", "do", "done", "while", ";;"),
        *("vllm serve", "A=1", "A+=(x)", "export", "unset A", '"$A"', "${A[@]}", "${A:-b}", "$(("),
        *("))", "((", "$(", ")", "[[", "]]", "[", "]", "-n", "==", "&&", "||", "!", "{", "}", "|"),
        *("<<EOF", "EOF", "\n", "\n", ";", "&", "'", '"', "\\", "#", "*", "é", "\0", "f()", "%.2f"),
    ]
)


@given(st.lists(PARTS, max_size=30).map(" ".join))
@settings(max_examples=150, deadline=None)
def test_any_script_is_followed_or_refused(source: str) -> None:
    runs_of(Blob.of(source.encode()), (("A", "1"),))


@given(st.binary(max_size=200))
@settings(max_examples=80, deadline=None)
def test_any_bytes_are_followed_or_refused(data: bytes) -> None:
    runs_of(Blob.of(data), ())


def test_a_long_chain_of_variables_is_followed_in_time() -> None:
    chain = "".join(f"A{n}=$A{n + 1}\n" for n in range(6_000))
    script = read_script(Blob.of(f"{chain}A6000=$CONC\n[ $A0 -gt 1 ]\n".encode()))
    assert script
    started = time.process_time()
    assert script.branches_on("CONC")
    assert not script.branches_on("TP")
    assert time.process_time() - started < 1
