"""A headless Chromium, spoken to over its debugging pipe (Chrome DevTools Protocol), with the standard library alone."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One browser with one tab. `events` holds what it told of: logs, exceptions, dialogs, requests."""

    def __init__(self, timeout=90):
        self.timeout = timeout
        self.profile = tempfile.TemporaryDirectory()
        to_child, self.writer = os.pipe()
        self.reader, from_child = os.pipe()

        def plug():  # 3: commands, 4: answers
            spare_in, spare_out = os.dup(to_child), os.dup(from_child)
            os.dup2(spare_in, 3)
            os.dup2(spare_out, 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--disable-background-networking", "--user-data-dir=" + self.profile.name, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=plug, close_fds=False)
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.answers, self.events, self.number, self.session = b"", {}, [], 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(domain + ".enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, TimeoutError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.writer)
        os.close(self.reader)
        self.profile.cleanup()

    def pump(self, seconds):
        if not select.select([self.reader], [], [], seconds)[0]:
            return
        chunk = os.read(self.reader, 1 << 20)
        if not chunk:
            raise OSError("the browser has gone")
        *whole, self.buffer = (self.buffer + chunk).split(b"\0")
        for message in map(json.loads, whole):
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.events.append(message)
                if message["method"] == "Page.javascriptDialogOpening":
                    self.send("Page.handleJavaScriptDialog", accept=True)

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        return self.number

    def call(self, method, **params):
        number, end = self.send(method, **params), time.monotonic() + self.timeout
        while number not in self.answers:
            if time.monotonic() > end:
                raise TimeoutError(method)
            self.pump(0.2)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError("%s: %s" % (method, answer["error"]))
        return answer["result"]

    def wait_for(self, expression):
        end = time.monotonic() + self.timeout
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise TimeoutError(expression)
            self.pump(0.05)

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url="about:blank")  # an address that differs in its fragment only would not load anew
        self.call("Page.navigate", url=url)
        self.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'")

    def load(self, url):
        """The same without asking the page, which may not be allowed to run anything."""
        self.events.clear()
        self.call("Page.navigate", url=url)
        end = time.monotonic() + self.timeout
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            if time.monotonic() > end:
                raise TimeoutError(url)
            self.pump(0.05)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:500])
        return result["result"].get("value")

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def click(self, selector):
        x, y = self.evaluate("(() => { const e = document.querySelector(%s); e.scrollIntoView({block: 'center', behavior: "
                             "'instant'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2];"
                             " })()" % json.dumps(selector))
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self):
        """What a console would show in red, and dialogs."""
        found = []
        for event in self.events:
            method, params = event["method"], event["params"]
            if method in ("Runtime.exceptionThrown", "Page.javascriptDialogOpening"):
                found.append(json.dumps(params)[:300])
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(json.dumps(params["args"])[:300])
        return found

    def requests(self):
        return [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
