"""The widget in JupyterLab and in Notebook 7, driven in Chromium with the network off."""

from __future__ import annotations

import base64
import os
import re
import secrets
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.reader import NotJSONError
from playwright.sync_api import Page, Route, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout

import bagscope

ROOT = Path(__file__).resolve().parents[4]
PORT = 18997
HERE = f"http://127.0.0.1:{PORT}"
PATIENCE = 60  # seconds, for a machine that does other work

EXPLAIN = """
import bagscope
e = bagscope.explain({model!r}, {bag!r}, seed=7)
print("it is", "explained")
"""
SHOW = """
w = e.widget()
seen = []
w.observe(lambda change: seen.append((change.name, change.new)), ["selected", "removed"])
w
"""
CELLS = [
    EXPLAIN,
    SHOW,
    "w.removed = [3, 5]; w.selected = 15",
    "print('kernel has', w.selected, w.removed, [round(p, 6) for p in w.prediction])",
    "print('kernel saw', seen)",
    "w.selected = None",
    "e",
]


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    digits = ROOT / "examples" / "digits"
    first = EXPLAIN.format(model=str(digits / "model.onnx"), bag=str(digits / "bags.npz"))
    book = nbformat.v4.new_notebook()
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    book.cells = [nbformat.v4.new_code_cell(text) for text in [first, *CELLS[1:]]]
    path = tmp_path / "widget.ipynb"
    nbformat.write(book, path)
    return path


@pytest.fixture(params=["jupyterlab", "notebook"])
def server(notebook: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """Start a program that shows notebooks, and return the address of the notebook."""
    token = secrets.token_hex(8)
    command = [
        *(sys.executable, "-m", request.param, "--no-browser", "--allow-root", f"--port={PORT}"),
        *("--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"),
        *(f"--ServerApp.root_dir={notebook.parent}", "--LabApp.news_url="),
    ]
    process = subprocess.Popen(command, env=os.environ, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                urllib.request.urlopen(f"{HERE}/api?token={token}").close()
                break
            except OSError:
                assert time.monotonic() < end, f"{request.param} did not start"
                time.sleep(0.5)
        folder = {"jupyterlab": "lab/tree", "notebook": "notebooks"}[request.param]
        yield f"{HERE}/{folder}/{notebook.name}?token={token}&reset"
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def page() -> Iterator[Page]:
    chromium = subprocess.run(
        [ROOT / "tools/dev/need", "chromium"], capture_output=True, text=True, check=True
    ).stdout.strip()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 1100})
        page.set_default_timeout(PATIENCE * 1000)
        yield page
        browser.close()


def run_cell(page: Page, n: int, accepted: str) -> None:
    """Run cell n by its keys until a condition of the page holds.

    JupyterLab drops keys while it restores its layout, and a cell may run before the kernel has
    what the page sent.
    """
    end = time.monotonic() + PATIENCE
    while True:
        page.locator(".jp-Notebook-cell").nth(n).click()
        page.keyboard.press("Shift+Enter")
        try:
            page.wait_for_function(accepted, timeout=2000)
            return
        except PlaywrightTimeout:
            assert time.monotonic() < end, f"cell {n} did not lead to {accepted}"


def pictures(notebook: Path) -> list[list[bytes]]:
    """Return the pictures in the saved outputs of the two cells that show the widget.

    A file that is being written has none.
    """
    try:
        saved = nbformat.read(notebook, as_version=4)
    except NotJSONError:
        return []
    return [
        [
            base64.b64decode(o.data["image/png"])
            for o in cell.get("outputs", [])
            if "image/png" in o.get("data", {})
        ]
        for cell in (saved.cells[1], saved.cells[len(CELLS) - 1])
    ]


def test_widget_computes_in_page_and_follows_kernel(
    server: str, page: Page, notebook: Path
) -> None:
    foreign: list[str] = []

    def only_here(route: Route) -> None:
        url = route.request.url
        if url.startswith((HERE, "data:", "blob:")):
            route.continue_()
        else:
            foreign.append(url)
            route.abort()

    page.route("**/*", only_here)
    page.goto(server)
    page.wait_for_selector(".jp-Notebook-cell")
    prompt = "document.querySelector('.jp-Notebook-cell .jp-InputPrompt').textContent"
    run_cell(page, 0, f"/[*0-9]/.test({prompt})")
    page.get_by_text("it is explained").wait_for()
    page.keyboard.press("Shift+Enter")
    page.wait_for_function("document.querySelector('bag-explainer')?.report")

    page.keyboard.press("Shift+Enter")
    page.wait_for_function("document.querySelector('bag-explainer').out.length === 2")
    page.wait_for_function("document.querySelector('bag-explainer').selected === 15")

    # The cursor of the keyboard is at the selected instance; Delete removes it. The next arrow key
    # selects the instance beside it.
    cursor = page.locator("bag-explainer .cursor")
    cursor.dispatch_event("keydown", {"key": "Delete"})
    page.wait_for_function("document.querySelector('bag-explainer').out.length === 3")
    cursor.dispatch_event("keydown", {"key": "ArrowRight"})
    page.wait_for_function("document.querySelector('bag-explainer').selected === 16")
    run_cell(page, 3, "document.body.innerText.includes('kernel has 16 [3, 5, 15]')")
    page.keyboard.press("Shift+Enter")
    both = "('removed', [3, 5]), ('selected', 15), ('removed', [3, 5, 15]), ('selected', 16)"
    said = page.locator(".jp-OutputArea-output", has_text="kernel saw").inner_text()
    assert set(re.findall(r"\('\w+', [^)]*\)", both)) == set(re.findall(r"\('\w+', [^)]*\)", said))

    assert page.locator("bag-explainer span.lit").count() > 0
    page.keyboard.press("Shift+Enter")
    page.wait_for_function("document.querySelector('bag-explainer').selected === null")
    assert page.locator("bag-explainer span.lit").count() == 0
    page.keyboard.press("Shift+Enter")
    page.wait_for_function("document.querySelectorAll('bag-explainer').length === 2")
    page.screenshot(path=notebook.parent / "page.png")

    # Without a kernel, notebooks and GitHub show the picture of the saved file.
    digits = ROOT / "examples" / "digits"
    want = bagscope.explain(digits / "model.onnx", digits / "bags.npz", seed=7).picture()
    end = time.monotonic() + PATIENCE
    while pictures(notebook) != [[want], [want]]:
        assert time.monotonic() < end, "the saved notebook lacks the pictures"
        page.keyboard.press("Control+s")
        page.wait_for_timeout(500)  # time.sleep would stop the request, which only_here answers
    assert foreign == []
