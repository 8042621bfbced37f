"""A harness around a plain `openai` loop, without await: python openai_loop.py FOLDER TASK."""

import sys

from desk import TOOLS, execute
from openai import OpenAI
from tackroom_runtime import Harness, SyncSandbox, SyncSession

with SyncSandbox() as sandbox:  # one for all episodes and threads
    harness, task, client = Harness.load(sys.argv[1]), sys.argv[2], OpenAI()
    session = SyncSession(harness, task, TOOLS, sandbox=sandbox, budget=20)
    sent = session.condition([{"role": "user", "content": task}], TOOLS)
    messages, after = sent.messages, None
    while session.remaining_steps and not (after and after.stop):
        call, message, place = after and after.forced, "", {"role": "user"}
        if call is None:  # no rule acts for the model, so it is asked
            answer = client.chat.completions.create(
                model="gpt-5-mini", messages=messages, tools=sent.tools, parallel_tool_calls=False
            )
            said = answer.choices[0].message
            asked = said.tool_calls[0] if said.tool_calls else None
            written = (asked.function.name, asked.function.arguments) if asked else (None, None)
            decision = session.before_call(*written, raw_text=said.content or "")
            if decision.kind == "none":  # no call, and no rule that found one: the answer
                print(said.content)
                break
            call, message = decision.call, decision.message
            messages.append(said.model_dump(exclude_none=True))
            place = {"role": "tool", "tool_call_id": asked.id} if asked else place
        result = execute(call) if call else message
        after = session.after_result(call, result, is_error=call is None)
        messages.append({**place, "content": after.observation})
        print(after.observation)
