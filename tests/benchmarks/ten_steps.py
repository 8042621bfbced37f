"""A world for measuring: BENCH_EPISODES tasks of CALLS calls each, every call of the same shape."""

import os

CALLS = 10
SPLITS = ("train", "select", "sealed")
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class World:
    def __init__(self) -> None:
        self.steps: list[int] = []

    def act(self, call):
        self.steps.append(call.arguments["n"])
        text = f"Step {len(self.steps)} of {CALLS} is done; nothing else has changed."
        return {"observation": text, "done": len(self.steps) == CALLS}

    def verdict(self):
        return self.steps == list(range(CALLS))


class TenSteps:
    name = "ten_steps"
    fingerprint = "ten-steps-1"
    system_prompt = "You do the steps of a task one after the other."
    step_budget = 2 * CALLS
    tools = [{"name": "step", "description": "Do step n.", "parameters": NUMBER}]  # noqa: RUF012

    def tasks(self):
        episodes = int(os.environ.get("BENCH_EPISODES", "512"))
        return [
            {"task_id": f"ten_steps/all/{n}", "text": f"Do all steps of {n}.", "split": "train"}
            for n in range(episodes)
        ] + [
            {"task_id": f"ten_steps/all/{split}", "text": "Do all steps.", "split": split}
            for split in SPLITS[1:]
        ]

    def start(self, task, seed):
        return World()


def make():
    return TenSteps()
