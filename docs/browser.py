#!/usr/bin/env python3
"""Looks at every page of the built site in headless Chromium: 390, 800 and 1280 pixels wide, light and dark.

    docs/browser.py SITE [CHROMIUM]

No page scrolls sideways.  Nothing is cut: a table of five or more columns may be scrolled within its frame, all else is folded.  No
picture is missing.  Text differs enough from what is behind it.  Ends with 77 where there is no Chromium."""

import functools
import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

WIDTHS = (390, 800, 1280)
THEMES = ("light", "dark")
LEAST_CONTRAST = 3.0  # WCAG's for large text and for parts of an interface

# Runs in the browser: each page in a frame of each width and theme; what is wrong goes back to this program.
LOOK = """
<!doctype html><meta charset="utf-8"><body style="margin:0"><script>
const [pages, widths, themes, least] = PARAMETERS, found = []
function luminance(c) {
    const [r, g, b] = c.map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
const words = e => e.textContent.trim().replace(/\s+/g, " ").slice(0, 50)
const numbers = text => text.match(/[\\d.]+/g).map(Number)
function behind(e) {
    for (; e; e = e.parentElement) {
        const c = numbers(getComputedStyle(e).backgroundColor)
        if (c.length < 4 || c[3] > 0.5) return c.slice(0, 3)
    }
    return [255, 255, 255]
}
function look(doc, say) {
    const root = doc.documentElement, wide = root.clientWidth
    if (root.scrollWidth > wide) say(`scrolls sideways: ${root.scrollWidth} of ${wide}`)
    for (const e of doc.querySelectorAll("pre, .sig, article p, article li, article dt, article dd, h1, h2, h3")) {
        if (!e.getClientRects().length) continue
        if (e.scrollWidth > e.clientWidth + 5 && e.clientWidth && getComputedStyle(e).display != "inline" && !e.querySelector("table, mjx-container"))
            say(`cut: ${e.tagName} "${words(e)}", ${e.scrollWidth} of ${e.clientWidth}`)
    }
    for (const e of doc.querySelectorAll("article table"))
        if (e.getClientRects().length && e.rows[0].cells.length < 5 && e.offsetWidth > e.parentElement.clientWidth + 1)
            say(`a narrow table is cut: "${words(e)}", ${e.offsetWidth} of ${e.parentElement.clientWidth}`)
    for (const e of doc.images) if (!e.naturalWidth) say(`missing: ${e.src}`)
    for (const e of doc.querySelectorAll("article p, article li, article td, article th, article code, .sig, pre span, h1, h2, nav a")) {
        if (!e.getClientRects().length || !e.textContent.trim()) continue
        const a = luminance(numbers(doc.defaultView.getComputedStyle(e).color).slice(0, 3)), b = luminance(behind(e))
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
        if (ratio < least) { say(`faint: ${e.tagName} "${words(e)}", contrast ${ratio.toFixed(2)}`); break }
    }
}
async function all() {
    let done = 0
    for (const theme of themes) {
        localStorage.setItem("theme", theme)
        const waiting = pages.flatMap(page => widths.map(width => [page, width]))
        const worker = async () => {
            for (let next; (next = waiting.pop()); ++done) {
                const [page, width] = next, frame = document.createElement("iframe")
                frame.style = `width:${width}px;height:900px;border:0`
                frame.src = page
                document.body.append(frame)
                await new Promise(done => frame.onload = done)
                for (const e of frame.contentDocument.images) { e.loading = "eager"; await e.decode().catch(() => 0) }
                look(frame.contentDocument, text => found.push(`${page}, ${width}, ${theme}: ${text}`))
                frame.remove()
            }
        }
        await Promise.all([worker(), worker()])
    }
    await fetch("/seen", {method: "POST", body: JSON.stringify([done, found])})
}
all().catch(e => fetch("/seen", {method: "POST", body: JSON.stringify([0, ["" + e.stack]])}))
</script>
"""


class Site(http.server.SimpleHTTPRequestHandler):
    """The site, the page above as /look, and the place where that page tells what it saw."""

    def do_GET(self):
        if self.path != "/look":
            super().do_GET()
            return
        body = self.server.page.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.server.seen = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.finished.set()

    def log_message(self, *_):
        pass


def seen_by(chromium, folder, limit=1800):
    """(number of looks, what is wrong)."""
    pages = sorted("/" + p.relative_to(folder).as_posix() for p in folder.rglob("*.html"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Site, directory=str(folder)))
    server.page = LOOK.replace("PARAMETERS", json.dumps([pages, WIDTHS, THEMES, LEAST_CONTRAST]))
    server.seen, server.finished = None, threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        browser = subprocess.Popen(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", f"--user-data-dir={profile}", "--window-size=1400,1000",
             f"http://127.0.0.1:{server.server_port}/look"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server.finished.wait(limit)
        browser.kill()
        browser.wait()
    server.shutdown()
    if server.seen is None:
        return 0, ["the browser said nothing"]
    looks, found = server.seen
    return looks, found if looks == len(pages) * len(WIDTHS) * len(THEMES) else found + [f"looked {looks} times at {len(pages)} pages"]


def main():
    folder = Path(sys.argv[1]).resolve()
    chromium = sys.argv[2] if len(sys.argv) > 2 else next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not chromium:
        print("no Chromium here: nothing read the pages")
        return 77
    looks, found = seen_by(chromium, folder)
    print("\n".join(found[:100] + [f"{looks} looks at pages, {len(found)} faults"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main() if len(sys.argv) > 1 else __doc__)
