#!/usr/bin/env python3
"""The page of `shardy view` in a browser without network: it loads without a message, and its figures are those of the commands.

page_test.py SHARDY ROOT
"""
import pathlib
import re
import sys
import tempfile
import unittest

import programs
from browser import Browser, make_page, report_json
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SHARDY, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
EXAMPLES = ROOT / "examples"
FOLDER = tempfile.TemporaryDirectory(prefix="shardy-view-")
WORK = pathlib.Path(FOLDER.name)
TABS = ["graph", "text", "time", "memory", "collectives", "conflicts", "hints", "notes"]
TOTALS = {"devices": lambda report: report["devices"], "bytes": lambda report: report["bytes"], "collectives": lambda report: report["collectives_run"],
          "collective_seconds": lambda report: report["seconds"], "hidden_seconds": lambda report: report["hidden_seconds"],
          "memory_seconds": lambda report: report["memory_seconds"], "peak": lambda report: report["peak"]["bytes"], "useful": lambda report: report["efficiency"]}


def written(name, text):
    path = WORK / name
    path.write_text(text, encoding="utf-8")
    return path


PROGRAMS = {
    "transformer": EXAMPLES / "transformer.json",
    "moe": EXAMPLES / "moe.json",
    "fsdp": EXAMPLES / "jax/fsdp_sdy.mlir",
    "loop": EXAMPLES / "jax/scan_sdy.mlir",
    "manual": EXAMPLES / "jax/shard_map_auto_sdy.mlir",
    "unsharded": written("unsharded.mlir", programs.UNSHARDED),
    "steps": written("steps.mlir", programs.STEPS),
    "hostile": written("hostile.mlir", programs.hostile(7)),
    "decoder": written("decoder.mlir", programs.decoder(10000, bad=True)),
}


def chain_text(entry):
    """The line of `explain` for an entry of a chain of its JSON document, without the dialect of the op."""
    if entry["kind"] == "annotation":
        return f"{entry['axis']} is an annotation of {entry['value']}"
    if entry["kind"] == "import":
        return f"{entry['axis']} was copied to {entry['value']} before propagation" + (f", from {entry['from']}" if entry["from"] else "")
    if entry["kind"] == "group":
        return f"copied from {entry['from']} in the same sharding group"
    at = f" at {entry['location']}" if entry["location"] else ""
    op = re.sub(r"^(stablehlo|func)\.", "", entry["op"])
    return (f"step {entry['step']}: {op}{at} propagated {entry['axis']} {entry['direction']} along factor {entry['factor']}, from {entry['from']} "
            f"({entry['strategy']}, user priority {entry['user_priority']}, level {entry['level']})")


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.pages = {}

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def tearDown(self):
        self.assertEqual(self.browser.problems(), [], "console messages and requests")

    def open(self, name, address="", *options):
        if name not in self.pages:
            self.pages[name] = make_page(SHARDY, WORK / f"{name}.html", PROGRAMS[name], *options)
        self.browser.open(self.pages[name], address)

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def texts(self, selector):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector)

    def value(self, name):
        """The number of the value that `explain --value` finds by a name."""
        found = self.browser.run("const program = program_in_view(); return program.values.name.findIndex((at) => program.text_of(at) === arguments[0])", name)
        self.assertGreaterEqual(found, 0, name)
        return found

    def select(self, name):
        self.browser.go(value=self.value(name), node=None)
        self.browser.wait("return document.querySelector('#panel .sharding_now') !== null")

    # ---- Loading

    def test_programs_load_in_every_tab_without_a_message(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.open(name)
                for tab in TABS:
                    self.browser.go(tab=tab)
                    self.browser.wait("return document.getElementById('view').textContent !== '' || document.querySelector('#view canvas, #view svg') !== null")
                    self.assertEqual(self.text("[role=tab][aria-selected=true]").rstrip("0123456789,").lower(), tab)
                self.assertEqual(self.browser.problems(), [])

    # ---- Figures

    def test_totals_are_those_of_the_report(self):
        for name, program in PROGRAMS.items():
            with self.subTest(name):
                self.open(name)
                report = report_json(SHARDY, "report", program)
                shown = self.browser.run("return Object.fromEntries([...document.querySelectorAll('[data-total]')].map((each) => [each.dataset.total, each.dataset.value]))")
                self.assertLessEqual({"devices", "bytes", "collectives", "collective_seconds", "peak", "useful"}, set(shown))
                for total, of_report in TOTALS.items():
                    if total in shown:
                        self.assertEqual(float(shown[total]), of_report(report), total)
                bytes_shown = self.text("[data-total=bytes]")
                self.assertIn(f"{report['bytes']:,} byte", bytes_shown)

    def test_collectives_are_those_of_the_report(self):
        self.open("fsdp", "#tab=collectives")
        self.browser.wait("return document.querySelector('#view tbody tr') !== null")
        rows = self.browser.run("return [...document.querySelectorAll('#view tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))")
        report = report_json(SHARDY, "report", PROGRAMS["fsdp"])
        kinds, wanted = sorted(report["by_kind"], key=lambda kind: -kind["seconds"]), report["collectives"]
        self.assertEqual([row[:2] + row[4:] for row in rows[:len(kinds)]],
                         [[f"{each['bytes']:,}", str(each["count"]), each["name"].split(".")[-1]] for each in kinds])
        rows = rows[len(kinds):]
        self.assertEqual([row[0] for row in rows], [f"{each['bytes']:,}" for each in wanted])
        self.assertEqual([row[2].split(" ")[0] for row in rows], [each["kind"].split(".")[-1] for each in wanted])
        self.assertEqual([row[3] for row in rows], [each["type"] for each in wanted])

    def test_values_alive_at_the_peak_add_up_to_it(self):
        for name in ("fsdp", "transformer", "loop"):
            with self.subTest(name):
                self.open(name, "#tab=memory")
                self.browser.wait("return document.querySelector('#view .alive tbody') !== null")
                alive = self.texts("#view .alive tbody td:first-child")
                peak = report_json(SHARDY, "report", PROGRAMS[name])["peak"]["bytes"]
                self.assertEqual(sum(int(each.replace(",", "")) for each in alive), peak)
                self.assertIn(f"{peak:,} bytes", self.text("#view .alive h2"))

    # ---- Search

    def test_search_finds_and_selects(self):
        self.open("transformer")
        body = self.browser.driver.find_element(By.TAG_NAME, "body")
        body.send_keys("/")
        active = self.browser.driver.switch_to.active_element
        self.assertEqual(active.get_attribute("type"), "search")
        active.send_keys("op:dot_general")
        wanted = self.browser.run("const {nodes} = program_in_view(); return nodes.op.filter((op, node) => nodes.kind[node] === 3 && program_in_view().text_of(op).includes('dot_general')).length")
        self.browser.wait("return state.query === 'op:dot_general'")
        self.assertTrue(self.text(".filter p").startswith(f"{wanted:,} op"))
        active.send_keys(Keys.ENTER)
        self.browser.wait("return state.node !== null && program_in_view().op(state.node).includes('dot_general')")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.outline_row.selected').length"), 1)

    def test_filters_hold_for_the_ops_they_list(self):
        self.open("decoder")
        for query, holds in {
            "axis:model": "program.kind(node) === 'op' && program.results(node).some((value) => program.sharding(program.values.sharding[value])?.text.includes('model'))",
            "bytes>24000": "program.nodes.bytes[node] > 24000",
            "conflict": "program.explain.conflict_links.node.includes(node)",
            "line:12": "program.nodes.line[node] === 12",
            "op:dot bytes>1e3": "program.op(node).includes('dot') && program.nodes.bytes[node] > 1000",
        }.items():
            with self.subTest(query):
                self.browser.go(query=query)
                listed, wanted = self.browser.run(f"""const program = program_in_view();
                    const holds = (node) => [0, 3].includes(program.nodes.kind[node]) && ({holds});
                    const wanted = program.nodes.kind.map((_, node) => node).filter(holds);
                    return [page.outline.rows.filter((row) => row.value === undefined && page.outline.hits.matches[row.node]).map((row) => row.node), wanted]""")
                self.assertEqual(sorted(listed), wanted)
                self.assertGreater(len(wanted), 0)

    # ---- Values

    def chains(self):
        return self.browser.run("""return [...document.querySelectorAll('#panel ol.chain')].map((chain) => {
            for (const more of chain.querySelectorAll('li:not([data-decision]) button')) more.click();
            return [Number(chain.dataset.dim), chain.dataset.axis, [...chain.querySelectorAll('li')].map((line) => line.textContent)]; })""")

    def test_a_value_shows_the_chain_of_explain(self):
        for name, values in {"fsdp": ["%2", "%5", "%arg1"], "steps": ["%0", "%2"], "loop": ["%5"]}.items():
            self.open(name)
            for value in values:
                with self.subTest(f"{name} {value}"):
                    self.select(value)
                    ask = self.browser.run("return document.querySelector('#panel [data-ask]').dataset.ask")
                    wanted = report_json(SHARDY, "explain", PROGRAMS[name], "--value", ask)["values"]
                    chains = [[axis["dim"], axis["axis"], [chain_text(entry) for entry in axis["chain"]]] for each in wanted for axis in each["axes"]]
                    shown = [[dim, axis, [line.split(": ", 1)[-1] if "sharding group" in line else line for line in lines]] for dim, axis, lines in self.chains()]
                    self.assertEqual(shown, chains)
                    after = wanted[0]["after"]
                    self.assertEqual(self.browser.run("return document.querySelector('.sharding_now').dataset.sharding"), after or "")

    def cells(self):
        """The cells of the device picture in all slices: elements and devices."""
        return self.browser.run("""const found = [];
            const sliders = [...document.querySelectorAll('#panel .slice input')];
            const visit = (at) => {
              if (at === sliders.length) return found.push(...[...document.querySelectorAll('#panel .cell')].map((cell) => [cell.dataset.elements, cell.dataset.devices]));
              for (let slice = 0; slice <= Number(sliders[at].max); ++slice) { sliders[at].value = slice; sliders[at].dispatchEvent(new Event('input')); visit(at + 1); }
            };
            visit(0);
            return found""")

    @staticmethod
    def cells_of_show(shown):
        found = []
        for shard in shown["shards"]:
            elements = " ".join(f"{first}:{last}" for first, last in shard["elements"])
            copies = {}
            for holder in shard["holders"]:
                copies.setdefault(holder["replica"], []).append(str(holder["device"]))
            found.append([elements, ",".join("+".join(copy) for copy in copies.values())])
        return found

    def test_a_value_shows_the_cells_of_show(self):
        for name, values in {"fsdp": ["%0", "%5", "%arg2"], "steps": ["%2", "%y"], "loop": ["%arg0", "%arg2"]}.items():
            self.open(name)
            for value in values:
                with self.subTest(f"{name} {value}"):
                    self.select(value)
                    ask = self.browser.run("return document.querySelector('#panel [data-ask]').dataset.ask")
                    shown = report_json(SHARDY, "show", PROGRAMS[name], "--value", ask)["values"][0]
                    wanted = [[elements, devices if devices.count(",") < 6 else ",".join(devices.split(",")[:6]) + ",\u2026"] for elements, devices in self.cells_of_show(shown)]
                    self.assertEqual(sorted(self.cells()), sorted(wanted))

    def test_hovering_lights_both_ways(self):
        self.open("fsdp")
        self.select("%0")
        driver = self.browser.driver
        for cell in driver.find_elements(By.CSS_SELECTOR, "#panel .cell"):
            ActionChains(driver).move_to_element(cell).perform()
            devices = cell.get_attribute("data-devices").split(",")
            self.assertEqual(self.browser.run("return [...document.querySelectorAll('.device.lit')].map((each) => each.dataset.device)"), devices)
            self.assertIn(f"device {devices[0]}", self.text("#panel .under"))
        for device in driver.find_elements(By.CSS_SELECTOR, "#panel .device"):
            ActionChains(driver).move_to_element(device).perform()
            lit = self.browser.run("return [...document.querySelectorAll('.cell.lit')].map((each) => each.dataset.devices)")
            self.assertEqual(lit, [device.get_attribute("data-device")])

    def test_axes_keep_their_names(self):
        self.open("hostile", "#tab=graph")
        self.browser.wait("return document.querySelector('.badge') !== null")
        names = self.browser.run("return program_in_view().head.meshes[0].axes.map((axis) => axis.name)")
        for badge in self.texts(".badge > text"):
            self.assertTrue(any(name[:20] in badge for name in names), badge)

    def test_warnings_are_linked_in_the_header(self):
        text = PROGRAMS["fsdp"].read_text(encoding="utf-8").replace("mhlo.num_partitions = 4", "mhlo.num_partitions = 8")
        self.pages["warned"] = make_page(SHARDY, WORK / "warned.html", written("warned.mlir", text))
        self.open("warned")
        link = self.browser.driver.find_element(By.CSS_SELECTOR, "#head .end .link")
        self.assertEqual(link.text, "1 warning")
        link.click()
        self.browser.wait("return document.querySelector('#view .notes li') !== null")
        self.assertIn("mesh @mesh has 4 devices", self.text("#view .notes li"))

    def test_a_click_in_the_text_selects(self):
        self.open("fsdp", "#tab=text")
        self.browser.wait("return document.querySelector('.text_line .value') !== null")
        self.browser.driver.find_element(By.CSS_SELECTOR, f".text_line[data-line='9'] .value[data-value='{self.value('%3')}']").click()
        self.browser.wait("return document.querySelector('#panel h2')?.textContent === '%3'")
        self.assertEqual(self.browser.run("return document.querySelector('.text_line.selected').dataset.line"), "8")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.text_line.marked')].map((each) => each.dataset.line)"), ["9", "10"])

    # ---- Steps

    def test_steps_are_those_of_show(self):
        for name, values in {"steps": ["%0", "%1", "%2"], "fsdp": ["%2", "%5"]}.items():
            self.open(name)
            last = self.browser.run("return program_in_view().walk.length")
            self.assertGreater(last, 1)
            slider = self.browser.driver.find_element(By.CSS_SELECTOR, "#steps input[type=range]")
            for position in (0, 1, last // 2, last - 1, last):
                self.browser.run("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))", slider, position)
                step = self.browser.run("return state.step")
                option = [] if step is None else ["--step", "start" if step == -1 else str(step)]
                for value in values:
                    with self.subTest(f"{name} {value} {option}"):
                        self.select(value)
                        ask = self.browser.run("return document.querySelector('#panel [data-ask]').dataset.ask")
                        shown = report_json(SHARDY, "show", PROGRAMS[name], "--value", ask, *option)["values"][0]
                        sharding = "" if "without a sharding" in shown["title"] else shown["sharding"]
                        self.assertEqual(self.browser.run("return document.querySelector('.sharding_now').dataset.sharding"), sharding)
                        if self.browser.run("return document.querySelector('#panel .cell') !== null"):
                            self.assertEqual(sorted(self.cells()), sorted(self.cells_of_show(shown)))

    # ---- Other documents

    def test_hints_are_those_of_the_command(self):
        self.pages["hints"] = make_page(SHARDY, WORK / "hints.html", PROGRAMS["fsdp"], "--hints")
        self.open("hints", "#tab=hints")
        self.browser.wait("return document.querySelector('.hint') !== null")
        wanted = report_json(SHARDY, "hints", PROGRAMS["fsdp"])
        gains = self.texts(".hint .gain")
        self.assertEqual(len(gains), len(wanted["hints"]))
        for gain, hint in zip(gains, wanted["hints"]):
            change = 100 * (hint["cost"]["modelled_seconds"] / wanted["before"]["modelled_seconds"] - 1)
            self.assertIn(f"{change:+.1f} %", gain)
            self.assertIn(f"{hint['cost']['bytes'] - wanted['before']['bytes']:+,} bytes", gain)
        written = [(hint["after"] or hint["before"], text) for hint, text in zip(wanted["hints"], self.texts(".hint pre"))]
        self.assertEqual([], [(line, text) for line, text in written if line not in text])

    def test_a_comparison_shows_diff(self):
        other = ROOT / "tests/tools/report/replicated.mlir"
        self.pages["compare"] = make_page(SHARDY, WORK / "compare.html", PROGRAMS["fsdp"], other)
        self.open("compare")
        wanted = report_json(SHARDY, "diff", PROGRAMS["fsdp"], other)
        rows = self.browser.run("return [...document.querySelectorAll('.totals_table tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))")
        shown = {row[0]: row[1:] for row in rows}
        self.assertEqual(shown["bytes sent"][:2], [f"{wanted['before']['bytes']:,} bytes", f"{wanted['after']['bytes']:,} bytes"])
        self.assertEqual(shown["collectives"][:2], [str(wanted["before"]["collectives"]), str(wanted["after"]["collectives"])])
        changes = self.texts("#view tbody tr td:first-child")
        for each in wanted["collectives"]:
            self.assertIn(f"{each['bytes_after'] - each['bytes_before']:+,}", changes)
        self.assertEqual(self.browser.run("return page.diff"), wanted)
        for tab in ["both", *TABS]:
            self.browser.go(tab=tab)
        self.browser.go(tab="both")
        self.browser.wait("return document.querySelectorAll('.lines').length === 2 && document.querySelectorAll('.text_line').length > 20")
        self.browser.go(tab="graph", side="before", value=0)
        self.browser.wait("return document.querySelector('#panel h2') !== null")

    def test_a_sweep_shows_its_strategies(self):
        import subprocess
        page, lines = WORK / "sweep.html", WORK / "sweep.json"
        subprocess.run([SHARDY, "sweep", PROGRAMS["fsdp"], "--random", "60", "--output", lines, "--view", page], check=True, capture_output=True)
        self.browser.open(page)
        wanted = [__import__("json").loads(line) for line in lines.read_text().splitlines()]
        self.assertEqual(self.browser.run("return page.sweep.seconds"), [each.get("seconds") for each in wanted])
        self.assertEqual(self.browser.run("return page.sweep.peak_bytes"), [each.get("peak_bytes") for each in wanted])
        self.browser.run("document.querySelector('details').open = true")
        front = self.browser.run("return page.sweep.front")
        better = lambda a, b: a["seconds"] <= b["seconds"] and a["peak_bytes"] <= b["peak_bytes"] and (a["seconds"], a["peak_bytes"]) != (b["seconds"], b["peak_bytes"])
        measured = [each for each in wanted if "seconds" in each]
        for row in front:
            self.assertFalse(any(better(other, wanted[row]) for other in measured))
        self.assertEqual(len(self.texts("details tbody tr")), len(front))
        self.browser.run("document.querySelector('details tbody tr').click()")
        self.assertIn("--after", self.text(".details pre"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
