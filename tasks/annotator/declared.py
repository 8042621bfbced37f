"""Declared profile of the tau airline desk: what its published policy states beyond its tools.

The only place that knows an imported environment by name. Methods C.2 asks for contract tables
per environment; they hold preconditions over records that tools have shown, never phrases of a
conversation. Environments that do not stand here work by inference alone.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from schemas.episode import Episode
from tasks.annotator.profile import EnvironmentProfile, Precondition, profile_of_episodes
from tasks.annotator.records import Records

_NOW = re.compile(r"current time is (\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})")
_DAY = timedelta(hours=24)
Arguments = Mapping[str, Any]


def imported_profile(environment: str, episodes: Sequence[Episode]) -> EnvironmentProfile:
    """Profile of an imported environment: inferred, with declared preconditions where known."""
    profile = profile_of_episodes(environment, episodes)
    if environment in ("tau_bench_airline", "tau2_airline"):
        return replace(profile, preconditions=_AIRLINE)
    return profile


def _time(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text)[:16]).replace(tzinfo=None)
    except ValueError:
        return None


def _now(records: Records) -> datetime | None:
    found = _NOW.search(records.policy_text)
    return _time(f"{found.group(1)}T{found.group(2)}") if found else None


def _segments(record: Arguments) -> list[Arguments]:
    flights = record.get("flights")
    return [item for item in flights if isinstance(item, dict)] if isinstance(flights, list) else []


def _is_flown(record: Arguments, now: datetime | None) -> bool:
    dates = [_time(f"{item.get('date')}T00:00") for item in _segments(record)]
    return now is not None and any(d is not None and d.date() < now.date() for d in dates)


def _cancel(arguments: Arguments, records: Records) -> str | None:
    """Within 24 hours, airline cancelled, business, or insured; never when partly flown."""
    record = records.of("reservation_id", arguments.get("reservation_id"))
    now = _now(records)
    if record is None or now is None:
        return None
    if _is_flown(record, now):
        return "flown"
    created = _time(record.get("created_at"))
    is_fresh = created is not None and now - created <= _DAY
    is_insured = str(record.get("insurance")).lower() in ("yes", "true")
    is_allowed = record.get("cabin") == "business" or is_insured or is_fresh
    return None if is_allowed or records.mentions('cancelled"') else "not_cancellable"


def _numbers(record: Arguments) -> list[tuple[str, str]]:
    return sorted((str(f.get("flight_number")), str(f.get("date"))) for f in _segments(record))


def _change_flights(arguments: Arguments, records: Records) -> str | None:
    """Basic economy keeps its flights; origin, destination and trip type stay; none flown."""
    record = records.of("reservation_id", arguments.get("reservation_id"))
    if record is None or not _segments(arguments) or _numbers(arguments) == _numbers(record):
        return None
    if record.get("cabin") == "basic_economy":
        return "basic_economy"
    if _is_flown(record, _now(records)):
        return "flown"
    ends = [records.of("flight_number", f.get("flight_number")) or f for f in _segments(arguments)]
    first, last = ends[0].get("origin"), ends[-1].get("destination")
    is_round = record.get("flight_type") == "round_trip"
    home = record.get("origin") if is_round else record.get("destination")
    changed = (first and first != record.get("origin")) or (last and last != home)
    return "other_route" if changed else None


_AIRLINE = (
    Precondition("cancel_reservation", _cancel),
    Precondition("update_reservation_flights", _change_flights),
)
