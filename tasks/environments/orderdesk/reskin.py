"""A problem under other names: other people, other products, other numbers.

Names come from pools that no task of any split draws, numbers are moved; both in the books, in what
the customer says and in the calls alike, so that the same steps solve it.
"""

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace

from schemas.ids import canonical_json
from tasks.agent.protocols import Call
from tasks.environments.orderdesk.families import Wish
from tasks.environments.orderdesk.goods import SKINS
from tasks.environments.orderdesk.problems import NAME, Problem, gold_books

_NAMED = {**SKINS, **{old.lower(): new.lower() for old, new in SKINS.items()}}
_NAME = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(map(re.escape, _NAMED))})(?![A-Za-z])")
_NUMBER = re.compile(r"(?P<mark>#W|TR|P|C|card_|\b)(?P<digits>\d{5,8})\b")
"""Numbers that name something; amounts and days are shorter."""

Rename = Callable[[str], str]


def reskin_problem(problem: Problem, skin: int) -> Problem:
    """The same problem under the names of a skin; no name and no number is kept."""
    rename = _renamer(problem, skin)
    books = json.loads(rename(canonical_json(problem.books)))
    call = _renamed(problem.call, rename)
    wish = {name: rename(value) for name, value in vars(problem.wish).items()}
    return replace(
        problem,
        task=replace(problem.task, text=rename(problem.task.text), skin=skin),
        wish=Wish(**wish),
        books=books,
        gold=gold_books(books, call),
        call=call,
        guess=_renamed(problem.guess, rename),
        wrong=_renamed(problem.wrong, rename),
        answer=rename(problem.answer),
        orders=tuple(map(rename, problem.orders)),
        product_id=rename(problem.product_id),
    )


def _renamer(problem: Problem, skin: int) -> Rename:
    """Moves the digits of every number that names something, and replaces names."""
    step = random.Random(f"{NAME}/skin/{skin}/{problem.task.task_id}").randrange(1, 9)

    def number(match: re.Match[str]) -> str:
        first, *rest = match["digits"]
        moved = str(1 + (int(first) - 1 + step) % 9)
        return match["mark"] + moved + "".join(str((int(one) + step) % 10) for one in rest)

    def rename(text: str) -> str:
        named = _NAME.sub(lambda match: _NAMED[match.group()], text)
        return _NUMBER.sub(number, named)

    return rename


def _renamed(call: Call | None, rename: Rename) -> Call | None:
    if call is None:
        return None
    return Call(call.tool, json.loads(rename(json.dumps(call.arguments))))
