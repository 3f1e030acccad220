"""What `import`, `evaluate` and `score --json` give for public runs, against the numbers pyndeval gives for them."""

from __future__ import annotations

import json

import pytest

from core.cli import main

_NAMES = {"alpha-nDCG": "alpha_ndcg", "strec": "subtopic_recall"}


def test_public_rankings_get_the_numbers_of_pyndeval_on_the_command_line(home, shared, capsys):
    folder = shared / "coverage" / "lancer_neuclir24"
    expected = json.loads((folder / "expected.json").read_text())["neuclir24"]
    assert main(["import", str(folder), "--collection", "lancer"]) == 0
    assert main(["evaluate", "lancer", "--relations", "none"]) == 0
    capsys.readouterr()
    assert main(["runs", "--json"]) == 0
    run = json.loads(capsys.readouterr().out)[0]["id"]
    assert main(["score", run, "--json"]) == 0
    found = {c["label"]: c for c in json.loads(capsys.readouterr().out)["coverage"]["configurations"]}
    systems = {
        "bm25-neuclir.run": "bm25",
        "lsr-milco-neuclir.run": "lsr-neuclir",
        "plaidx-neuclir.run": "plaidx-neuclir",
    }
    assert set(expected) == set(systems)
    for file, values in expected.items():
        for name, value in values.items():
            measure, _, k = name.partition("@")
            scored = found[systems[file]][f"{_NAMES[measure]}@{k}"]
            assert scored["value"] == pytest.approx(value, abs=1e-6), (file, name)
            assert scored["n_scored"] == 19
            assert scored["low"] < value < scored["high"]
