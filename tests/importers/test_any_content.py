"""No content, however mutated, makes an import fail with anything but a refusal."""

import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.ids import make_id
from tasks.importers.draft import ReadOptions
from tasks.importers.engine import import_files
from tasks.importers.results import ImportedEpisode

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.just(10**30),
    st.just(float("nan")),
    st.just(-1e308),
    st.text(max_size=6),
    st.just("\ud800"),
    st.just([]),
    st.just({}),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.sampled_from(["role", "id", "name", "text"]), st.text(max_size=3)),
)
QUIET = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def _places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _places(item, (*path, at))


def _replace(value, path, new):
    if not path:
        return new
    holder = value
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = new
    return value


def _import(text: str, **options):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return import_files(
            [path],
            harness_of=lambda name: make_id("harn", name),
            now=datetime(2026, 1, 1, tzinfo=UTC),
            options=ReadOptions(**options),
        )


def _check(result):
    row = result.reports[0].row
    whole_file = row.source_format == "unknown"
    assert row.episodes + whole_file == row.imported + row.duplicates + row.refused
    assert row.imported == len(result.episodes)
    for episode in result.episodes:
        for made in ImportedEpisode(episode, result.tasks[0], result.tasks).rows():
            type(made).model_validate_json(made.model_dump_json()).model_dump_json().encode()


@QUIET
@given(st.data())
def test_mutated_tau_bench_episodes(tau_episode, data):
    content = [tau_episode(), tau_episode(trial=1)]
    path = data.draw(st.sampled_from(list(_places(content))))
    mutated = _replace(copy.deepcopy(content), path, data.draw(VALUES))
    _check(_import(json.dumps(mutated)))


@QUIET
@given(st.data())
def test_mutated_tau2_files(tau2_file, simulation, data):
    content = tau2_file(simulation(), simulation(id="b", trial=1))
    for _ in range(2):
        path = data.draw(st.sampled_from(list(_places(content))))
        content = _replace(copy.deepcopy(content), path, data.draw(VALUES))
    _check(_import(json.dumps(content), pair_tasks_by_index=True))


@QUIET
@given(st.data())
def test_cut_and_spliced_texts(tau_episode, data):
    text = json.dumps([tau_episode(), tau_episode(trial=1), tau_episode(trial=2)])
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    junk = data.draw(st.text(alphabet='{}[]",:\\\x00a', max_size=4))
    _check(_import(text[:start] + junk + text[end:]))
