#!/usr/bin/env python3
"""Speed of the page of `shardy view` in Chromium: size of the file, time until the page is interactive, longest frames.

    benchmarks/page_speed.py build/release/src/tools/shardy            # decoders of 10,000 and 100,000 ops
    benchmarks/page_speed.py SHARDY --ops 1000,10000 --repeat 5

A page is interactive when its first view is drawn (the mark `interactive` of performance.mark, from the start of the navigation). `busy` is the time
that its main thread took from the processor until then, which other processes do not lengthen. Frames are the
times between calls of requestAnimationFrame while a script scrolls or zooms for 90 frames; of --repeat runs (3) the one with the shortest longest
frame counts. The exit status is 1 if a limit of docs/spec/view.md 2 is exceeded: 2 s and 6 MB for up to 10,000 ops, 6 s and 40 MB above, frames of
50 ms. It needs chromium, chromium-driver and python3-selenium, and runs with /usr/bin/python3.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/view"))

import programs  # noqa: E402
from browser import Browser  # noqa: E402

FRAMES = 90
LONGEST_FRAME = 50  # ms

# Moves a view in each frame, and returns the times between frames in ms; the first frames are those of the start.
MEASURE = """
const [move, frames, done] = arguments;
const step = new Function('at', move);
const times = [];
let last = performance.now();
const next = (now) => {
  times.push(now - last);
  last = now;
  if (times.length > frames) return done(times.slice(2));
  step(times.length);
  requestAnimationFrame(next);
};
requestAnimationFrame(next);"""

MOVES = {
    "outline": ("graph", "const box = document.querySelector('.rows'); box.scrollTop = (at % 45) * 397;"),
    "text": ("text", "const box = document.querySelector('.lines'); box.scrollTop = at * 613;"),
    "graph": ("graph", "page.center.now.zoom_by(at % 20 < 10 ? 1.1 : 1 / 1.1);"),
    "timeline": ("time", "const view = page.center.now; d3.select(view.canvas.canvas).call(view.zoom.scaleBy, at % 40 < 20 ? 1.3 : 1 / 1.3);"),
    "memory": ("memory", "const box = document.querySelector('.alive'); box.scrollTop = at * 40;"),
}


def limits(num_ops):
    """Seconds until interactive, megabytes of the file."""
    return (2, 6) if num_ops <= 10000 else (6, 40)


def milliseconds_of_frames(browser, tab, move, repeat):
    browser.go(tab=tab)
    if tab == "graph":
        browser.wait("return document.querySelector('.box') !== null", 120)
    if "outline" in move or ".rows" in move:
        browser.run("for (let node = 0; node < program_in_view().num_nodes; ++node) if (program_in_view().kind(node) !== 'op') page.outline.opened.add(node); page.outline.build()")
    time.sleep(0.3)
    return min(max(browser.driver.execute_async_script(MEASURE, move, FRAMES)) for _ in range(repeat))


def measure(shardy, num_ops, repeat, folder):
    program = pathlib.Path(folder) / f"{num_ops}.mlir"
    program.write_text(programs.decoder(num_ops, bad=True), encoding="utf-8")
    page = program.with_suffix(".html")
    begin = time.monotonic()
    subprocess.run([shardy, "view", program, "-o", page], check=True, capture_output=True)
    row = {"ops": num_ops, "view (s)": time.monotonic() - begin, "MB": page.stat().st_size / 1e6}
    with Browser() as browser:
        browser.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        loads, busy = [], []
        for _ in range(repeat):
            browser.open(page)
            loads.append(browser.run("return performance.getEntriesByName('interactive')[0].startTime") / 1000)
            busy.append({each["name"]: each["value"] for each in browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}["TaskDuration"])
        row["interactive (s)"], row["busy (s)"] = min(loads), min(busy)
        for name, (tab, move) in MOVES.items():
            row[name + " (ms)"] = milliseconds_of_frames(browser, tab, move, repeat)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shardy")
    parser.add_argument("--ops", default="10000,100000")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for position, num_ops in enumerate(int(text) for text in options.ops.split(",")):
            row = measure(options.shardy, num_ops, options.repeat, folder)
            if position == 0:
                print("  ".join(f"{name:>15}" for name in row))
            print("  ".join(f"{value:>15,.2f}" if isinstance(value, float) else f"{value:>15,}" for value in row.values()), flush=True)
            seconds, megabytes = limits(num_ops)
            frames = [value for name, value in row.items() if name.endswith("(ms)")]
            failed |= row["interactive (s)"] > seconds or row["MB"] > megabytes or (num_ops <= 10000 and max(frames) > LONGEST_FRAME)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
