"""The gate lets no useless and no harmful edit through, and says why."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]


@pytest.mark.parametrize("editor", ["null", "harmful"])
def test_no_decoy_is_accepted_and_none_waits_for_a_slot(make_command_line, server, editor):
    command = make_command_line(f"decoy-{editor}", server)
    arguments = ("cycle", "--editor", editor, "--slots", "20", "--rounds", "1", "--json")
    edits = command(*arguments, timeout=900).json["edits"]
    assert edits["proposed"] == 20
    assert edits["accepted"] == 0
    assert sum(edits["by_reason"].values()) == 20
    assert not edits["by_reason"].keys() & {"no_slot", "evidence"}
    layers = command.sql("SELECT DISTINCT layer FROM edits ORDER BY layer")
    assert [row["layer"] for row in layers] == ["actions", "contract", "regulation", "skills"]


def test_a_null_proposer_of_sixty_candidates_gets_one_in_at_most_where_replies_vary(
    make_command_line, server
):
    accepted = proposed = 0
    for seed in ("1", "2", "3"):
        command = make_command_line(f"null-{seed}", server)
        arguments = ("cycle", "--editor", "null", "--slots", "20", "--rounds", "1", "--seed", seed)
        model = ("--model", "simulated:mid?temperature=0.7", "--tasks", "60", "--json")
        edits = command(*arguments, *model, timeout=900).json["edits"]
        accepted, proposed = accepted + edits["accepted"], proposed + edits["proposed"]
        [noise] = command.sql(
            "SELECT count(*) AS pairs, (SELECT count(DISTINCT flip_rate) FROM gate_decisions) "
            "AS rates FROM paired_trials WHERE purpose = 'noise'"
        )
        assert noise["pairs"] > 0
        assert noise["rates"] == 1
    assert proposed == 60
    assert accepted <= 1
