"""A headless Chromium without network for the tests, benchmarks and pictures of the page."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9", "--proxy-bypass-list=<-loopback>"]
LOCAL = ("file:", "data:", "blob:", "about:", "chrome:", "devtools:")
READY = "return document.documentElement.classList.contains('ready')"


class Browser:
    """One Chromium. `open` loads a page and waits until it is drawn; `problems` lists console messages and requests that left the page."""

    def __init__(self, width=1280, height=720):
        self.profile = tempfile.mkdtemp(prefix="shardy-page-")
        options = Options()
        options.binary_location = shutil.which("chromium") or "/usr/bin/chromium"
        for flag in [*FLAGS, f"--window-size={width},{height}", f"--user-data-dir={self.profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver") or "/usr/bin/chromedriver"), options=options)
        self.driver.set_page_load_timeout(120)
        self.driver.set_script_timeout(60)
        self.resize(width, height)

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def resize(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def dark(self, on, media=""):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [{"name": "prefers-color-scheme", "value": "dark" if on else "light"}]})

    def open(self, path, address=""):
        self.driver.get("about:blank")
        self.driver.get(pathlib.Path(path).resolve().as_uri() + address)
        self.wait(READY, 120)

    def without_scripts(self, path):
        """Loads a page as a browser without JavaScript shows it; the next pages have their scripts again."""
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        self.driver.get("about:blank")
        self.driver.get(pathlib.Path(path).resolve().as_uri())
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    def point_at(self, selector, across=0.5, down=0.5):
        """Moves the pointer over an element, to a share of its width and height."""
        x, y = self.wait("const box = document.querySelector(arguments[0])?.getBoundingClientRect(); "
                         "return box && [box.left + box.width * arguments[1], box.top + box.height * arguments[2]]", 60, selector, across, down)
        for step in (1, 0):
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x + step, "y": y})

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, seconds=60, *arguments):
        """The value of a script as soon as it is true."""
        stop = time.monotonic() + seconds
        while True:
            value = self.run(script, *arguments)
            if value or time.monotonic() > stop:
                break
            time.sleep(0.02)
        if not value:
            raise AssertionError(f"not within {seconds} s: {script}; {self.driver.get_log('browser')}")
        return value

    def go(self, **state):
        """Changes members of the state of the page and waits for the next frame."""
        self.run("change_state(arguments[0])", state)
        self.frame()

    def frame(self):
        self.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => setTimeout(done, 30))")

    def problems(self):
        """Console messages and requests that are not of the page itself, since the last call."""
        found = [entry["message"] for entry in self.driver.get_log("browser")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent" and not message["params"]["request"]["url"].startswith(LOCAL):
                found.append("request: " + message["params"]["request"]["url"])
        return found


def make_page(shardy, out, *arguments):
    """Runs `shardy view` and returns the path of the page."""
    done = subprocess.run([shardy, "view", *map(str, arguments), "-o", str(out)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"shardy view {' '.join(map(str, arguments))}: {done.stderr}")
    return out


def report_json(shardy, *arguments):
    """The document that a command prints with --json."""
    done = subprocess.run([shardy, *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise AssertionError(f"shardy {' '.join(map(str, arguments))}: {done.stderr}")
    return json.loads(done.stdout)
