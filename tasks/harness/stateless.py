"""Whether a rule file can keep anything from one call to the next, told from its syntax tree.

A file that passes can be called many times in one sandbox feed with the results of as many
fresh feeds, as long as the lists and dicts it keeps at the top level stay as they were, which
the driver looks after. The test errs on the safe side: a file that fails is only slower.
"""

import ast

_SAFE_CALLS = frozenset({"frozenset", "tuple", "compile"})
_STATEFUL_MODULES = frozenset({"random", "os", "sys", "time"})
_REFLECTION = frozenset({"exec", "eval", "setattr", "getattr", "vars", "globals", "locals", "id"})


def is_stateless(tree: ast.Module) -> bool:
    """Tell whether module state cannot change through calls of the file's functions."""
    return all(_is_harmless(node) for node in tree.body) and not any(
        _leaves_traces(node) for node in ast.walk(tree)
    )


def _is_harmless(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return node.value is None or _is_constant(node.value) or _is_display(node.value)
    if isinstance(node, ast.FunctionDef):
        defaults = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
        return not node.decorator_list and all(_is_constant(default) for default in defaults)
    return isinstance(node, ast.Import | ast.ImportFrom | ast.Expr)


def tracked_names(tree: ast.Module) -> tuple[str, ...]:
    """Name the lists, dicts and sets at the top level, whose content a call could change."""
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and _is_display(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [target.id for target in targets if isinstance(target, ast.Name)]
    return tuple(found)


def _is_display(node: ast.expr | None) -> bool:
    if isinstance(node, ast.List | ast.Set | ast.Tuple):
        return all(_is_constant(item) or _is_display(item) for item in node.elts)
    if isinstance(node, ast.Dict):
        keys = all(key is not None and _is_constant(key) for key in node.keys)
        return keys and all(_is_constant(item) or _is_display(item) for item in node.values)
    return False


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return all(_is_constant(item) for item in node.elts)
    if isinstance(node, ast.UnaryOp):
        return _is_constant(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_constant(node.left) and _is_constant(node.right)
    if isinstance(node, ast.Call):
        return _is_safe_call(node)
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.Attribute) and node.attr.isupper()
    )


def _is_safe_call(node: ast.Call) -> bool:
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in _SAFE_CALLS and all(_is_safe_argument(argument) for argument in node.args)


def _is_safe_argument(node: ast.expr) -> bool:
    if isinstance(node, ast.List | ast.Set):
        return all(_is_constant(item) for item in node.elts)
    return _is_constant(node)


def _leaves_traces(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.split(".")[0] in _STATEFUL_MODULES for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").split(".")[0] in _STATEFUL_MODULES
    if isinstance(node, ast.Attribute):
        return isinstance(node.ctx, ast.Store | ast.Del)
    if isinstance(node, ast.Name):
        return node.id in _REFLECTION
    return isinstance(node, ast.Global | ast.Nonlocal)
