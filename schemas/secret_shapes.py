"""Shapes of secrets that are known by themselves, whatever stands around them.

Each is what an issuer documents: a mark, which every such secret holds and which is looked for
first because it is cheap, and the pattern. Patterns ask for the length and, where a mark is also
the beginning of ordinary words, for a digit, so that names such as `sk-learn` stay.
"""

import re

_DIGIT = r"(?=[A-Za-z_-]{0,60}\d)"

_TOKENS = (
    (
        "sk-",
        r"sk-(?:[A-Za-z0-9]{1,12}-){0,3}"
        r"(?:(?=[A-Za-z_]{0,40}\d)[A-Za-z0-9_]{8,}|[A-Za-z0-9_]{16,})[A-Za-z0-9_-]*",
    ),
    *((f"k_{kind}", rf"[srp]k_{kind}_[A-Za-z0-9]{{12,}}") for kind in ("live", "test")),
    *((f"a{kind}", rf"A{kind.upper()}[A-Z0-9]{{16}}(?![A-Za-z0-9])") for kind in ("kia", "sia")),
    *((f"gh{kind}_", rf"gh{kind}_[A-Za-z0-9]{{16,}}") for kind in "pousr"),
    ("github_pat_", r"github_pat_[A-Za-z0-9_]{20,}"),
    ("glpat-", r"glpat-[A-Za-z0-9_-]{16,}"),
    ("xox", r"xox[abeprs]-[A-Za-z0-9-]{8,}"),
    ("xapp-", r"xapp-[A-Za-z0-9-]{16,}"),
    ("hooks.slack.com", r"hooks\.slack\.com/[a-z]{4,12}/[A-Za-z0-9/_-]{20,}"),
    ("/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d+/[A-Za-z0-9_-]{20,}"),
    (":aa", r"\d{8,12}:AA[A-Za-z0-9_-]{30,}"),
    ("aiza", r"AIza[A-Za-z0-9_-]{30,}"),
    ("ya29.", r"ya29\.[A-Za-z0-9_-]{20,}"),
    ("gocspx-", r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    ("hf_", r"hf_[A-Za-z0-9]{20,}"),
    ("npm_", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi-", r"pypi-[A-Za-z0-9_-]{30,}"),
    ("dckr_pat_", r"dckr_pat_[A-Za-z0-9_-]{20,}"),
    ("gsk_", r"gsk_[A-Za-z0-9]{20,}"),
    ("csk-", rf"csk-{_DIGIT}[A-Za-z0-9]{{24,}}"),
    ("xai-", r"xai-[A-Za-z0-9]{20,}"),
    ("nvapi-", r"nvapi-[A-Za-z0-9_-]{20,}"),
    ("pplx-", rf"pplx-{_DIGIT}[A-Za-z0-9]{{24,}}"),
    ("tvly-", rf"tvly-{_DIGIT}[A-Za-z0-9-]{{20,}}"),
    ("tgp_v1_", r"tgp_v1_[A-Za-z0-9_-]{30,}"),
    ("r8_", r"r8_[A-Za-z0-9]{30,}"),
    ("fw_", rf"fw_{_DIGIT}[A-Za-z0-9]{{20,}}"),
    ("lsv2_", r"lsv2_(?:pt|sk)_[a-z0-9]{20,}(?:_[a-z0-9]+)?"),
    ("dapi", r"dapi[0-9a-f]{32}(?:-\d+)?(?![A-Za-z0-9])"),
    *((f"do{kind}_v1_", rf"do{kind}_v1_[0-9a-f]{{40,}}") for kind in "opr"),
    *((f"shp{kind}_", rf"shp{kind}_[A-Fa-f0-9]{{32}}") for kind in ("at", "ca", "pa", "ss")),
    ("lin_api_", r"lin_api_[A-Za-z0-9]{30,}"),
    ("ntn_", r"ntn_[A-Za-z0-9]{40,}"),
    ("figd_", r"figd_[A-Za-z0-9_-]{30,}"),
    ("phx_", r"phx_[A-Za-z0-9]{30,}"),
    ("nrak-", r"NRAK-[A-Z0-9]{20,}"),
    ("atatt3x", r"ATATT3x[A-Za-z0-9_=-]{40,}"),
    ("key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    *((f"hv{kind}.", rf"hv{kind}\.[A-Za-z0-9_-]{{24,}}") for kind in "sb"),
    ("age-secret-key-", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    ("sg.", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("eyj", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}"),
)
MARKS = tuple(mark for mark, _ in _TOKENS)
"""Small letters; a text without any of them holds no such secret."""
TOKEN = re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(pattern for _, pattern in _TOKENS)})")
