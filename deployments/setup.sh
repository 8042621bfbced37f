#!/bin/sh
# Make the virtual environment and install the pinned packages and the project into it.
set -eu

is_usable() {
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' >/dev/null 2>&1
}

if [ ! -x "$VENV/bin/python" ]; then
    # A name on the path may be a shim without an interpreter behind it, so each is tried.
    for candidate in ${PYTHON:-python3.13 python3.12 python3.11 python3.14 python3 python}; do
        if is_usable "$candidate"; then
            found=$candidate
            break
        fi
    done
    if [ -z "${found:-}" ]; then
        echo "setup: Python 3.11 to 3.14 is needed; call: make setup PYTHON=/path/to/python3.12" >&2
        exit 1
    fi
    echo "setup: making $VENV with $("$found" --version)" >&2
    "$found" -m venv "$VENV"
fi
if command -v uv >/dev/null 2>&1; then
    uv pip install --quiet --compile-bytecode --python "$VENV/bin/python" --requirements requirements.lock
    uv pip install --quiet --python "$VENV/bin/python" --no-deps --editable .
else
    "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
    "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --editable .
fi
echo "setup: ready" >&2
