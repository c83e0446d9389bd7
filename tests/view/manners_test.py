#!/usr/bin/env python3
"""Manners of the page of `shardy view`: keyboard, deep links, dark mode, contrast, names and roles, print, valid HTML.

manners_test.py SHARDY ROOT
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import programs
from browser import Browser, make_page
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SHARDY, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory(prefix="shardy-view-")
WORK = pathlib.Path(FOLDER.name)
TABS = ["graph", "text", "time", "memory", "collectives", "conflicts", "hints", "notes"]

# Texts with less contrast than 4.5:1, of HTML and of SVG: the background is that of the nearest ancestor, or of the shape before the text in its group.
CONTRAST = """
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const rgb = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
const light = ([r, g, b]) => { const f = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
const background = (node) => {
  if (node instanceof SVGElement) {
    for (let each = node.previousElementSibling; each; each = each.previousElementSibling) {
      const fill = getComputedStyle(each).fill;
      if (each.tagName === 'rect' && fill !== 'none' && !fill.startsWith('url')) return rgb(fill);
    }
  }
  for (let each = node; each; each = each.parentElement) {
    const color = rgb(getComputedStyle(each).backgroundColor);
    if (color[3] === 255 && !(each instanceof SVGElement)) return color;
  }
  return rgb(getComputedStyle(document.body).backgroundColor);
};
const found = [];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let text = walk.nextNode(); text; text = walk.nextNode()) {
  const node = text.parentElement;
  if (!text.data.trim() || !node.getClientRects().length || ['SCRIPT', 'STYLE', 'TITLE', 'title'].includes(node.tagName) || node.closest('.offscreen')) continue;
  const style = getComputedStyle(node);
  const [ink, paper] = [light(rgb(node instanceof SVGElement ? style.fill : style.color)), light(background(node))];
  const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
  if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${node.tagName}.${node.getAttribute('class')}: ${text.data.slice(0, 40)}`);
}
return found"""

UNNAMED = """
const text = (node) => (node.getAttribute('aria-label') ?? node.getAttribute('aria-labelledby') ?? node.textContent ?? '').trim() || node.getAttribute('placeholder') || '';
const found = [...document.querySelectorAll('#app button, #app input, #app canvas, #app [role], #app nav, #app aside, dialog')].filter((node) => node.getClientRects().length && !['presentation', 'status'].includes(node.getAttribute('role')) && !text(node)).map((node) => node.outerHTML.slice(0, 120));
const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
found.push(...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => 'twice: ' + id));
for (const tab of document.querySelectorAll('[role=tab]')) if (!document.getElementById(tab.getAttribute('aria-controls'))) found.push('tab without a panel');
for (const item of document.querySelectorAll('[role=treeitem]')) if (!item.closest('[role=tree]') || !item.getAttribute('aria-level')) found.push('treeitem');
return found"""


class Manners(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        path = WORK / "decoder.mlir"
        path.write_text(programs.decoder(640, bad=True), encoding="utf-8")
        cls.page = make_page(SHARDY, WORK / "decoder.html", path)
        cls.small = make_page(SHARDY, WORK / "fsdp.html", ROOT / "examples/jax/fsdp_sdy.mlir", "--hints")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def tearDown(self):
        self.assertEqual(self.browser.problems(), [], "console messages and requests")
        self.browser.dark(False)

    def press(self, *keys):
        ActionChains(self.browser.driver).send_keys(*keys).perform()
        self.browser.frame()

    def state(self):
        return self.browser.run("return {...state}")

    # ---- Keyboard

    def test_every_tab_works_by_keyboard_alone(self):
        self.browser.open(self.small)
        for number, tab in enumerate(TABS, 1):
            self.press(str(number))
            self.assertEqual(self.state()["tab"], tab)
            self.assertEqual(self.browser.run("return document.querySelector('[role=tab][aria-selected=true]').id"), "tab-" + tab)
        self.press("1")
        self.browser.run("document.querySelector('[role=tab][aria-selected=true]').focus()")
        for tab in TABS[1:] + TABS[:1]:
            self.press(Keys.ARROW_RIGHT)
            self.assertEqual(self.state()["tab"], tab)
        for tab, act in {"graph": self.walk_graph, "text": self.walk_lines, "time": self.walk_events, "memory": self.walk_points, "collectives": self.follow_link}.items():
            with self.subTest(tab):
                self.browser.go(tab=tab, value=None, node=None)
                self.browser.wait("return document.querySelector('#view [tabindex=\"0\"], #view button') !== null")
                self.press("c")
                act()

    def walk_graph(self):
        self.browser.wait("return document.querySelector('#view .box') !== null")
        self.press(Keys.ARROW_DOWN)
        first = self.browser.wait("return document.querySelector('.box.selected')?.getAttribute('aria-label')")
        self.press(Keys.ARROW_DOWN)
        self.assertNotEqual(self.browser.run("return document.querySelector('.box.selected').getAttribute('aria-label')"), first)
        before = self.browser.run("return page.center.now.content.getAttribute('transform')")
        self.press("+")
        self.assertNotEqual(self.browser.run("return page.center.now.content.getAttribute('transform')"), before)

    def walk_lines(self):
        self.press(Keys.ARROW_DOWN)
        self.press(Keys.ARROW_DOWN)
        self.assertIsNotNone(self.state()["node"])

    def walk_events(self):
        self.press(Keys.ARROW_RIGHT)
        self.assertIsNotNone(self.state()["node"])

    def walk_points(self):
        self.press(Keys.ARROW_RIGHT)
        self.assertIsNotNone(self.state()["point"])
        self.press("p")
        self.assertIsNone(self.state()["point"])

    def follow_link(self):
        self.press(Keys.ENTER)
        self.assertIsNotNone(self.state()["node"])

    def test_outline_and_steps_by_keyboard(self):
        self.browser.open(self.page)
        self.press("o")
        self.press(Keys.ARROW_DOWN)
        rows = self.browser.run("return page.outline.rows.length")
        for _ in range(3):
            self.press(Keys.ARROW_DOWN)
        self.press(Keys.ARROW_RIGHT)
        self.assertGreater(self.browser.run("return page.outline.rows.length"), rows)
        self.assertIsNotNone(self.browser.run("return document.getElementById(page.outline.tree.getAttribute('aria-activedescendant'))"))
        self.press("[")
        before = self.state()["step"]
        self.assertIsNotNone(before)
        self.press("]")
        self.assertIsNone(self.state()["step"])
        self.press("[", "[", " ")
        self.browser.wait("return state.step === null", 10)
        self.press(Keys.ESCAPE)
        self.assertIsNone(self.state()["value"])

    def test_question_mark_lists_the_keys(self):
        self.browser.open(self.small)
        self.press("?")
        self.assertTrue(self.browser.run("return document.getElementById('keys').open"))
        self.press(Keys.ESCAPE)
        self.assertFalse(self.browser.run("return document.getElementById('keys').open"))

    # ---- Links

    def test_deep_links_restore_the_view_and_back_returns(self):
        self.browser.open(self.small)
        self.browser.go(tab="text")
        self.browser.go(value=4, node=None)
        self.browser.go(step=1)
        self.browser.go(query="op:dot")
        wanted = self.state()
        address = self.browser.run("return location.hash")
        panel = self.browser.run("return document.getElementById('panel').textContent")
        self.browser.open(self.small, address)
        self.assertEqual(self.state(), wanted)
        self.browser.wait("return document.querySelector('.text_line.selected') !== null")
        self.assertEqual(self.browser.run("return document.getElementById('panel').textContent"), panel)
        self.assertEqual(self.browser.run("return page.outline.input.value"), "op:dot")
        self.browser.go(tab="memory")
        self.browser.driver.back()
        self.browser.wait("return state.tab === 'text' && state.value === 4")
        self.browser.driver.forward()
        self.browser.wait("return state.tab === 'memory'")

    def test_links_to_nothing_are_harmless(self):
        for address in ("#value=99999999", "#node=-5&tab=graph", "#scope=123456", "#tab=%E0%A4%A", "#step=99999", "#tab=<script>", "#point=99999&tab=memory", "#value=1e9&syntax=xml"):
            with self.subTest(address):
                self.browser.open(self.small, address)
                self.assertEqual(self.browser.problems(), [])

    # ---- Looks

    def test_contrast_and_names_in_light_and_dark(self):
        for dark in (False, True):
            self.browser.dark(dark)
            for page in (self.small, self.page):
                self.browser.open(page, "#value=5")
                paper = self.browser.run("return getComputedStyle(document.body).backgroundColor")
                self.assertEqual(sum(int(part) for part in paper[4:-1].split(",")) < 300, dark)
                for tab in TABS:
                    with self.subTest(f"{'dark' if dark else 'light'} {tab}"):
                        self.browser.go(tab=tab)
                        if tab == "graph":
                            self.browser.wait("return document.querySelector('.box') !== null")
                        self.assertEqual(self.browser.run(CONTRAST), [])
                        self.assertEqual(self.browser.run(UNNAMED), [])

    def test_controls_have_names_for_assistive_software(self):
        self.browser.open(self.small, "#value=5")
        nodes = self.browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        named = {"button", "link", "textbox", "searchbox", "slider", "tab", "tree", "treeitem", "tabpanel", "dialog", "img", "Canvas"}
        roles = [(each.get("role", {}).get("value"), each.get("name", {}).get("value", "")) for each in nodes if not each.get("ignored")]
        self.assertEqual([role for role, name in roles if role in named and not name.strip()], [])
        self.assertLessEqual({"button", "searchbox", "slider", "tab", "tree", "treeitem", "tabpanel", "main"}, {role for role, _ in roles})

    def test_small_and_large_screens_have_no_sideways_scrolling(self):
        for size in ((800, 720), (1280, 720), (2560, 1440), (3840, 2160)):
            self.browser.resize(*size)
            self.browser.open(self.page, "#value=5")
            for tab in TABS:
                self.browser.go(tab=tab)
                wide, high = self.browser.run("return [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]")
                self.assertLessEqual((wide, high), (0, 0), f"{size} {tab}")
            truncated = "return [...document.querySelectorAll('.outline_name bdi:not(.type)')].filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent)"
            self.assertEqual(self.browser.run(truncated), [], size)
        self.browser.resize(1280, 720)

    def test_a_page_that_cannot_be_drawn_shows_the_error_and_the_totals(self):
        broken = WORK / "broken.html"
        broken.write_text(self.small.read_text(encoding="utf-8").replace('data-part="nodes"', 'data-part="none"'), encoding="utf-8")
        self.browser.driver.get(broken.as_uri())
        self.browser.wait("return document.querySelector('#static [role=alert]') !== null")
        text = self.browser.driver.find_element(By.ID, "static").text
        for wanted in ("could not be drawn", "936 bytes"):
            self.assertIn(wanted, text)
        self.assertEqual(len(self.browser.problems()), 1)

    def test_print_and_pages_without_script_have_totals_and_collectives(self):
        self.browser.open(self.small)
        shown = "return [getComputedStyle(document.getElementById('static')).display, getComputedStyle(document.getElementById('app')).display]"
        self.assertEqual(self.browser.run(shown), ["none", "grid"])
        self.browser.dark(False, media="print")
        self.assertEqual(self.browser.run(shown), ["block", "none"])
        self.assertEqual(self.browser.run("return document.querySelector('#static h1').textContent"), "fsdp_sdy.mlir")
        sides = self.browser.run("return [...document.querySelectorAll('#static tbody tr:first-child td')].map((cell) => [getComputedStyle(cell).textAlign, /^[\\d,]+( |$)/.test(cell.textContent) || /^[\\d.]+ ns/.test(cell.textContent)])")
        self.assertEqual([side == "right" for side, _ in sides], [number for _, number in sides])
        self.browser.dark(False)
        self.browser.without_scripts(self.small)
        text = self.browser.driver.find_element(By.ID, "static").text
        for wanted in ("936 bytes", "688 bytes", "all_gather", "reduce_scatter", "5:10"):
            self.assertIn(wanted, text)

    @unittest.skipUnless(shutil.which("tidy"), "tidy is not installed")
    def test_pages_are_valid_html(self):
        for page in (self.small, self.page):
            done = subprocess.run(["tidy", "-quiet", "-errors", "--gnu-emacs", "yes", str(page)], capture_output=True, text=True, check=False)
            self.assertLess(done.returncode, 2, done.stderr[:2000])
            self.assertNotIn("Error", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
