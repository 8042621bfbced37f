"""A person starts a cycle with the form's Run button in a browser."""

import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytestmark = [pytest.mark.live_ui, pytest.mark.timeout(500)]
CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LOOPBACK = {"127.0.0.1", "localhost"}
PATIENCE_MS = 60_000


@pytest.fixture
def page():
    """A page that can reach loopback only."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM.exists():
        pytest.skip(f"no Chromium at {CHROMIUM}: apt-get install chromium, or set CHROMIUM")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(PATIENCE_MS)
        page.route("**/*", keep_to_loopback)
        yield page
        browser.close()


def keep_to_loopback(route):
    if urlsplit(route.request.url).hostname in LOOPBACK:
        route.continue_()
    else:
        route.abort()


def test_the_form_starts_a_cycle_that_completes(served, page):
    deployment = served.deployment("evolution-cycle")
    page.goto(f"http://127.0.0.1:{served.port}/v2/deployments/deployment/{deployment['id']}")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Custom run").click()
    page.get_by_label("Tasks per split").fill("12")
    page.get_by_label("Most edit rounds").fill("1")
    page.get_by_label("Seed").fill("8")
    with page.expect_response(lambda answer: "create_flow_run" in answer.url) as made:
        page.get_by_role("button", name="Submit").click()
    run = served.wait(made.value.json()["id"])
    assert run["state"]["type"] == "COMPLETED", run["state"]["message"]
    form = run["parameters"]["form"]
    assert (form["tasks"], form["rounds"], form["seed"]) == (12, 1, 8)
