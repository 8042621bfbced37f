"""A document as one self-contained HTML page: no script, no request, everything escaped."""

import base64
import hashlib
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from tasks.presentation.cutting import visible
from tasks.presentation.document import Document

_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{}'"


def render_page(document: Document) -> str:
    """Render a document as a page that may hold hostile text."""
    environment = _environment()
    style = environment.get_template("page.css").render()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template("page.html.j2").render(
        document=document, style=style, policy=_POLICY.format(digest)
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("tasks.presentation"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters["visible"] = visible
    environment.filters["kind"] = lambda block: type(block).__name__
    return environment
