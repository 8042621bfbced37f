"""Secrets go, ordinary content stays, and what was replaced once stays as it is."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.redaction import MARK, Redactor, has_secret, redact_text, redact_value

JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["api_key", "token", "key", "text", "password"]), inner)
    ),
    max_leaves=8,
)
FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *("api_key", "=", ": ", '"', "'", "\\", "sk-", "abcdefgh12345678", "Bearer ", " "),
            *("password", "https://", "a:b@", "-----BEGIN PRIVATE KEY-----", "eyJ", ".", "token"),
            *("[REDACTED]", "{", "}", ",", "\n", "Authorization"),
        ]
    ),
    max_size=12,
).map("".join)


@pytest.mark.parametrize(
    "text",
    [
        "sk-abcdefghijklmnopqrstuvwx",
        "key sk-proj-Ab3dEf6hIj9kLm2nOp5q here",
        "sk-ant-api03-AbCdEf123456_-xyz",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
        "xoxb-123456789012-abcdef",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "Authorization: Bearer abc123def456",
        "curl -H 'authorization: Basic QWxhZGRpbjpvcGVu'",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIEcut off",
        "postgres://user:hunter2@host/db",
        "OPENAI_API_KEY=abcd1234efgh5678",
        "https://x.y/v1?api_key=abcd1234efgh",
        'config = {"api_key": "SECRET-VALUE-123456"}',
        '{"note": "{\\"api_key\\": \\"SECRET-VALUE\\"}"}',
        "my password: hunter22",
        '{"token": "abcdefgh", "n": 1}',
    ],
)
def test_secrets_are_found_in_text(text):
    redacted, count = redact_text(text)
    assert count >= 1
    assert MARK in redacted
    assert redact_text(redacted) == (redacted, 0)


HEX = "0123456789abcdef" * 5
MIXED = "Ab3dEf6hIj9kLm2nOp5q" * 5


@pytest.mark.parametrize(
    "token",
    [
        *(f"{begin}{MIXED[:48]}" for begin in ("csk-", "pplx-", "tvly-", "tgp_v1_", "r8_", "fw_")),
        *(f"{begin}{MIXED[:48]}" for begin in ("lin_api_", "ntn_", "figd_", "phx_", "hvs.")),
        *(f"{begin}{MIXED[:60]}" for begin in ("ya29.", "GOCSPX-", "dckr_pat_", "ATATT3x")),
        *(f"{begin}{HEX[:32]}" for begin in ("dapi", "key-", "shpat_", "lsv2_pt_")),
        f"dop_v1_{HEX[:64]}",
        f"NRAK-{MIXED[:27].upper()}",
        f"AGE-SECRET-KEY-1{MIXED[:58].upper()}",
        f"1234567890:AA{MIXED[:33]}",
        f"https://hooks.slack.com/services/T{MIXED[:8]}/B{MIXED[:9]}/{MIXED[:24]}",
        f"https://discord.com/api/webhooks/1234567890/{MIXED[:60]}",
        f"export SLACK_BOT_TOKEN={MIXED[:30]}",
        f"curl -H 'Cookie: theme=dark; session={MIXED[:40]}' x",
        f"https://a.b/c?sv=2022&sig={MIXED[:43]}%3D",
        f"https://a.b/c?X-Amz-Signature={HEX[:64]}&n=1",
    ],
)
def test_tokens_of_many_issuers_are_found(token):
    redacted, count = redact_text(f"it says {token} here")
    assert (count, MARK in redacted) == (1, True)
    assert not any(body in redacted for body in (MIXED[:20], HEX[:20], MIXED[:20].upper()))
    assert redact_text(redacted) == (redacted, 0)


@pytest.mark.parametrize(
    "text",
    [
        f"chatcmpl-{MIXED[:29]} call_{MIXED[:24]} toolu_01{MIXED[:22]} msg_{HEX[:48]} {HEX[:40]}",
        f"https://x.y/list?page_token={MIXED[:30]}&cache_key={HEX[:32]}&id={HEX[:32]}",
        "session=requests_session_with_2_retries.get(url, auth=make_authentication_v2(user))",
        "ratio 10:AAA, key-value, fw_version, sk-learn, r8_unorm, ntn_layer, a.hvs.b",
        "I lost the key to my house and my password",
        "max_tokens: 4096, prompt_tokens=12",
        "This token is a token of appreciation: keep it",
        "bearer authentication required; basic economy 2024",
        "password: required, at least 8",
        "the risk-averse task-manager-with-a-long-name",
        "see https://example.com/a:b@c and mailto:x@y.z",
        "credit_card_4421486 certificate_7504069 reservation M05KNL",
        "user aarav_garcia_1177 #W2378156 1008292230",
        "api_key=os.environ['KEY']",
        "authorization: required by the airline",
        '{"type": "object", "properties": {"password": {"type": "string"}}}',
        "[REDACTED]",
        "",
    ],
)
def test_ordinary_text_stays(text):
    assert redact_text(text) == (text, 0)


@pytest.mark.parametrize(
    "name",
    ["api_key", "apiKey", "X-Api-Key", "OPENAI_API_KEY", "Authorization", "client_secret", "pwd"],
)
def test_a_value_is_a_secret_by_its_name(name):
    assert redact_value({name: "x1"}) == ({name: MARK}, 1)
    assert redact_value({"a": [{name: ["x1", "y2"]}]})[1] == 2


@pytest.mark.parametrize(
    "member",
    [
        {"max_tokens": 5, "tokens": "abc", "token_ids": [1, 2], "total_tokens": "many"},
        {"payment_id": "credit_card_4421486", "key": "value", "session": "morning"},
        {"next_page_token": "a8F3kd93Lqpz0Zx8mQ2w", "tokenizer": "cl100k_base"},
        {"api_key": None, "password": "", "secret": True, "token": 7},
        {"password": {"type": "string"}, "required": ["api_key"], "api_key_env": "OPENAI_API_KEY"},
        {"author": "x", "keyboard": "clicky a8F3kd93Lqpz0Zx8mQ2w"},
    ],
)
def test_harmless_members_stay(member):
    assert redact_value(member) == (member, 0)


def test_a_random_value_under_a_hint_is_a_secret():
    value, count = redact_value({"hf_key": "a8F3kd93Lqpz0Zx8mQ2w", "session_key": "blue-monday"})
    assert (value, count) == ({"hf_key": MARK, "session_key": "blue-monday"}, 1)


def test_a_value_found_under_a_name_is_replaced_in_later_text():
    redactor = Redactor()
    redactor.value({"api_key": "SECRET-VALUE-123456"})
    assert redactor.text("boom: SECRET-VALUE-123456!") == f"boom: {MARK}!"
    assert redactor.count == 2


def test_a_plain_word_under_a_name_does_not_spread():
    redactor = Redactor()
    redactor.value({"authorization": "transaction_id"})
    assert redactor.text("the transaction_id is 5") == "the transaction_id is 5"


def test_raw_arguments_and_parsed_arguments_are_redacted_alike():
    arguments = {"token": "tok-12345678", "q": "x"}
    raw, _ = redact_text(json.dumps(arguments))
    assert json.loads(raw) == redact_value(arguments)[0]


def test_keys_are_texts_too():
    value, count = redact_value({"ghp_abcdefghijklmnop1234": 1})
    assert (value, count) == ({MARK: 1}, 1)


@given(JSON)
def test_redacting_twice_changes_nothing_in_values(value):
    once, _ = redact_value(value)
    assert redact_value(once) == (once, 0)
    assert not has_secret(once)


@given(FRAGMENTS)
def test_redacting_twice_changes_nothing_in_texts(text):
    once, _ = redact_text(text)
    assert redact_text(once) == (once, 0)


@pytest.mark.parametrize(
    "part",
    ["api_key", "a.b-c+", "sk-a-", "://a:", "-----BEGIN PRIVATE KEY-----", 'password="', "eyJ."],
)
def test_hostile_text_takes_linear_time(part):
    text = part * (500_000 // len(part))
    start = time.perf_counter()
    redact_text(text)
    assert time.perf_counter() - start < 5
