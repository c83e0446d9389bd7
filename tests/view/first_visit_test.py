#!/usr/bin/env python3
"""The ten questions of view 1 about a decoder of 32 layers with bad annotations: at most three clicks each, at 1280x720, and the answers of the commands.

first_visit_test.py SHARDY ROOT
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import programs
from browser import Browser, make_page, report_json
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

SHARDY = sys.argv[1]
FOLDER = tempfile.TemporaryDirectory(prefix="shardy-visit-")
WORK = pathlib.Path(FOLDER.name)
MOST_CLICKS = 3

# Texts of boxes that reach beyond their boxes or under their strips of colours.
OUTSIDE = """return [...document.querySelectorAll('.box')].flatMap((box) => {
  const frame = [...box.children].filter((each) => each.tagName === 'rect').pop().getBBox();
  const right = frame.x + frame.width - (box.querySelector('.strip rect') ? 6 : 0);
  return [...box.querySelectorAll(':scope > text, .badge')].filter((each) => {
    const inner = each.tagName === 'g' ? each.querySelector('rect').getBBox() : each.getBBox();
    const shift = each.tagName === 'g' ? each.transform.baseVal.getItem(0).matrix.e : 0;
    return inner.x + shift + inner.width > right;
  }).map((each) => each.textContent); })"""

CLIPPED = """return [...document.querySelectorAll('#view, #view .alive, #view .view_box, #view section, #view td')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== 'inline' && !each.matches('.truncated, .full *:not(.alive, .alive *)'))
  .map((each) => `${each.tagName}.${each.className} ${each.scrollWidth} > ${each.clientWidth}`)"""


def written(name, text):
    path = WORK / name
    path.write_text(text, encoding="utf-8")
    return path


def bytes_of(text):
    return int(text.replace(",", ""))


class FirstVisit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bad, cls.good = written("bad.mlir", programs.decoder(bad=True)), written("good.mlir", programs.decoder())
        small = written("small.mlir", programs.decoder(layers=2, num_ops=20))
        cls.pages = {"bad": make_page(SHARDY, WORK / "bad.html", cls.bad, "--hints"), "compare": make_page(SHARDY, WORK / "compare.html", cls.bad, cls.good),
                     "wide": make_page(SHARDY, WORK / "wide.html", written("wide.mlir", programs.WIDE)),
                     "sweep": WORK / "sweep.html", "unsharded": make_page(SHARDY, WORK / "unsharded.html", written("unsharded.mlir", programs.UNSHARDED))}
        subprocess.run([SHARDY, "sweep", small, "--random", "40", "--output", WORK / "lines.json", "--view", cls.pages["sweep"]], check=True, capture_output=True)
        cls.report = report_json(SHARDY, "report", cls.bad)
        cls.browser = Browser(1280, 720)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def tearDown(self):
        self.assertEqual(self.browser.problems(), [], "console messages and requests")
        self.assertLessEqual(self.clicks, MOST_CLICKS)

    def open(self, page, address=""):
        self.clicks = 0
        self.browser.open(self.pages[page], address)

    def click(self, selector, number=0):
        """Clicks an element in view with the pointer."""
        self.browser.wait("return document.querySelectorAll(arguments[0]).length > arguments[1]", 20, selector, number)
        ActionChains(self.browser.driver).move_to_element(self.browser.driver.find_elements(By.CSS_SELECTOR, selector)[number]).click().perform()
        self.browser.frame()
        self.clicks += 1

    def click_layer(self, name):
        """Clicks the collectives of a layer in the first view."""
        number = self.browser.wait("return [...document.querySelectorAll('.box')].findIndex((box) => box.querySelector('text').textContent === arguments[0]) + 1", 60, name) - 1
        badge = self.browser.run("return [...document.querySelectorAll('.box')][arguments[0]].querySelector('.badge')", number)
        ActionChains(self.browser.driver).move_to_element(badge).click().perform()
        self.clicks += 1
        self.browser.wait("return document.querySelector('#panel .sharding_now') !== null")

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def texts(self, selector):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector)

    def rows(self, selector):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map((row) => [...row.cells].map((cell) => cell.textContent))", selector)

    # ---- The questions

    def test_q1_the_first_view_shows_the_layers_in_the_colours_of_their_axes(self):
        self.open("bad")
        self.browser.wait("return document.querySelector('.box') !== null")
        self.assertEqual(self.texts(".box > text:not(.second)"), [f"layer_{layer}" for layer in range(32)])
        strokes = set(self.browser.run("return [...document.querySelectorAll('.edge:not(.hit)')].map((edge) => getComputedStyle(edge).stroke)"))
        hues = self.browser.run("return [...document.querySelectorAll('#head .mesh .chip')].map((chip) => getComputedStyle(chip).backgroundColor)")
        self.assertEqual(strokes, set(hues))
        self.assertEqual(self.browser.run("return state.scope"), None)
        self.click(".path button")
        self.browser.wait("return document.querySelectorAll('.box').length === 2")
        self.browser.driver.back()
        self.browser.wait("return document.querySelectorAll('.box').length === 32")

    def test_q1_bars_compare_the_rows_of_a_scope(self):
        self.open("bad")
        width = """return Number.parseFloat([...document.querySelectorAll('.outline_row')].find((row) => row.textContent.endsWith(arguments[0]))
            .querySelector('.bar i').style.width)"""
        sent = {layer: sum(each["bytes"] for each in self.report["collectives"] if f"/{layer}/" in each["location"]) for layer in ("layer_0", "layer_3")}
        self.assertLess(sent["layer_0"], sent["layer_3"])
        self.assertEqual(self.browser.run(width, "layer_3"), 100)
        self.assertAlmostEqual(self.browser.run(width, "layer_0"), 100 * sent["layer_0"] / sent["layer_3"], places=3)

    def test_q5_bars_of_the_peak_have_one_scale_and_a_sum_for_arguments(self):
        self.open("bad")
        row = "[...document.querySelectorAll('.outline_row')].find((row) => row.querySelector('.outline_name > bdi').textContent === arguments[0])"
        bar = lambda name: self.browser.run(f"const bar = {row}.querySelector('.bar:last-child'); return [Number.parseFloat(bar.querySelector('i').style.width), bar.title]", name)
        peak = self.report["peak"]
        arguments = sum(each["bytes"] for each in peak["live"] if each["made_by"].startswith("argument "))
        self.assertEqual(bar("main"), [100, f"at the peak: {peak['bytes']:,} bytes"])
        width, title = bar("129 arguments")
        self.assertAlmostEqual(width, 100 * arguments / peak["bytes"], places=3)
        self.assertEqual(title, f"at the peak: {arguments:,} bytes in arguments")
        self.assertEqual(bar("layer_0")[0], 2)

    def test_q1_the_first_view_lists_which_layers_are_alike(self):
        self.open("bad")
        groups = {}
        for layer in range(32):
            own = [each for each in self.report["collectives"] if f"/layer_{layer}/" in each["location"]]
            groups.setdefault((sum(each["bytes"] for each in own), len(own)), []).append(layer)
        wanted = sorted(groups.items(), key=lambda group: (-len(group[1]), group[1]))
        self.assertGreater(len(wanted), 1)
        shown = self.texts("#panel .layers li")
        self.assertEqual(len(shown), len(wanted))
        for text, ((sent, count), layers) in zip(shown, wanted):
            self.assertTrue(text.startswith(f"{len(layers)} alike: layer_{layers[0]}" if len(layers) > 1 else f"1: layer_{layers[0]}"), text)
            self.assertIn(f"each {count} collectives, {sent:,} bytes", text)

    def test_q2_collectives_by_kind_and_at_their_ops(self):
        self.open("bad")
        self.click("#tab-collectives")
        kinds = self.browser.wait("return document.querySelector('.kinds') !== null") and self.rows(".kinds tbody tr")
        wanted = sorted(self.report["by_kind"], key=lambda kind: -kind["seconds"])
        self.assertEqual([[bytes_of(row[0]), int(row[1]), row[4]] for row in kinds],
                         [[each["bytes"], each["count"], each["name"].removeprefix("spmd.")] for each in wanted])
        self.assertEqual(self.texts("[data-total=bytes] dd, [data-total=collectives] dd"), ["2.98 MiB", "111"])
        self.assertEqual(self.browser.run("return document.querySelectorAll('#view section + section tbody tr').length"), 111)

    def test_q3_the_chain_of_a_value_and_the_axis_that_it_lacks(self):
        self.open("bad")
        self.click_layer("layer_3")
        shown = report_json(SHARDY, "explain", self.bad, "--value", "%v30")["values"][0]
        self.assertEqual(self.text("#panel h2"), "%v30")
        lines = self.texts("#panel .chain li")
        chain = shown["axes"][0]["chain"]
        self.assertEqual(len(lines), 5)
        self.assertTrue(lines[0].startswith(f"step {chain[0]['step']}: "))
        self.assertEqual(lines[2], f"{len(chain) - 4} more steps")
        self.assertEqual(lines[-1], '"data" is an annotation of %x')
        self.assertEqual([re.match(r"not (\w+): ", text)[1] for text in self.texts("#panel .absent li")], ["model"])
        self.click("#panel .chain li button.link", 2)
        self.assertEqual(len(self.texts("#panel .chain li")), len(chain))

    def test_q3_what_else_was_possible_for_a_value_and_why_it_lost(self):
        self.open("bad")
        self.click_layer("layer_1")
        at = report_json(SHARDY, "explain", self.bad, "--value", self.text("#panel h2"))["values"][0]["location"]
        lost = [each for each in report_json(SHARDY, "explain", self.bad, "--conflicts")["conflicts"] if each["location"] == at]
        operands = self.browser.run("const program = program_in_view(); return program.operands(program.values.node[state.value]).map((value) => program.value_name(value))")
        lost = [each for each in lost if each["target"] in operands]
        self.assertGreater(len(lost), 0)
        shown = self.texts("#panel .lost li")
        self.assertEqual(len(shown), len(lost))
        for each in lost:
            start = f"also possible: {each['axis'].strip('{}').replace(chr(34), '')} along factor {each['factor']} in {each['target'] or each['in_the_way']}, lost because "
            [line] = [text for text in shown if text.startswith(start)]
            self.assertIn(f"{each['winner']} has it, {each['why']}" if each["winner"] else each["reason"], line)

    def test_q3_equal_conflicts_are_one_entry(self):
        self.open("bad", "#tab=conflicts")
        text = subprocess.run([SHARDY, "explain", self.bad, "--conflicts", "--top", "1000"], capture_output=True, text=True, check=True).stdout
        wanted = []
        for entry in re.split(r"(?m)^(?=conflict: )", text)[1:]:
            more = re.search(r"and ([\d,]+) more like it", entry)
            bytes_of_all = re.search(r"all of them ([\d,]+) bytes", entry)
            wanted.append((re.search(r"does not reach (\S+)", entry)[1], more and more[1], bytes_of_all and bytes_of_all[1]))
        self.assertGreater(sum(each[1] is not None for each in wanted), 1)
        self.browser.wait("return document.querySelector('.conflict') !== null")
        shown = []
        for entry in self.texts(".conflict_groups > ul > li"):
            more = re.search(r"and ([\d,]+) more like it", entry)
            bytes_of_all = re.search(r"all of them ([\d,]+) bytes", entry)
            shown.append((re.search(r"does not reach (%\w+)", entry)[1], more and more[1], bytes_of_all and bytes_of_all[1]))
        self.assertEqual(shown, wanted)
        self.click(".conflict_groups .more")
        self.assertEqual(len(self.texts(".conflict_groups li li")), 12)
        self.browser.run("const field = document.querySelector('.list_filter input'); field.value = 'layer_12/'; field.dispatchEvent(new Event('input'))")
        self.assertEqual(self.text(".list_filter span").split(",")[0], f"{sum('/layer_12/' in each['location'] for each in report_json(SHARDY, 'explain', self.bad, '--conflicts')['conflicts'])} conflicts")

    def test_q4_the_devices_of_a_cell_and_the_names_of_its_colours(self):
        self.open("bad")
        self.click_layer("layer_3")
        cell = self.browser.driver.find_elements(By.CSS_SELECTOR, "#panel .cell")[1]
        ActionChains(self.browser.driver).move_to_element(cell).perform()
        shard = report_json(SHARDY, "show", self.bad, "--value", "%v30")["values"][0]["shards"][1]
        devices = ",".join(str(holder["device"]) for holder in shard["holders"])
        ranges = ", ".join(f"{first}:{last}" for first, last in shard["elements"])
        self.assertIn(f"devices {devices}\n[{ranges}] ", self.text("#panel .under"))
        self.assertEqual(self.text(".cell_colors").split(), ["data", "0", "1"])
        colors = self.browser.run("""return [[...document.querySelectorAll('.cell_colors .square')].map((each) => getComputedStyle(each).backgroundColor),
            [...document.querySelectorAll('#panel .cell')].map((each) => getComputedStyle([...each.querySelectorAll('.face')].pop()).fill)]""")
        self.assertEqual(colors[0], colors[1])
        self.assertEqual(len(set(colors[0])), 2)
        for red, green, blue in (map(int, re.findall(r"\d+", color)) for color in colors[0]):
            self.assertLess(max(red, green, blue) - min(red, green, blue), 20, "hues mean axes")

    def test_q5_equal_values_at_the_peak_are_one_row_that_opens(self):
        self.open("bad")
        self.click("[data-total=peak]")
        rows = self.browser.wait("return document.querySelector('.alive tbody') !== null") and self.rows(".alive tbody tr")
        live = self.report["peak"]["live"]
        groups = {}
        for value in live:
            groups.setdefault((re.sub(r"\d+", "*", value["made_by"] + value["location"]), value["type"]), []).append(value["bytes"])
        self.assertEqual([bytes_of(row[0]) for row in rows], sorted((sum(group) for group in groups.values()), reverse=True))
        self.assertEqual(rows[0][3], "64 arguments of @main %w0_0 \u2026 %w31_3")
        self.click(".alive tbody button")
        opened = self.rows(".alive tbody tr")
        self.assertEqual(len(opened), len(rows) + 63)
        self.assertEqual(opened[0][3], "%w0_0 argument 1 of @main ")
        self.assertEqual(sum(bytes_of(row[0]) for row in opened), self.report["peak"]["bytes"])
        self.click(".alive tbody button")
        self.browser.wait("return document.querySelector('#panel h2')?.textContent === '%w0_0'")

    def test_q6_the_time_by_kind_and_by_place(self):
        self.open("bad")
        self.click("[data-total=collective_seconds]")
        self.browser.wait("return document.querySelector('.kinds') !== null")
        time = lambda seconds: self.browser.run("return time_text(arguments[0])", seconds)
        kinds = [(each["name"].removeprefix("spmd."), each["seconds"]) for each in self.report["by_kind"]]
        kinds.append(("computation", self.report["modelled_seconds"] - self.report["seconds"]))
        self.assertEqual([[row[3], row[0]] for row in self.rows(".kinds tbody tr")],
                         [[name, time(seconds)] for name, seconds in sorted(kinds, key=lambda kind: -kind[1])])
        places = self.rows(".kinds tbody tr, .alive section + section tbody tr")[len(kinds):]
        wanted = {re.sub(r'loc\("jit\(step\)/(.*)"\)', r"\1", each["name"]): each for each in self.report["by_location"]}
        self.assertEqual({row[3]: row[:2] for row in places}, {name: [time(each["seconds"]), str(each["count"])] for name, each in wanted.items()})
        self.click(".alive section + section tbody tr")
        self.assertIn(places[0][3].rsplit("/", 1)[0], self.text("#panel p"))

    def test_q7_a_step_flashes_in_folded_boxes_and_leads_to_its_op(self):
        self.open("bad")
        self.browser.wait("return document.querySelector('#steps input') !== null && document.querySelector('.box') !== null")
        self.click("#steps input")
        place = re.search(r" at (layer_\d+)/(\w+)/(\w+) propagated", self.text(".steps_line .now"))
        self.assertIsNotNone(place)
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.box.flash')].map((box) => box.querySelector('text').textContent)"), [place[1]])
        self.click(".steps_line .now a")
        self.assertEqual(self.browser.run("return program_in_view().place(state.node)"), f"jit(step)/{place[1]}/{place[2]}/{place[3]}")
        self.assertEqual(self.text(".steps_line .now b"), f"step {self.browser.run('return state.step')}")

    def test_q7_a_link_to_a_step_shows_the_step(self):
        self.open("bad", "#tab=time&value=159&node=43")
        self.click("#panel .chain button[title='show this step']")
        self.browser.wait("return document.querySelector('.box.flash') !== null")
        self.assertEqual(self.browser.run("return [state.tab, state.step !== null]"), ["graph", True])
        clipped = "const now = document.querySelector('.steps_line .now'); return [now.scrollWidth > now.clientWidth, now.scrollHeight > now.clientHeight + 1]"
        self.assertEqual(self.browser.run(clipped), [False, False])
        self.browser.point_at(".steps_line .track input", 0.9)
        self.assertRegex(self.browser.wait("return document.querySelector('#steps .note_box:not([hidden])')?.textContent"), r"^steps \d+ to \d+: user priority 0, ")

    def test_q8_a_hint_names_its_value_and_its_gain(self):
        self.open("bad")
        self.click("#tab-hints")
        hints = report_json(SHARDY, "hints", self.bad)
        self.browser.wait("return document.querySelector('.hint') !== null")
        self.assertEqual([re.match(r"%\w+", text)[0] for text in self.texts(".hint .gain")], [hint["value"] for hint in hints["hints"]])
        self.click(".hint .copy")
        self.browser.wait("return document.querySelector('.hint .copy').textContent === 'copied'")

    def test_q9_what_differs_between_two_versions(self):
        self.open("compare")
        diff = report_json(SHARDY, "diff", self.bad, self.good)
        first = diff["shardings"][0]
        self.assertEqual(self.rows(".totals_table tbody tr")[0][1:3], [f"{diff[side]['bytes']:,} bytes" for side in ("before", "after")])
        self.click(".sharding_cell button")
        self.browser.wait("return document.querySelector('#panel .sharding_now') !== null")
        self.assertEqual(self.text("#panel h2"), "%w3_0")
        self.assertEqual(self.browser.run("return document.querySelector('.sharding_now').dataset.sharding"), first["before"])
        self.assertEqual(self.text("#head [aria-pressed=true]"), "before bad.mlir")
        self.click("#head [aria-pressed=false]")
        self.browser.wait("return document.querySelector('[data-total=bytes]').dataset.value === arguments[0]", 20, str(diff["after"]["bytes"]))

    def test_q10_the_front_and_the_choices_that_it_shares(self):
        self.open("sweep")
        self.assertTrue(self.browser.run("return document.querySelector('details').open"))
        shown = self.text(".sweep_lines .bar_line")
        self.assertRegex(shown, r"choices 1 to \d of \d+")
        self.click(".sweep_lines button", 1)
        self.assertNotEqual(self.text(".sweep_lines .bar_line"), shown)
        top = "return document.querySelector('details tbody tr').getBoundingClientRect().top"
        before = self.browser.run(top)
        self.click("details tbody tr")
        self.assertEqual(self.browser.run(top), before)
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('details tbody tr')].map((row) => row.classList.contains('selected')).indexOf(true)"), 0)
        front = self.browser.run("return page.sweep.front")
        self.assertEqual(self.text(".details pre"), self.browser.run("return page.strings[page.sweep.annotations[arguments[0]]]", front[0]))
        equal = """const {choices, front} = page.sweep;
            for (const row of front) choices[0].pick[row] = 0;
            return [page.sweep_view.ordered_choices(), choices[0].value].map((each) => each.map?.((choice) => choice.value) ?? each)"""
        differing, same = self.browser.run(equal)
        self.assertNotIn(same, differing)
        self.assertGreater(len(differing), 1)

    def test_notes_of_edges_leave_with_the_graph(self):
        self.open("bad")
        x, y = self.browser.wait("""const path = document.querySelector('.edge.hit');
            if (!path) return null;
            const at = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM());
            return [at.x, at.y]""")
        for kind, where in (("mouseMoved", x - 1), ("mouseMoved", x)):
            self.browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": where, "y": y})
        self.browser.wait("return document.querySelector('.note_box:not([hidden])') !== null")
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1})
        self.browser.wait("return state.scope !== null && document.querySelector('.box') !== null")
        self.browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 20, "y": 400})
        self.browser.frame()
        self.assertEqual(self.texts(".note_box:not([hidden])"), [])

    def test_search_opens_arguments(self):
        self.open("bad")
        self.browser.run("page.outline.input.focus()")
        self.browser.driver.switch_to.active_element.send_keys("w12_3")
        self.browser.wait("return state.query === 'w12_3'")
        self.assertEqual(self.text(".filter p"), "1 argument matches")
        self.assertEqual([re.sub("[-+\u2212]", "", text).strip() for text in self.texts(".outline_name > bdi:not(.quiet)")], ["main", "%w12_3"])
        self.browser.driver.switch_to.active_element.send_keys("\ue007")
        self.browser.wait("return document.querySelector('#panel h2')?.textContent === '%w12_3'")

    def test_search_finds_the_ops_of_conflicts(self):
        self.open("bad", "#query=conflict%20layer_12%2F")
        conflicts = report_json(SHARDY, "explain", self.bad, "--conflicts")["conflicts"]
        places = {(each["location"], each["target"]) for each in conflicts if "/layer_12/" in each["location"]}
        self.assertGreater(len(places), 0)
        self.browser.wait("return document.querySelector('.filter p').textContent !== 'No op matches; ? lists the filters.'")
        self.assertEqual(self.text(".filter p"), f"{len(places)} ops match")
        self.browser.go(query="conflict")
        self.assertEqual(self.browser.run("return page.outline.hits.count"), len({(each["location"], each["target"]) for each in conflicts}))

    # ---- Looks

    def test_texts_stay_inside_boxes_and_tables_inside_the_view(self):
        for page, tabs in (("bad", ["graph", "time", "memory", "collectives", "conflicts", "hints"]), ("compare", ["changes", "collectives"]),
                           ("wide", ["graph", "time", "memory", "collectives", "conflicts"])):
            for address in ("", "#value=159&node=43&scope=42"):
                self.open(page, address)
                for tab in tabs:
                    with self.subTest(f"{page} {address} {tab}"):
                        self.browser.go(tab=tab)
                        self.browser.wait("return document.querySelector('#view .box, #view tbody, #view .conflict, #view .hint') !== null")
                        self.assertEqual(self.browser.run(OUTSIDE), [])
                        self.assertEqual(self.browser.run(CLIPPED), [])

    def test_the_page_of_a_comparison_fits_the_window_and_its_tabs_do_not_move(self):
        self.open("compare", "#side=before")
        tabs = "return [...document.querySelectorAll('[role=tab]')].map((tab) => [tab.textContent, tab.getBoundingClientRect().left, tab.getBoundingClientRect().top])"
        first = self.browser.run(tabs)
        self.assertEqual(len({top for _, _, top in first}), 1)
        self.assertIn("Conflicts" + str(self.browser.run("return program_in_view().head.num_conflicts")), [text for text, _, _ in first])
        self.assertEqual(self.browser.run("return program_in_view().head.num_conflicts"), len(report_json(SHARDY, "explain", self.bad, "--conflicts")["conflicts"]))
        for tab in ("both", "graph", "text", "time", "memory", "collectives", "conflicts", "notes", "both"):
            with self.subTest(tab):
                self.browser.go(tab=tab)
                self.browser.wait("return document.getElementById('view').textContent !== ''")
                size = "const page = document.documentElement; return [page.scrollWidth, page.scrollHeight, document.querySelector('.tabs').scrollWidth <= document.querySelector('.tabs').clientWidth]"
                self.assertEqual(self.browser.run(size), [1280, 720, True])
        self.assertEqual([text for text, _, _ in self.browser.run(tabs)], [text for text, _, _ in first])
        for tab in ("graph", "conflicts"):
            self.browser.go(tab=tab)
            self.assertEqual(self.browser.run(tabs), first)

    def test_a_click_on_a_row_opens_it_and_the_panel_begins_at_its_top(self):
        self.open("bad", "#value=131&node=10")
        self.browser.wait("return document.querySelector('#panel .lost, #panel .chain') !== null")
        self.browser.run("document.getElementById('panel').scrollTop = 400")
        row = "[...document.querySelectorAll('.outline_row')].findIndex((row) => row.querySelector('.outline_name > bdi').textContent === arguments[0])"
        self.click(".outline_row .outline_name > bdi:first-of-type", self.browser.run(f"return {row}", "layer_2"))
        self.assertEqual(self.browser.run("return document.getElementById('panel').scrollTop"), 0)
        at = self.browser.run(f"return {row}", "layer_2")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.outline_row')].slice(arguments[0] + 1, arguments[0] + 3).map((each) => each.querySelector('bdi').textContent)", at), ["attn", "mlp"])

    def test_numbers_of_tables_below_each_other_align(self):
        self.open("bad", "#tab=time")
        self.browser.wait("return document.querySelectorAll('#view table').length === 2")
        right = "return [...document.querySelectorAll('#view table')].map((table) => [...table.rows[1].cells].map((cell) => Math.round(cell.getBoundingClientRect().right)).slice(0, 3))"
        kinds, places = self.browser.run(right)
        self.assertEqual(kinds, places)

    def test_texts_of_the_clock_do_not_overlap(self):
        self.open("unsharded", "#tab=time")
        self.browser.wait("return document.querySelector('#view .kinds') !== null")
        self.assertEqual(self.texts("#view .kinds th"), ["time", "", "kind"])
        self.browser.run("""window.texts = [];
            const write = CanvasRenderingContext2D.prototype.fillText;
            CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { if (y === 16) texts.push([x, x + this.measureText(text).width]); write.call(this, text, x, y); };
            page.center.now.canvas.schedule()""")
        self.browser.frame()
        texts = sorted({tuple(each) for each in self.browser.run("return texts")})  # a second frame draws the same again
        self.assertGreater(len(texts), 2)
        for (_, end), (begin, _) in zip(texts, texts[1:]):
            self.assertLess(end + 8, begin, texts)

    def test_ticks_of_an_axis_differ(self):
        self.open("sweep")
        for low in (0, 1, 700, 1023, 5000, 3 << 20, 7 << 30):
            for share in (0.05, 0.3, 1, 40):
                with self.subTest(f"{low} {share}"):
                    ticks = self.browser.run("return byte_ticks(arguments[0], arguments[1], 6).map(tick_bytes)", low, low + max(8, low * share))
                    self.assertEqual(len(set(ticks)), len(ticks), ticks)
                    self.assertTrue(1 <= len(ticks) <= 7, ticks)
        self.assertEqual(self.browser.run("return [0, 8388608, 9961472, 768].map(tick_bytes)"), ["0", "8 MiB", "9.5 MiB", "768 bytes"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
