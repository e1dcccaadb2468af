"""`referee matrix` on the sample repository: tables, JSON, and every wrong input."""

import json
from pathlib import Path

import pytest

from bot import sample
from bot.cli import matrix_table
from checks.matrix.difference import Point
from checks.matrix.sweep import Sweep
from tests.bot.cli.test_check import referee
from tests.goldens import assert_golden


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample.build(tmp_path_factory.mktemp("sample") / "sample.git")


def test_the_table_of_a_revision_to_the_byte(clone: Path) -> None:
    done = referee("matrix", "--repo", clone, "--rev", "main")
    assert (done.returncode, done.stderr) == (0, "")
    assert_golden("matrix.table", done.stdout)


def test_the_effect_of_a_change_to_the_byte(clone: Path) -> None:
    done = referee("matrix", "--repo", clone, "--base", "main", "--head", sample.BRANCH)
    problem = "There is no field `dp-atn`; did you mean `dp-attn`?"
    line = f"error: configs/nvidia-master.yaml:203: {problem}\n"
    assert (done.returncode, done.stderr) == (1, line)
    assert_golden("matrix.change", done.stdout)


def test_json_is_a_sorted_list_of_rows(clone: Path) -> None:
    done = referee("matrix", "--repo", clone, "--rev", "main", "--format", "json")
    rows = json.loads(done.stdout)
    assert rows == sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))
    assert {"image", "model-prefix", "exp-name", "conc", "run-eval"} <= set(rows[0])
    again = referee("matrix", "--repo", clone, "--rev", "main", "--format", "json")
    assert again.stdout == done.stdout


def test_keys_modes_and_fingerprints(clone: Path) -> None:
    place = ("matrix", "--repo", clone, "--rev", "main", "--format", "json")
    some = json.loads(referee(*place, "--keys", "acorn-fp8-*", "--fingerprints").stdout)
    assert {row["model-prefix"] for row in some} == {"acorn"}
    assert all(len(row["recipe-fingerprint"]) == 64 for row in some)
    bare = json.loads(referee(*place, "--evals", "none").stdout)
    assert not any(row.get("run-eval") for row in bare)
    assert all(row["eval-only"] for row in json.loads(referee(*place, "--evals", "only").stdout))
    assert len(json.loads(referee(*place, "--trim").stdout)) < len(bare)


def test_the_json_of_a_change_has_jobs_and_counts(clone: Path) -> None:
    place = ("matrix", "--repo", clone, "--base", "main", "--head", sample.BRANCH)
    content = json.loads(referee(*place, "--format", "json").stdout)
    assert set(content) == {
        "schema", "base", "head", "added", "removed", "rerun", "unmeasured", "jobs", "evals",
        "runners",
    }  # fmt: skip
    jobs = sum(counts["jobs"] for counts in content["runners"].values())
    assert jobs == len(content["jobs"]) > 0
    key = content["jobs"][0]["config-key"]
    one = json.loads(referee(*place, "--format", "json", "--keys", key).stdout)
    assert {row["config-key"] for row in one["jobs"]} == {key}


@pytest.mark.parametrize("of", ["revision", "change"])
def test_what_is_wrong_with_other_config_keys_is_not_told(clone: Path, of: str) -> None:
    change = ("--base", "main", "--head", sample.BRANCH)
    place = ("matrix", "--repo", clone, *(change if of == "change" else ("--rev", sample.BRANCH)))
    every = referee(*place)
    assert every.returncode == 1
    assert every.stderr.startswith("error: configs/nvidia-master.yaml:203")
    jobs = json.loads(referee("matrix", "--repo", clone, *change, "--format", "json").stdout)[
        "jobs"
    ]
    one = referee(*place, "--keys", jobs[0]["config-key"])
    assert (one.returncode, one.stderr) == (0, "")


def test_a_policy_file_of_ones_own_says_where_the_masters_are(clone: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yml"
    policy.write_text(
        "extends: inferencex\nlayouts: {august-2026: {masters: [configs/amd-master.yaml]}}\n"
    )
    place = ("matrix", "--repo", clone, "--policy", policy)
    rows = json.loads(referee(*place, "--rev", "main", "--format", "json").stdout)
    assert {row["runner"] for row in rows} == {"mi355x", "cluster:mi455x-lab"}
    change = ("--base", "main", "--head", sample.BRANCH, "--format", "json")
    content = json.loads(referee(*place, *change).stdout)
    assert set(content["runners"]) == {"mi355x"}
    policy.write_text("extends: inferencex\nlayout: {}\n")
    done = referee(*place, "--rev", "main")
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not a policy: 2:1: There is no setting `layout`" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--rev", "nope"), "There is no revision 'nope' in this repository; fetch it first."),
        (("--rev", ""), "There is no revision '' in this repository; fetch it first."),
        (("--base", "main", "--head", ""), "There is no revision '' in this repository"),
        (("--rev", "main", "--base", "main"), "Give --rev, or --base and --head."),
        (("--base", "main", "--trim"), "Give --evals, --trim and --fingerprints without --base."),
        (("--base", "main", "--evals", "all"), "Give --evals, --trim and --fingerprints without"),
        (("--head", "main"), "Give --base REV with --head."),
        (("--keys", "acorn-fp9-b300"), "No config key is like 'acorn-fp9-b300'"),
        (("--keys", "zz*"), "No config key is like 'zz*'."),
        (("--evals", "some"), "Invalid value for '--evals': 'some' is not one of"),
    ],
)
def test_wrong_input_is_one_line_and_exit_status_two(
    clone: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    done = referee("matrix", "--repo", clone, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"referee: {sentence}")
    assert done.stderr.count("\n") == 1


def test_what_changed_is_looked_up_not_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    def counted(_: object) -> str:
        nonlocal looked
        looked += 1
        return "x"

    def points(image: str) -> tuple[Point, ...]:
        row = {"runner": "h200", "conc": 4, "image": image}
        return tuple(Point(f"{key}", {**row, "tp": key}) for key in range(200))

    monkeypatch.setattr(matrix_table, "scenario", counted)
    for name in ("parallelism", "options"):
        monkeypatch.setattr(matrix_table, name, lambda _: "x")
    monkeypatch.setattr(matrix_table, "counted", lambda _: ())
    found = Sweep(points("b"), points("a"), (), (), (), (), ())
    assert matrix_table.sweep_table(found).count(" image\n") == 200
    assert looked <= 4 * 200
