"""An evaluation as people see it: terminal, page, report; and the inventory of components."""

import json
from datetime import UTC, datetime

import pytest

from schemas.errors import ConfigError
from schemas.evaluation import EvaluationCardRow
from schemas.evaluation_forms import EvaluateForm
from schemas.ids import canonical_json, make_id
from tasks.evaluation import evaluate
from tasks.presentation.chart import Gain, draw_gains
from tasks.presentation.evaluation import show_evaluation
from tasks.presentation.page import render_page
from tasks.presentation.terminal import render_terminal

CARD = make_id("card", 1)


@pytest.fixture
def record(compared):
    """A made-up evaluation of two models, one of them with a hostile name."""
    contrasts, summaries, cells = compared({"<b>m</b>\x1b[31m": (20, 30), "n": (0, 4)})
    told = [row.model_dump(mode="json") for row in cells]
    for cell in told:
        cell |= {name: json.loads(cell[name]) for name in ("pass_hat", "by_trial")}
    return {
        "card_id": CARD,
        "protocol": "grid",
        "simulated": False,
        "cells": told,
        "contrasts": [row.model_dump(mode="json") for row in contrasts],
        "summaries": [row.model_dump(mode="json") for row in summaries],
        "card": {
            "cells": 4,
            "episodes": 160,
            "created_at": "2026-01-01T00:00:00Z",
            "release": "1",
            "loops": ["tool_call"],
            "trials": 1,
            "step_budgets": {"desk": 12},
            "noise": {"desk": "a model judges"},
            "seed": 7,
            "source": "",
            "cycles": [],
            "pools": [
                {"environment": "desk", "split": "select", "raw": 240, "used": 40, "held_out": 200}
            ],
            "models": [
                {"model": "n", "simulated": False, "sampling": {}, "fingerprint": "model_1"}
            ],
            "harnesses": [
                {
                    "harness_id": "harn_1",
                    "environment": "desk",
                    "word": "seed",
                    "layers": ["skills"],
                }
            ],
            "faults": 2,
        },
    }


def test_a_terminal_shows_numbers_with_intervals_and_reasons_for_missing_ones(record):
    text = render_terminal(show_evaluation(record), color=False)
    assert "+25.0 (+" in text
    assert "base is 0" in text
    assert "2 episodes ended by infrastructure are left out" in text
    assert "\x1b" not in text
    assert "240" in text
    assert "a model judges" in text


def test_a_page_draws_the_differences_and_escapes_names(record):
    page = render_page(show_evaluation(record))
    assert page.count('class="whisker"') == 2
    assert "<b>m</b>" not in page
    assert "&lt;b&gt;m&lt;/b&gt;" in page


def test_a_gain_lies_right_of_a_loss_and_inside_its_interval():
    chart = draw_gains("t", [Gain("a", 0.2, 0.1, 0.4), Gain("b", -0.3, -0.5, 0.0)])
    up, down = chart.gains
    assert down.x < up.x
    assert up.x_lo < up.x < up.x_hi
    zero = next(x for x, text in chart.ticks if text == "+0")
    assert down.x_hi == zero < up.x_lo


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"source": "simulated:strong"}, "none of the models"),
        ({"source": "simulated:weak"}, "one harness has none"),
        ({"loops": ["raect"]}, "did you mean `react`"),
        ({"harnesses": ["harn_0000000000000000"]}, "harn_0000000000000000"),
        ({"agent": "command:true", "loops": ["react"]}, "both bring a loop"),
    ],
)
def test_a_matrix_that_makes_no_sense_is_refused_before_any_rollout(
    tmp_path, monkeypatch, values, words
):
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    with pytest.raises(ConfigError, match=words):
        evaluate(EvaluateForm.model_validate(values))


def test_a_stored_card_is_found_by_its_start(tmp_path, monkeypatch, compared, capsys):
    from deployments.cli import run
    from warehouse.batch import insert_rows
    from warehouse.database import open_database
    from warehouse.store import Warehouse

    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    contrasts, summaries, cells = compared({"m": (20, 30)})
    keys = [[cell.environment, cell.model, cell.harness_id, cell.split] for cell in cells]
    card = EvaluationCardRow(
        card_id=CARD,
        inputs_id="inputs_1",
        protocol="grid",
        simulated=False,
        models="[]",
        harnesses="[]",
        loops='["tool_call"]',
        pools="[]",
        step_budgets="{}",
        noise="{}",
        trials=1,
        seed=7,
        source="",
        cycles="[]",
        cells=2,
        episodes=80,
        faults=0,
        inputs=canonical_json({"cells": keys}),
        release="1",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    store = Warehouse(tmp_path / "home")
    with open_database(store.paths.live, read_only=False) as connection:
        insert_rows(connection, [*cells, *contrasts, *summaries, card])
    store.publish()
    assert run(["show", CARD[:9], "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [row["harness_id"] for row in shown["cells"]] == [key[2] for key in keys]
    assert shown["contrasts"][0]["delta"] == pytest.approx(0.25)
    assert run(["show", CARD, "--html", str(tmp_path / "card.html")]) == 0
    assert "Evaluation card" in (tmp_path / "card.html").read_text()
