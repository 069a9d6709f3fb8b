"""One session as a person has it: a real JupyterLab, a real browser, both tracks, an exercise filled in, switches flipped.

Without a browser this is skipped and says so; ``QUERYLAB_BROWSER=required`` (CI) makes that an error.
Screenshots go to ``QUERYLAB_ARTEFACTS``, or to a folder in the system's temporary one.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import pytest
from querylab.lesson.kernels import DISPLAY_NAME

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARTEFACTS = Path(os.environ.get("QUERYLAB_ARTEFACTS") or Path(tempfile.gettempdir()) / "querylab-artefacts")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    # Every cell is in the page, so that a test can look at all of them.
    "notebook-extension/tracker": {"windowingMode": "none"},
}
NOTEBOOK_SECONDS = 90

pytestmark = pytest.mark.enable_socket


@pytest.fixture(scope="module")
def browser_path() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        message = f"no browser found (looked for {', '.join(BROWSERS)}); on Debian: apt-get install chromium"
        if os.environ.get("QUERYLAB_BROWSER") == "required":
            pytest.fail(message)
        pytest.skip(message)
    return found


@pytest.fixture(scope="module")
def lab_url(tmp_path_factory, browser_path):
    """JupyterLab on a copy of the repository: what a student types must not land in the real one."""
    home = tmp_path_factory.mktemp("browser")
    for name in ("notebooks", "starter", "solution", "corpus", "checks"):
        shutil.copytree(
            ROOT / name,
            home / "lab" / name,
            ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "*.egg-info"),
        )
    shutil.copy(ROOT / "requirements.txt", home / "lab")
    for name, values in SETTINGS.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("LAB_", "MOCK", "ANTHROPIC", "QUERYLAB_"))
    }
    places = [ROOT / "checks" / "no_network", home / "lab" / "notebooks", home / "lab"]
    environment = kept | {
        "PYTHONPATH": os.pathsep.join(map(str, places)),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
    }
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}"]
    command += ["--ServerApp.root_dir=.", "notebooks/00_baseline.ipynb"]  # as the README opens it
    command += ["--ip=127.0.0.1", "--IdentityProvider.token=", "--ServerApp.password=", "--expose-app-in-browser"]
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=home / "lab", env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait_until(lambda: _answers(f"http://127.0.0.1:{port}/api"), 40, home / "server.log")
            yield f"http://127.0.0.1:{port}/lab", home / "lab"
        finally:
            server.terminate()
            server.wait(20)


@pytest.fixture(scope="module")
def page(lab_url, browser_path, tmp_path_factory):
    from playwright.sync_api import sync_playwright

    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("profile")),
            executable_path=browser_path,
            args=FLAGS,
            viewport={"width": 1360, "height": 1000},
        )
        yield context.pages[0]
        context.close()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return reply.status == 200
    except OSError:
        return False


def _wait_until(ready, seconds: float, log: Path) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, (
            f"not ready after {seconds} s:\n{log.read_text(encoding='utf-8', errors='replace')[-2000:]}"
        )
        time.sleep(0.3)


def test_the_readme_s_command_serves_the_whole_repository(lab_url):
    """Messages and links name files of starter/, solution/ and corpus/; all of them can be opened."""
    url, _ = lab_url
    for readme in ("README.md", "README.zh-CN.md"):
        assert "jupyter lab --ServerApp.root_dir=. notebooks/00_baseline.ipynb" in (ROOT / readme).read_text("utf-8")
    for path in ("starter/rewrite.py", "solution/rewrite.py", "corpus/docs", "notebooks/querylab/types.py"):
        assert _answers(f"{url.removesuffix('/lab')}/api/contents/{path}"), path


class Notebook:
    """One open notebook, driven as a person drives it."""

    def __init__(self, page, lab_url, name: str) -> None:
        self.page = page
        page.goto(f"{lab_url[0]}/tree/notebooks/{name}.ipynb?reset")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
        page.wait_for_function(
            "() => window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel", timeout=60_000
        )
        self.settled()

    def choose_kernel(self, display_name: str) -> None:
        self.page.click(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Toolbar-kernelName")
        self.page.select_option(".jp-Dialog select", label=display_name)
        self.page.click(".jp-Dialog button.jp-mod-accept")
        # The new kernel has answered once: only then is "idle" its own word.
        self.page.wait_for_function(
            """async name => {
                const context = window.jupyterapp.shell.currentWidget.sessionContext;
                if (context.kernelDisplayName !== name || context.session?.kernel?.connectionStatus !== 'connected') return false;
                await context.session.kernel.info;
                return true;
            }""",
            arg=display_name,
            timeout=60_000,
        )
        self.page.wait_for_timeout(1000)
        self.settled()

    def run_all(self) -> None:
        """Clear all outputs and run every cell; ends with the last cell or at the first error."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('editmenu:clear-all')")
        self._press_run_all()
        self.page.wait_for_function(
            """() => {
                const cells = window.jupyterapp.shell.currentWidget.content.widgets
                    .filter(cell => cell.model.type === 'code').map(cell => cell.model);
                const failed = cells.some(cell => cell.outputs.toJSON().some(output => output.output_type === 'error'));
                return failed || cells.at(-1).executionCount !== null;
            }""",
            timeout=NOTEBOOK_SECONDS * 1000,
        )
        self.settled()

    def _press_run_all(self) -> None:
        """Press until something runs: a kernel that has just been chosen now and then drops what it is sent first."""
        from playwright.sync_api import TimeoutError as NothingRuns

        started = """() => window.jupyterapp.shell.currentWidget.content.widgets.some(
            cell => cell.model.type === 'code' && cell.model.executionCount !== null)"""
        for patience in (20_000, 20_000, NOTEBOOK_SECONDS * 1000):
            self.page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
            try:
                self.page.wait_for_function(started, timeout=patience)
            except NothingRuns:
                continue
            return
        raise AssertionError("three times told to run all cells, and none ran")

    def settled(self) -> None:
        """Wait until no cell is running and the kernel is idle."""
        self.page.wait_for_function(
            """() => {
                const panel = window.jupyterapp.shell.currentWidget;
                const kernel = panel?.sessionContext?.session?.kernel;
                const running = [...document.querySelectorAll('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-InputPrompt')]
                    .some(prompt => prompt.textContent.includes('*'));
                return kernel && kernel.status === 'idle' && !running;
            }""",
            timeout=NOTEBOOK_SECONDS * 1000,
        )
        self.page.wait_for_timeout(500)

    def errors(self) -> list[str]:
        """What the kernel stored as an error, for every cell: name and the lines shown."""
        return self.page.evaluate(
            """() => window.jupyterapp.shell.currentWidget.content.widgets.flatMap(cell =>
                cell.model.type !== 'code' ? [] : cell.model.outputs.toJSON()
                    .filter(output => output.output_type === 'error' || output.name === 'stderr')
                    .map(output => `${output.ename ?? 'stderr'}: ${output.traceback?.join('\\n') ?? output.text}`))"""
        )

    def text(self) -> str:
        return self.page.inner_text(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook")

    def fill_in(self, exercise: str, code: str) -> None:
        """Replace an exercise cell's text by typing into it."""
        cell = self.page.locator(".jp-CodeCell").filter(has_text=f"%%exercise {exercise}").first
        editor = cell.locator(".cm-content")
        editor.scroll_into_view_if_needed()
        editor.click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(f"%%exercise {exercise}\n{code}")

    def picture(self, name: str) -> None:
        """Keep the whole notebook as one picture."""
        box = self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer").first
        height = box.evaluate("element => element.scrollHeight") + 150
        self.page.set_viewport_size({"width": 1360, "height": min(int(height), 15_000)})
        self.page.wait_for_timeout(600)
        self.page.screenshot(path=str(ARTEFACTS / f"{name}.png"))
        self.page.set_viewport_size({"width": 1360, "height": 1000})


def test_a_student_fills_in_notebook_01(page, lab_url):
    notebook = Notebook(page, lab_url, "01_rewriting")
    notebook.run_all()
    stopped = notebook.errors()
    assert len(stopped) == 1 and "尚未完成" in stopped[0], stopped
    notebook.picture("01-starter-unfinished")

    answer = (ROOT / "solution" / "rewrite.py").read_text(encoding="utf-8")
    notebook.fill_in("rewrite", answer)
    notebook.run_all()
    assert notebook.errors() == []
    assert "✓ 通过 · rewrite" in notebook.text()
    assert (lab_url[1] / "starter" / "rewrite.py").read_text(encoding="utf-8") == answer
    notebook.picture("01-starter-finished")


def test_an_instructor_opens_notebook_01_on_the_solution_kernel(page, lab_url):
    notebook = Notebook(page, lab_url, "01_rewriting")
    notebook.choose_kernel(DISPLAY_NAME)
    notebook.run_all()
    assert notebook.errors() == []
    assert "✓ 通过 · rewrite" in notebook.text()
    assert "轨道" in notebook.text() and "solution" in notebook.text()


def test_notebook_07_on_both_tracks_with_the_panel(page, lab_url):
    notebook = Notebook(page, lab_url, "07_ledger_and_default_config")
    notebook.run_all()
    stopped = notebook.errors()
    assert len(stopped) == 1 and "尚未完成" in stopped[0], stopped
    assert "lab.borrow" in notebook.text(), "unfinished earlier work is named, with the line that borrows it"

    notebook.choose_kernel(DISPLAY_NAME)
    notebook.run_all()
    assert notebook.errors() == []
    assert "odel not found" not in notebook.text()

    # Flip switches on the panel: its own output must follow.
    panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output .widget-vbox").first
    panel.scroll_into_view_if_needed()
    for switch in ("HyDE", "多路查询", "路由"):
        before = panel.inner_text()
        panel.get_by_text(re.compile(switch)).first.click()
        page.wait_for_function(
            "([text, node]) => node.innerText !== text", arg=[before, panel.element_handle()], timeout=30_000
        )
    notebook.settled()
    assert "odel not found" not in panel.inner_text() and "Traceback" not in panel.inner_text()
    page.screenshot(path=str(ARTEFACTS / "07-panel.png"))
    notebook.picture("07-solution")
