"""Agent loops around a model: native calls, ReAct, plan and execute, Reflexion."""
