#!/usr/bin/env python3
"""Makes the pictures of the page of `shardy view`: page_pictures.py SHARDY FOLDER [--size WxH] [--all].

Without --all those that the documents show, at 1280x720; with it every view in light and dark, for review.
"""
import argparse
import base64
import collections
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/view"))

import programs  # noqa: E402
from browser import Browser, make_page  # noqa: E402

FSDP = "examples/jax/fsdp_sdy.mlir"  # from ROOT: the pages show the paths of their command lines
MOST_BYTES = 1500000

# name: (page, tab, name of the selected value, dark, script before the picture)
PICTURES = {
    "page": ("decoder", "graph", None, False, "change_state({scope: [...program_in_view().nodes.kind.keys()].find((node) => program_in_view().label(node) === 'layer_3')})"),
    "value": ("fsdp", "text", "%5", False, ""),
    "value_dark": ("fsdp", "text", "%5", True, ""),
    "steps": ("fsdp", "graph", "%2", False, "change_state({step: 2})"),
    "time": ("decoder", "time", None, False, ""),
    "memory": ("decoder", "memory", None, False, ""),
    "collectives": ("decoder", "collectives", None, False, ""),
    "conflicts": ("decoder", "conflicts", None, False, ""),
    "hints": ("fsdp", "hints", None, False, ""),
    "compare": ("compare", "changes", None, False, ""),
    "both_texts": ("compare", "both", None, False, ""),
    "sweep": ("sweep", None, None, False, "page.sweep_view.chosen = page.sweep.front[1]; page.sweep_view.draw_details(); page.sweep_view.repaint()"),
}
TABS = ["graph", "text", "time", "memory", "collectives", "conflicts", "hints", "notes"]


def all_pictures():
    """Every view in light and dark, with and without a selection."""
    found = dict(PICTURES)
    for dark in (False, True):
        mode = "dark" if dark else "light"
        for page, value in (("decoder", "%v3"), ("fsdp", "%5")):
            for tab in TABS:
                found[f"{page}_{tab}_{mode}"] = (page, tab, value, dark, "")
        found[f"compare_{mode}"] = ("compare", "changes", None, dark, "")
        found[f"sweep_{mode}"] = ("sweep", None, None, dark, "")
    return found


def rows_of(png):
    """Width, and the rows of an 8-bit RGB or RGBA picture without filters."""
    width, height, _, kind = struct.unpack(">IIBB", png[16:26])
    at, data = 33, b""
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at:at + 8])
        data += png[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    size = {2: 3, 6: 4}[kind]
    raw, stride, above, rows = zlib.decompress(data), width * size, bytearray(width * size), []
    for row in range(height):
        start = row * (stride + 1)
        line, how = bytearray(raw[start + 1:start + 1 + stride]), raw[start]
        for index in range(stride) if how else ():
            left, up, corner = (line[index - size], above[index], above[index - size]) if index >= size else (0, above[index], 0)
            paeth = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))[2]
            line[index] = (line[index] + (left, up, (left + up) // 2, paeth)[how - 1]) & 255
        rows.append([bytes(line[index:index + 3]) for index in range(0, stride, size)])
        above = line
    return width, rows


def with_palette(png):
    """The picture with at most 256 colours: the frequent ones, and for the others the nearest of these."""
    width, rows = rows_of(png)
    counts = collections.Counter(color for row in rows for color in row)
    palette = [color for color, _ in counts.most_common(256)]
    index_of = {color: index for index, color in enumerate(palette)}
    for color in counts:
        if color not in index_of:
            index_of[color] = min(range(len(palette)), key=lambda index: sum((a - b) ** 2 for a, b in zip(palette[index], color)))
    data = zlib.compress(b"".join(b"\0" + bytes(index_of[color] for color in row) for row in rows), 9)

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"PLTE", b"".join(palette)) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def make_pages(shardy, folder):
    decoder = folder / "decoder.mlir"
    decoder.write_text(programs.decoder(640, bad=True), encoding="utf-8")
    pages = {"decoder": make_page(shardy, folder / "decoder.html", decoder), "fsdp": make_page(shardy, folder / "fsdp.html", FSDP, "--hints"),
             "compare": make_page(shardy, folder / "compare.html", FSDP, "tests/tools/report/replicated.mlir"), "sweep": folder / "sweep.html"}
    subprocess.run([shardy, "sweep", FSDP, "--random", "150", "--output", folder / "lines.json", "--view", pages["sweep"]], check=True, capture_output=True)
    return pages


def take(browser, pages, picture, path):
    page, tab, value, dark, script = picture
    browser.dark(dark)
    browser.open(pages[page], f"#tab={tab}" if tab else "")
    if value:
        browser.run("select_value(program_in_view().values.name.findIndex((at) => program_in_view().text_of(at) === arguments[0]))", value)
    if script:
        browser.run(script)
    if tab == "graph":
        browser.wait("return document.querySelector('.box') !== null")
    time.sleep(0.9)  # the flash of changed values has ended
    path.write_bytes(with_palette(base64.b64decode(browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shardy")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    options.folder, options.shardy = options.folder.resolve(), str(pathlib.Path(options.shardy).resolve())
    os.chdir(ROOT)
    pictures = all_pictures() if options.all else PICTURES
    with tempfile.TemporaryDirectory() as folder, Browser(*map(int, options.size.split("x"))) as browser:
        pages = make_pages(options.shardy, pathlib.Path(folder))
        for name, picture in pictures.items():
            take(browser, pages, picture, options.folder / f"{name}.png")
        problems = browser.problems()
    total = sum((options.folder / f"{name}.png").stat().st_size for name in pictures)
    print(f"{len(pictures)} pictures, {total:,} bytes")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems or (total > MOST_BYTES and not options.all) else 0


if __name__ == "__main__":
    sys.exit(main())
