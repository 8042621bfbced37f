"""The source of our own modules, hashed: stored results hold only for the code that made them."""

import pkgutil
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

from schemas.ids import sha256_hex


def source_hash(*names: str) -> str:
    """Hash the source of modules, and of all modules of packages; nothing of it is run."""
    return sha256_hex("\n".join(_hash_one(name) for name in names))


def _hash_one(name: str) -> str:
    spec = find_spec(name)
    folders = list(spec.submodule_search_locations or []) if spec else []
    found = {name: _source(spec)}
    for one in pkgutil.iter_modules(folders, f"{name}."):
        finder = one.module_finder
        found[one.name] = _source(finder.find_spec(one.name, None))
    return sha256_hex("\n".join(f"{name}\n{found[name]}" for name in sorted(found)))


def _source(spec: ModuleSpec | None) -> str:
    get = getattr(spec.loader, "get_source", None) if spec else None
    text = get(spec.name) if get and spec else None
    return "\n".join((text or "").splitlines())
