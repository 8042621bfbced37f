"""Evidence in few words: where a failed run parts from a successful one."""

from tasks.editor.compact import find_partner, first_divergence, render_divergence, render_run


def test_two_runs_part_at_the_first_different_call(make_episode, turn):
    look = turn("run_query", {"statement": "SELECT 1"}, "[(1,)]")
    lost = make_episode(1, [look, turn("hand_in", {"values": ["2"]}, "received")], won=False)
    won = make_episode(1, [look, turn("hand_in", {"values": ["1"]}, "received")], won=True)
    found = first_divergence(lost, won)
    assert len(found.common) == 1
    assert found.step_index == 1
    text = render_divergence(found)
    assert '["2"]' in text
    assert '["1"]' in text
    assert text.index('["2"]') < text.index('["1"]')


def test_a_run_that_simply_ends_parts_where_it_ends(make_episode, turn):
    look = turn("run_query", {"statement": "SELECT 1"}, "[(1,)]")
    lost = make_episode(1, [look], won=False)
    won = make_episode(1, [look, turn("hand_in", {"values": ["1"]})], won=True)
    found = first_divergence(lost, won)
    assert found.step_index is None
    assert "(nothing more)" in render_divergence(found)


def test_the_partner_is_of_the_same_task_else_of_the_family(make_episode):
    lost = make_episode(1, [], won=False)
    same, near = make_episode(1, [], won=True), make_episode(2, [], won=True)
    far = make_episode(3, [], won=True, family="other")
    assert find_partner(lost, [far, near, same]) is same
    assert find_partner(lost, [far, near]) is near
    assert find_partner(lost, [far]) is None


def test_long_runs_and_long_texts_are_shortened(make_episode, turn):
    moves = [turn("run_query", {"statement": "SELECT 1"}, "x" * 100_000) for _ in range(50)]
    text = render_run(make_episode(1, moves, won=False, text="y" * 100_000))
    assert "38 moves" in text
    assert len(text) < 12_000
