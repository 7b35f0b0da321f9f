# SPDX-License-Identifier: Apache-2.0
"""Drives a Chromium without a window over its pipe (--remote-debugging-pipe: JSON messages, each ended by a zero byte)."""
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

WAIT_S = 60
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"]


def found():
    return shutil.which("chromium")


class Chromium:
    """One page. `events` are what it said since the last open(): requests, messages of the console, errors."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="tare-chromium-")
        self.events, self.rest, self.number, self.session = [], b"", 0, None
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        # it reads descriptor 3 and writes 4; by way of high numbers, since 3 and 4 may be ours
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (theirs_in, theirs_out)]
        self.process = subprocess.Popen([found(), *OPTIONS, "--user-data-dir=" + self.profile, "about:blank"], pass_fds=(3, 4),
                                        preexec_fn=lambda: (os.dup2(high[0], 3), os.dup2(high[1], 4)),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in (theirs_in, theirs_out, *high):
            os.close(fd)
        self.reads, self.writes = ours_in, ours_out
        page = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"][0]
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(domain + ".enable")

    def receive(self):
        until = time.monotonic() + WAIT_S
        while b"\0" not in self.rest:
            if not select.select([self.reads], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            data = os.read(self.reads, 1 << 20)
            if not data:
                raise EOFError("Chromium has ended")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.writes, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]
            self.events.append(answer)

    def show(self, width, dark=False, media=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path):
        self.events = []
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())

    def ask(self, expression):
        """The value of an expression of JavaScript in the page."""
        got = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in got:
            raise RuntimeError(str(got["exceptionDetails"])[:500])
        return got["result"].get("value")

    def said(self):
        """Everything but the page's own file that was asked for, and all that the console shows."""
        ret = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"][1:]
        return ret + [str(e["params"])[:300] for e in self.events
                      if e.get("method") in ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")]

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, EOFError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.reads)
        os.close(self.writes)
        shutil.rmtree(self.profile, ignore_errors=True)
