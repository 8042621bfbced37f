#!/bin/sh
# Make the virtual environment and install the pinned packages and the project into it.
set -eu

if ! "$PYTHON" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null; then
    echo "setup: Python 3.11 to 3.14 is needed; '$PYTHON' is not one. Call: make setup PYTHON=/path/to/python3.12" >&2
    exit 1
fi
if [ ! -x "$VENV/bin/python" ]; then
    echo "setup: making $VENV with $("$PYTHON" --version)" >&2
    "$PYTHON" -m venv "$VENV"
fi
if command -v uv >/dev/null 2>&1; then
    uv pip install --quiet --compile-bytecode --python "$VENV/bin/python" --requirements requirements.lock
    uv pip install --quiet --python "$VENV/bin/python" --no-deps --editable .
else
    "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
    "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --editable .
fi
echo "setup: ready" >&2
