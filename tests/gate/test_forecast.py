from tasks.gate.forecast import ALL, Foretold, Seen, score_forecasts


def scores(seen, foretold):
    return {(one.editor, one.forecaster, one.kind): one for one in score_forecasts(seen, foretold)}


def test_precision_and_recall_count_tasks_of_edits_that_were_run():
    seen = [
        Seen("e1", "rules", "a", 1.0, 0.0),
        Seen("e1", "rules", "b", 1.0, 1.0),
        Seen("e1", "rules", "c", 0.0, 1.0),
        Seen("e2", "harmful", "a", 1.0, 0.0),
    ]
    foretold = [
        Foretold("e1", "a", "risk", "replay"),
        Foretold("e1", "b", "risk", "replay"),
        Foretold("e1", "c", "touch", "replay"),
        Foretold("e1", "never run", "risk", "replay"),
        Foretold("e3", "a", "risk", "replay"),
    ]
    found = scores(seen, foretold)
    everything = found[ALL, "replay", "regression"]
    assert (everything.foretold, everything.happened, everything.hits) == (2, 2, 1)
    assert (everything.precision, everything.recall) == (0.5, 0.5)
    assert found["rules", "replay", "regression"].recall == 1
    assert found["harmful", "replay", "regression"].recall == 0
    assert found["rules", "replay", "fix"].precision == 1


def test_shares_of_nothing_are_null():
    found = scores([Seen("e", "rules", "a", 1.0, 1.0)], [Foretold("e", "a", "fix", "editor")])
    fix, regression = found["rules", "editor", "fix"], found["rules", "editor", "regression"]
    assert (fix.precision, fix.recall) == (0, None)
    assert (regression.precision, regression.recall) == (None, None)


def test_forecasters_are_scored_apart():
    seen = [Seen("e", "rules", "a", 1.0, 0.0)]
    foretold = [Foretold("e", "a", "risk", "editor"), Foretold("e", "b", "risk", "replay")]
    found = scores(seen, foretold)
    assert found[ALL, "editor", "regression"].recall == 1
    assert found[ALL, "replay", "regression"].recall == 0
