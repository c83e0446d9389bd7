#!/usr/bin/env python3
"""Outputs of `shardy view`, `show --svg` and `sweep --view`: golden files, valid HTML and SVG, and how the commands end.

view_formats_test.py SHARDY ROOT [--approve]
"""
import base64
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
import zlib

import programs

SHARDY, ROOT = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
APPROVE = "--approve" in sys.argv
GOLDEN = ROOT / "tests/view/golden"
FSDP = ROOT / "examples/jax/fsdp_sdy.mlir"
LAYERS = GOLDEN / "layers.mlir"
GRID = ["--mesh", '<["x"=2, "y"=3]>', "--shape", "5x9", "--sharding", '[{"x"}, {"y"}]']


def shardy(*arguments, cwd=ROOT, **options):
    return subprocess.run([SHARDY, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=cwd, **options)


def parts_of(html):
    """The data of a page, part by part, as a browser unpacks it."""
    scripts = re.findall(r'<script type="application/octet-stream\+base64" data-part="([^"]*)">([^<]*)</script>', html)
    return {name: json.loads(zlib.decompress(base64.b64decode(text), -15)) for name, text in scripts}


def has_pages():
    return shardy("view", FSDP, "-o", "-").returncode == 0


class FormatsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def expect_golden(self, name, got):
        if APPROVE:
            (GOLDEN / name).write_text(got)
        self.assertEqual((GOLDEN / name).read_text(), got, name)

    def test_graphs_are_the_golden_ones(self):
        for form, suffix in (("dot", "dot"), ("model-explorer", "explorer.json")):
            done = shardy("view", "tests/view/golden/layers.mlir", f"--format={form}")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.expect_golden(f"layers.{suffix}", done.stdout)

    def test_graphviz_reads_the_graph(self):
        if shutil.which("dot") is None:
            self.skipTest("graphviz is missing")
        for path in sorted((ROOT / "examples").rglob("*.mlir"))[:10]:
            dot = shardy("view", path, "--format=dot").stdout
            self.assertEqual(subprocess.run(["dot", "-Tsvg"], input=dot, text=True, capture_output=True).returncode, 0, path)

    def test_edges_of_model_explorer_lead_to_nodes(self):
        for path in sorted((ROOT / "examples").rglob("*.mlir")):
            done = shardy("view", path, "--format=model-explorer")
            if done.returncode != 0:
                continue
            for graph in json.loads(done.stdout)[0]["graphs"]:
                outputs = {node["id"]: len(node["outputsMetadata"]) for node in graph["nodes"]}
                self.assertEqual(len(outputs), len(graph["nodes"]))
                for node in graph["nodes"]:
                    for edge in node.get("incomingEdges", []):
                        self.assertLess(int(edge["sourceNodeOutputId"]), outputs[edge["sourceNodeId"]])

    def test_pictures_are_the_golden_ones(self):
        for name, arguments in (("matrix", GRID),
                                ("partial", ["--mesh", '<["x"=4, "y"=2]>', "--shape", "10x8", "--sharding", '[{"x"}, {}], unreduced={"y"}']),
                                ("slices", ["--mesh", '<["x"=2, "y"=2, "z"=2]>', "--shape", "4x6x8", "--sharding", '[{"x"}, {"z"}, {"y"}]'])):
            done = shardy("show", *arguments, "--svg", "-")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            xml.etree.ElementTree.fromstring(done.stdout)
            self.expect_golden(f"{name}.svg", done.stdout)

    def test_a_picture_of_a_million_devices_is_small(self):
        done = shardy("show", "--mesh", '<["x"=1024, "y"=1024]>', "--shape", "4096x4096", "--sharding", '[{"x"}, {"y"}]', "--svg", "-")
        self.assertEqual(done.returncode, 0)
        self.assertLess(len(done.stdout), 2_000_000)
        xml.etree.ElementTree.fromstring(done.stdout)
        self.assertIn("devices 0, ... (256)", done.stdout)

    def test_show_prints_the_path_of_a_picture(self):
        done = shardy("show", FSDP, "--value", "%0", "--svg", self.folder / "value.svg")
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.folder}/value.svg\n"))
        xml.etree.ElementTree.fromstring((self.folder / "value.svg").read_text())
        self.assertEqual(shardy("show", *GRID, "--svg", "-", "--json").returncode, 2)

    def test_a_page_has_the_document_as_parts(self):
        if not has_pages():
            self.skipTest("built without the packages of pages")
        page = shardy("view", FSDP, "-o", "-", "--hints").stdout
        document = json.loads(shardy("view", FSDP, "--format=json", "--hints").stdout)
        self.assertEqual(parts_of(page), document)
        compared = shardy("view", FSDP, "--after", "%arg0=[{}, {}]", "-o", "-").stdout
        document = json.loads(shardy("view", FSDP, "--after", "%arg0=[{}, {}]", "--format=json").stdout)
        flat = {f"{side}.{key}": value for side in ("before", "after") for key, value in document[side].items()}
        self.assertEqual(parts_of(compared), {**flat, **{key: document[key] for key in ("head", "diff", "pairs")}})

    def test_pages_are_valid_html(self):
        if not has_pages() or shutil.which("tidy") is None:
            self.skipTest("tidy or the packages of pages are missing")
        for arguments in ([FSDP], [FSDP, "--hints"], [FSDP, "--after", "%arg0=[{}, {}]"]):
            page = shardy("view", *arguments, "-o", "-").stdout
            done = subprocess.run(["tidy", "-e", "-q", "--mute-id", "yes"], input=page, text=True, capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_page_without_scripts_has_the_totals_and_collectives(self):
        if not has_pages():
            self.skipTest("built without the packages of pages")
        page = re.sub(r"<script.*?</script>", "", shardy("view", FSDP, "-o", "-").stdout, flags=re.S)
        for line in shardy("report", FSDP).stdout.split("\n\n")[0].splitlines():
            self.assertIn(f"<dt>{line[:24].strip()}</dt><dd>{line[24:]}</dd>", page)
        self.assertIn('<td class="number">288</td><td class="number">1</td><td class="number">2.88 ns</td><td>spmd.all_gather {&quot;fsdp&quot;} of tensor&lt;2x12xf32&gt;</td>', page)

    def test_a_comparison_without_scripts_has_the_collectives_that_differ(self):
        if not has_pages():
            self.skipTest("built without the packages of pages")
        other = ROOT / "tests/tools/report/replicated.mlir"
        page = re.sub(r"<script.*?</script>", "", shardy("view", FSDP, other, "-o", "-").stdout, flags=re.S)
        for each in json.loads(shardy("diff", FSDP, other, "--json").stdout)["collectives"]:
            self.assertIn(f'<td class="number">{each["bytes_after"] - each["bytes_before"]:+,}</td>', page)

    def test_like_values_at_the_peak_are_one_row_without_scripts(self):
        if not has_pages():
            self.skipTest("built without the packages of pages")
        program = self.folder / "decoder.mlir"
        program.write_text(programs.decoder(320), encoding="utf-8")
        page = re.sub(r"<script.*?</script>", "", shardy("view", program, "-o", "-").stdout, flags=re.S)
        rows = re.findall(r"<tr>(.*?)</tr>", page.split("Values that are live at peak memory")[1], flags=re.S)[1:]
        cells = [re.findall(r"<td[^>]*>([^<]*)", row) for row in rows]
        live = json.loads(shardy("report", program, "--json").stdout)["peak"]["live"]
        self.assertEqual([sum(int(row[at].replace(",", "")) for row in cells) for at in (0, 1)], [sum(value["bytes"] for value in live), len(live)])
        self.assertEqual(cells[0][1:4], ["64", "tensor&lt;256x64xf32&gt;", "argument 1 of @main and 63 like it"])

    def test_the_default_output_is_a_file_in_the_current_folder(self):
        if not has_pages():
            self.skipTest("built without the packages of pages")
        done = shardy("view", FSDP, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "fsdp_sdy.mlir.html\n"))
        again = shardy("view", FSDP, cwd=self.folder)  # an earlier page is replaced
        self.assertEqual(again.returncode, 0)
        page = self.folder / "fsdp_sdy.mlir.html"
        page.write_text("notes of mine\n")
        refused = shardy("view", FSDP, cwd=self.folder)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("fsdp_sdy.mlir.html exists and is not a page of shardy view", refused.stderr)
        self.assertEqual(page.read_text(), "notes of mine\n")
        named = shardy("view", FSDP, "-o", page)
        self.assertEqual((named.returncode, named.stdout), (0, f"{page}\n"))
        self.assertIn("<title>fsdp_sdy.mlir", page.read_text())
        piped = shardy("view", "-", cwd=self.folder, input=FSDP.read_text())
        self.assertEqual((piped.returncode, piped.stdout), (0, "program.html\n"))

    def test_refusals_name_the_way_out(self):
        refusals = [(["view", "no_such.mlir"], "no_such.mlir"),
                    (["view", FSDP, "--format=png"], "html, json, dot, model-explorer"),
                    (["view", FSDP, FSDP, "--format=dot"], "--format=dot has the graph of one program"),
                    (["view", FSDP, "-o", self.folder / "no" / "page.html"], "no/page.html"),
                    (["view", FSDP, "--after", "%missing=[{}, {}]"], "%missing")]
        for arguments, text in refusals:
            done = shardy(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_a_sweep_has_a_page_with_its_lines(self):
        if not has_pages():
            self.skipTest("built without the packages of pages")
        lines, front, page = (self.folder / name for name in ("lines.json", "front.json", "sweep.html"))
        sets = ["--set", '%arg0=[{"fsdp"}, {}]', "--set", '%arg0=[{}, {"fsdp"}]', "--set", "%arg0=[{?}, {?}, {?}]"]
        done = shardy("sweep", FSDP, *sets, "--random", "6", "-o", lines, "--front", front, "--view", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        parts = parts_of(page.read_text())
        table, strings = parts["sweep"], parts["strings"]
        rows = [json.loads(line) for line in lines.read_text().splitlines()]
        self.assertEqual(parts["head"]["kind"], "sweep")
        self.assertEqual([strings[name] for name in table["name"]], [row["name"] for row in rows])
        for key in ("seconds", "collective_seconds", "peak_bytes", "bytes", "operations"):
            self.assertEqual(table[key], [row.get(key) for row in rows])
        self.assertEqual([strings[text] for text in table["error"]], [row.get("error", "") for row in rows])
        self.assertIn("", [strings[text] for text in table["error"]])
        self.assertEqual([rows[row] for row in table["front"]], [json.loads(line) for line in front.read_text().splitlines()])
        for number, row in enumerate(rows):
            picked = {choice["value"]: choice["alternatives"][choice["pick"][number]] for choice in table["choices"] if choice["pick"][number] >= 0}
            self.assertEqual(picked, row["set"])
        again = shardy("sweep", FSDP, *sets, "--random", "6", "-o", lines, "--resume", "--view", self.folder / "again.html")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(parts_of((self.folder / "again.html").read_text())["sweep"], table)
        self.assertEqual(shardy("sweep", FSDP, *sets, "-o", self.folder / "x", "--view", self.folder / "x").returncode, 2)

    def test_the_commands_of_a_front_show_its_programs(self):
        if not has_pages():
            self.skipTest("built without the packages of pages")
        sys.path.insert(0, str(ROOT / "tests/view"))
        import programs  # pylint: disable=import-outside-toplevel
        decoder = self.folder / "decoder.mlir"
        decoder.write_text(programs.decoder(num_ops=24, layers=2, bad=True))
        transformer, free = ROOT / "examples/jax/transformer_sdy.mlir", ["--ignore-annotations"]
        for program, count, options in (decoder, 4, free), (FSDP, 4, []), (FSDP, 4, free), (transformer, 4, []), (transformer, 1, []):
            page, strategies, lines = (self.folder / name for name in ("front.html", "strategies", "lines"))
            done = shardy("autoshard", program, "--front", str(count), "--candidates", "4", "--effort", "20", "--view", page, *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLess(len(done.stdout.splitlines()), 10)
            parts = parts_of(page.read_text())
            table, strings = parts["sweep"], parts["strings"]
            commands = [shlex.split(strings[text]) for text in table["annotations"]]
            self.assertEqual(commands[0], [])
            sets = []
            for number, words in enumerate(commands[1:], 1):
                if words[:2] == ["shardy", "autoshard"]:  # a program with gathers that are repeated
                    found = json.loads(shardy(*words[1:], "--json").stdout)
                    self.assertLessEqual(found["best"]["peak_bytes"], table["peak_bytes"][number])
                    if number > 1:  # the first one was searched without a limit, which is its peak in the command
                        self.assertEqual(found["best"]["peak_bytes"], table["peak_bytes"][number])
                    sets.append(None)
                    continue
                self.assertEqual(words[:3] if words else [], ["shardy", "view", str(program)] if words else [])
                self.assertEqual(set(words[3::2]), {"--after"} if words else set())
                sets.append(dict(word.split("=", 1) for word in words[4::2]))
                self.assertEqual(len(sets[-1]), len(words[4::2]))
            numbers = [number for number, each in enumerate(sets, 1) if each is not None]
            if not numbers:
                continue
            lines.unlink(missing_ok=True)
            strategies.write_text("".join(json.dumps({"set": each}) + "\n" for each in sets if each is not None))
            swept = shardy("sweep", program, "--strategies", strategies, "-o", lines)
            self.assertEqual(swept.returncode, 0, swept.stdout + swept.stderr)
            rows = [json.loads(line) for line in lines.read_text().splitlines()]
            self.assertEqual(len(rows), len(numbers))
            for number, row in zip(numbers, rows):
                self.assertNotIn("error", row, f"{program} {commands[number]}")
                self.assertAlmostEqual(row["seconds"], table["seconds"][number], delta=1e-6 * row["seconds"], msg=f"{program} {options} {number}")
                self.assertEqual(row["peak_bytes"], table["peak_bytes"][number], f"{program} {options} {number}")
        for form in " before users=", " before %", " attribute=":  # of the transformer
            self.assertIn(form, " ".join(word for words in commands for word in words))
        last = next(words for words in reversed(commands) if words[1:2] == ["view"])
        self.assertEqual(shardy(*last[1:], "-o", self.folder / "shown.html").returncode, 0)

    def test_annotations_of_a_sweep_are_options_of_a_shell(self):
        if not has_pages():
            self.skipTest("built without the packages of pages")
        strategies = self.folder / "strategies.json"
        strategies.write_text(json.dumps({"name": "it's", "set": {"%arg0": '[{"fsdp"}, {}]', "%arg1": "none"}}) + "\n")
        page = self.folder / "sweep.html"
        self.assertEqual(shardy("sweep", FSDP, "--strategies", strategies, "-o", self.folder / "lines", "--view", page).returncode, 0)
        parts = parts_of(page.read_text())
        options = parts["strings"][parts["sweep"]["annotations"][0]]
        words = subprocess.run(["sh", "-c", f"printf '%s\\n' {options}"], capture_output=True, text=True).stdout.splitlines()
        self.assertEqual(words, ["shardy", "view", str(FSDP), "--after", '%arg0=[{"fsdp"}, {}]', "--after", "%arg1=none"])


if __name__ == "__main__":
    os.environ.pop("COLUMNS", None)
    unittest.main(argv=sys.argv[:1])
