"""A problem under other names: other kinds and brands, other item numbers.

Names come from pools that no task of any split draws. Features, options and prices stay, so the
same steps solve it.
"""

import random
import re
from dataclasses import replace

from tasks.environments.webshop.catalogue import Product
from tasks.environments.webshop.goods import SKINS
from tasks.environments.webshop.problems import NAME, Problem

_NAME = re.compile(rf"\b(?:{'|'.join(map(re.escape, SKINS))})\b")


def reskin_problem(problem: Problem, skin: int) -> Problem:
    """The same problem under the names of a skin; no name and no number is kept."""
    rng = random.Random(f"{NAME}/skin/{skin}/{problem.task.task_id}")
    olds = [one.number for one in problem.catalogue]
    fresh = [number for number in rng.sample(range(10_000, 100_000), 40) if number not in olds]
    numbers = dict(zip(olds, fresh, strict=False))
    return replace(
        problem,
        task=replace(problem.task, text=_renamed(problem.task.text), skin=skin),
        goal=replace(problem.goal, query=_renamed(problem.goal.query)),
        catalogue=tuple(_reskinned(one, numbers) for one in problem.catalogue),
        target=numbers[problem.target],
        twin=numbers[problem.twin],
    )


def _reskinned(product: Product, numbers: dict[int, int]) -> Product:
    return replace(product, number=numbers[product.number], title=_renamed(product.title))


def _renamed(text: str) -> str:
    return _NAME.sub(lambda match: SKINS[match.group()], text)
