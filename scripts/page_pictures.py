#!/usr/bin/env python3
"""Makes the pictures of the page of `shardy view`: page_pictures.py SHARDY FOLDER [--size WxH] [--all].

Without --all those that the documents show, at 1280x720; with it every state of the pages in light and dark, for review.
"""
import argparse
import base64
import collections
import fnmatch
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import typing
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/view"))

import programs  # noqa: E402
from browser import Browser, make_page  # noqa: E402

FSDP = "examples/jax/fsdp_sdy.mlir"  # from ROOT: the pages show the paths of their command lines
MOST_BYTES = 1500000

class Picture(typing.NamedTuple):
    """A state of a page. `hover` is an element and a share of its width and height, under the pointer; `how` is None, print, static or broken."""
    page: str
    tab: str | None = None
    value: str | None = None
    script: str = ""
    hover: tuple | None = None
    width: int | None = None
    how: str | None = None
    dark: bool = False


SCOPE = "change_state({scope: [...program_in_view().nodes.kind.keys()].find((node) => program_in_view().label(node) === '%s')})"
NODE = "select_node([...program_in_view().nodes.kind.keys()].find((node) => program_in_view().label(node) === '%s'))"
SWEEP = "page.sweep_view.chosen = page.sweep.front[1]; page.sweep_view.draw_details(); page.sweep_view.repaint()"

PICTURES = {
    "page": Picture("decoder", "graph", script=SCOPE % "layer_3"),
    "value": Picture("fsdp", "text", "%5"),
    "value_dark": Picture("fsdp", "text", "%5", dark=True),
    "steps": Picture("fsdp", "graph", "%2", script="change_state({step: 2})"),
    "time": Picture("decoder", "time"),
    "memory": Picture("decoder", "memory"),
    "collectives": Picture("decoder", "collectives"),
    "conflicts": Picture("decoder", "conflicts"),
    "hints": Picture("fsdp", "hints"),
    "compare": Picture("compare", "changes"),
    "both_texts": Picture("compare", "both"),
    "sweep": Picture("sweep", script=SWEEP),
}
TABS = ["graph", "text", "time", "memory", "collectives", "conflicts", "hints", "notes"]


def states():
    """Every state of the pages that looks different: tabs, panels, empty panels, notes under the pointer, sizes of programs, print."""
    found = {f"fsdp_{tab}": Picture("fsdp", tab, "%5") for tab in TABS}
    found |= {f"decoder_{tab}": Picture("decoder", tab, "%v3") for tab in TABS}
    found |= {f"empty_{tab}": Picture("unsharded", tab) for tab in TABS}
    found |= {f"compare_{tab}": Picture("compare", tab, "%5") for tab in ["both", *TABS[:6], TABS[7]]}
    found |= {f"wide_{tab}": Picture("wide", tab, "%sum") for tab in TABS}
    found |= {
        "layers": Picture("decoder", "graph"),
        "layer": PICTURES["page"],
        "layer_selected": Picture("decoder", "graph", script=NODE % "layer_3"),
        "edge_hover": Picture("fsdp", "graph", hover=(".edge.hit", 0.5, 0.5)),
        "cell_hover": Picture("fsdp", "text", "%5", hover=(".cell", 0.5, 0.5)),
        "time_hover": Picture("decoder", "time", hover=("canvas", 0.6, 0.35)),
        "memory_hover": Picture("decoder", "memory", hover=("canvas", 0.4, 0.6)),
        "memory_point": Picture("decoder", "memory", script="page.center.now.choose(90)"),
        "hint_hover": Picture("fsdp", "hints", hover=(".hint", 0.5, 0.2)),
        "first_step": Picture("fsdp", "text", "%5", script="change_state({step: kStart})"),
        "step": Picture("fsdp", "text", "%5", script="change_state({step: 3})"),
        "json": Picture("fsdp", "text", "%5", script="change_state({syntax: 'json'})"),
        "filter": Picture("decoder", "graph", script="change_state({query: 'op:dot axis:model'})"),
        "filter_nothing": Picture("decoder", "graph", script="change_state({query: 'op:fft'})"),
        "sorted": Picture("decoder", "graph", script="change_state({sort: 'bytes'})"),
        "arguments": Picture("decoder", "graph", "%w3_2"),
        "keys": Picture("fsdp", "graph", script="show_keys()"),
        "loop": Picture("loop", "graph", script="select_node([...program_in_view().nodes.kind.keys()].find((node) => program_in_view().short_op(node) === 'while'))"),
        "warnings": Picture("warnings", "notes"),
        "no_ops": Picture("nothing", "graph"),
        "no_ops_time": Picture("nothing", "time"),
        "hostile": Picture("hostile", "graph", "%x"),
        "hostile_text": Picture("hostile", "text", "%x"),
        "devices": Picture("devices", "graph", "%x"),
        "ten_thousand": Picture("ten_thousand", "graph", "%v3"),
        "ten_thousand_time": Picture("ten_thousand", "time", "%v3"),
        "hundred_thousand": Picture("hundred_thousand", "graph"),
        "hundred_thousand_text": Picture("hundred_thousand", "text", "%v3"),
        "hundred_thousand_memory": Picture("hundred_thousand", "memory", "%v3"),
        "compare": PICTURES["compare"],
        "compare_before": Picture("compare", "graph", script="change_state({side: 'before'})"),
        "versions": Picture("versions", "changes"),
        "versions_both": Picture("versions", "both", "%w3_0"),
        "compare_same": Picture("same", "changes"),
        "sweep": Picture("sweep"),
        "sweep_chosen": PICTURES["sweep"],
        "sweep_hover": Picture("sweep", hover=("canvas", 0.25, 0.765)),
        "sweep_of_two": Picture("two"),
        "front": Picture("front"),
        "narrow": Picture("fsdp", "graph", "%5", width=800),
        "narrow_text": Picture("fsdp", "text", "%5", width=800),
        "narrow_sweep": Picture("sweep", width=800),
        "narrow_compare": Picture("compare", "changes", width=800),
        "print": Picture("decoder", how="print"),
        "print_compare": Picture("compare", how="print"),
        "print_sweep": Picture("sweep", how="print"),
        "static": Picture("decoder", how="static"),
        "static_compare": Picture("compare", how="static"),
        "static_sweep": Picture("sweep", how="static"),
        "broken": Picture("fsdp", how="broken"),
    }
    return found


def all_pictures():
    return {f"{name}_{'dark' if dark else 'light'}": each._replace(dark=dark) for name, each in states().items() for dark in (False, True)}


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


class Pages:
    """The pages of the pictures, each made when it is first needed."""

    def __init__(self, shardy, folder):
        self.shardy, self.folder, self.made = shardy, folder, {}

    def __getitem__(self, name):
        if name not in self.made:
            self.made[name] = self.folder / f"{name}.html"
            getattr(self, name)(self.made[name])
        return self.made[name]

    def text(self, out, text, *arguments):
        path = out.with_suffix(".mlir")
        path.write_text(text, encoding="utf-8")
        make_page(self.shardy, out, path, *arguments)

    def run(self, *arguments):
        subprocess.run([self.shardy, *arguments], check=True, capture_output=True)

    def decoder(self, out):
        self.text(out, programs.decoder(640, bad=True))

    def ten_thousand(self, out):
        self.text(out, programs.decoder(10000))

    def hundred_thousand(self, out):
        self.text(out, programs.decoder(100000))

    def unsharded(self, out):
        self.text(out, programs.UNSHARDED)

    def wide(self, out):
        self.text(out, programs.WIDE)

    def nothing(self, out):
        self.text(out, "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}\n")

    def hostile(self, out):
        self.text(out, programs.hostile(7))

    def devices(self, out):
        self.text(out, programs.DEVICES)

    def fsdp(self, out):
        make_page(self.shardy, out, FSDP, "--hints")

    def loop(self, out):
        make_page(self.shardy, out, "examples/jax/scan_sdy.mlir")

    def warnings(self, out):
        self.text(out, pathlib.Path("examples/jax/moe_roundtrip.mlir").read_text(encoding="utf-8").replace("mhlo.num_partitions = 4", "mhlo.num_partitions = 8"))

    def compare(self, out):
        make_page(self.shardy, out, FSDP, "tests/tools/report/replicated.mlir")

    def versions(self, out):
        paths = [out.with_name(f"{name}.mlir") for name in ("bad", "good")]
        for path, bad in zip(paths, (True, False)):
            path.write_text(programs.decoder(640, bad=bad), encoding="utf-8")
        make_page(self.shardy, out, *paths)

    def same(self, out):
        make_page(self.shardy, out, FSDP, FSDP)

    def sweep(self, out):
        self.run("sweep", FSDP, "--random", "150", "--output", out.with_suffix(".json"), "--view", out)

    def two(self, out):
        self.run("sweep", FSDP, "--random", "2", "--output", out.with_suffix(".json"), "--view", out)

    def front(self, out):
        self.run("autoshard", FSDP, "--front", "8", "--view", out)


def take(browser, pages, picture):
    browser.dark(picture.dark)
    if picture.how == "static":
        browser.without_scripts(pages[picture.page])
    elif picture.how == "broken":
        broken = pages[picture.page].with_suffix(".broken.html")
        broken.write_text(pages[picture.page].read_text(encoding="utf-8").replace('data-part="nodes"', 'data-part="none"'), encoding="utf-8")
        browser.driver.get(broken.as_uri())
    else:
        browser.open(pages[picture.page], f"#tab={picture.tab}" if picture.tab else "")
    if picture.how == "print":
        browser.dark(picture.dark, media="print")
    if picture.value:
        browser.run("select_value(program_in_view().values.name.findIndex((at) => program_in_view().text_of(at) === arguments[0]))", picture.value)
    if picture.script:
        browser.run(picture.script)
    if picture.tab == "graph":
        browser.wait("return document.querySelector('.box, #view .empty:not(.waiting)') !== null")
    if picture.hover:
        browser.point_at(*picture.hover)
    time.sleep(0.9)  # the flash of changed values has ended
    return base64.b64decode(browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shardy")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", metavar="GLOB", help="with --all: the states of this name")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    options.folder, options.shardy = options.folder.resolve(), str(pathlib.Path(options.shardy).resolve())
    os.chdir(ROOT)
    width, height = map(int, options.size.split("x"))
    pictures, problems = all_pictures() if options.all else PICTURES, []
    with tempfile.TemporaryDirectory() as folder, Browser(width, height) as browser:
        pages = Pages(options.shardy, pathlib.Path(folder))
        pictures = {name: each for name, each in pictures.items() if fnmatch.fnmatch(name, options.only or "*")}
        for name, picture in pictures.items():
            browser.resize(picture.width or width, height)
            png = take(browser, pages, picture)
            (options.folder / f"{name}.png").write_bytes(png if options.all else with_palette(png))
            problems += [] if picture.how == "broken" else browser.problems()
            browser.driver.get_log("browser")
    total = sum((options.folder / f"{name}.png").stat().st_size for name in pictures)
    print(f"{len(pictures)} pictures, {total:,} bytes")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems or (total > MOST_BYTES and not options.all) else 0


if __name__ == "__main__":
    sys.exit(main())
