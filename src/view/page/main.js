"use strict";

// The page: loads the document, builds the screen, and notifies the views of state changes.

// ---- Header -------------------------------------------------------------------------------------
// The file, the mesh, and the totals of the report. Each figure is a link to the view that explains it.

const kFigures = {  // from the id of a total to its label and the tab that explains it
  bytes: ["sent per device", "collectives"],
  collectives: ["collectives", "collectives"],
  collective_seconds: ["communication", "time"],
  operation_seconds: ["computation", "time"],
  hidden_seconds: ["hidden", "time"],
  memory_seconds: ["waiting for memory", "time"],
  peak: ["peak memory per device", "memory"],
  useful: ["useful work", "conflicts"],
  padding: ["padding", "memory"],
};

function mesh_chips(program) {
  return program.head.meshes.map((mesh) => element("span", {class: "mesh", title: mesh.text},
      name_of("@" + mesh.name.replace(/^@/, ""), {class: "quiet"}), " ",
    mesh.axes.length === 0 ? element("span", {class: "chip plain"}, counted(mesh.devices, "device")) : null,
    mesh.axes.map((axis) => axis_chip(program.axis_named(axis.name), axis.name + " " + grouped(axis.size)))));
}

/// Splits the text of a total into the large number and the words after it, such as "3.24 KiB" and "3,318 bytes at stablehlo.add, 5:3".
function figure_texts(text) {
  const [, number, rest] = text.match(/^((?:[\d,.]+(?:e[+-]\d+)?|-)(?: (?:%|[KMGTPE]iB|bytes?|[num]?s|[MGTP]))?)( .*)?$/) ?? [null, text];
  const [, binary, after] = rest?.match(/^ \(([\d,.]+ [KMGTPE]iB)\)(.*)$/) ?? [];
  return binary ? [binary, number + after] : [number, rest?.trim() ?? ""];
}

/// Returns a figure: the number above its name. The tooltip has the whole line of the report.
function figure(total) {
  const [label, tab] = kFigures[total.id];
  const [number, rest] = figure_texts(total.text);
  const exact = /^[\d,]+ bytes?/.exec(rest)?.[0];
  return element("button", {class: "figure", "data-total": total.id, "data-value": total.value, title: [`${total.label}: ${total.text}`, words_in(label)].filter((line) => line).join("\n"),
      onclick: () => change_state({tab})},
                 element("dd", {}, number), element("dt", {}, label || total.label,
                     exact ? element("span", {class: "exact"}, " \u00b7 " + exact) : null));
}

/// Returns the choice of the program that the header, the outline and the panel show.
function side_switch() {
  return element("span", {class: "switch", role: "group", "aria-label": "program in view"}, ["before", "after"].map((side) => element("button",
      {"aria-pressed": String(state.side === side), onclick: () => change_state({side, value: null, node: null, scope: null, step: null})},
      `${side} `, name_of(page.programs[side].head.title, {}, 40))));
}

/// Returns a link to the warnings, or nothing if the program has none.
function warnings_link(program) {
  const count = program.head.notes.filter((note) => note.severity === "warning").length;
  return count === 0 ? null : element("button", {class: "link", onclick: () => change_state({tab: "notes"})}, counted(count, "warning"));
}

function draw_header(program) {
  const head = document.getElementById("head");
  const devices = program.head.totals.find((total) => total.id === "devices");
  const title = element("div", {class: "title"}, element("h1", {}, name_of(page.programs.only ? program.head.title : page.head.title)),
      mesh_chips(program),
    devices ? element("span", {class: "quiet", "data-total": "devices", "data-value": devices.value}, counted(devices.text.split(" ")[0], "device"))
        : null,
    element("span", {class: "end"}, warnings_link(program), page.programs.only ? null : side_switch(), element("button", {class: "quiet", onclick: show_keys, title: "signs, words and keys"}, element("kbd", {}, "?"))));
  const totals = Object.keys(kFigures).flatMap((id) => program.head.totals.filter((total) => total.id === id));
  replace_children(head, title, element("div", {class: "figures", role: "group", "aria-label": "totals per device"}, totals.map(figure)));
}

// ---- Keys ---------------------------------------------------------------------------------------
// Keyboard control. All elements of the page can be reached by keys.

const kKeys = [
  ["/", ["search and filter: ", element("span", {class: "code"}, "op:dot_general axis:x bytes>1e6 line:31 replicated conflict")]],
  ["1 to 8", "the tabs"],
  ["o, c, p", "to the outline, the centre, the panel"],
  ["\u2191 \u2193", "next row, op, line or point of what has the focus"],
  ["\u2190 \u2192", "close and open a row; previous and next event or point; next box"],
  ["Enter", "open a folded box or row; Backspace: to the scope around it"],
  ["[ ]", "step back, step forward"],
  ["space", "play and pause the steps"],
  ["+ \u2212 0", "zoom in, zoom out, fit"],
  ["Alt + \u2190", "back to the view before"],
  ["Escape", "clear the selection"],
  ["?", "signs, words, keys"],
];

// Words of the page that need an explanation.
const kWords = [
  ["factor", "a name of dims that belong together in an op: i of a product are the rows of its left operand and of its result"],
  ["open, closed", "propagation may shard an open dim further (?), a closed one not (\u2013)"],
  ["forward, backward, sideways", "from operands to results, from results to operands, between operands or between results"],
  ["user priority", "the priority of the annotations of a round (p1 in a sharding); 0 comes first"],
  ["level", "the round of op priorities: 0 and 1 elementwise ops, 2 dims that pass through an op, 3 and 4 all dims"],
  ["elements", "the size of the tensor from which an axis comes; the axis of the larger one wins"],
  ["useful work", "the share of the operations of all devices that the unsharded program needs"],
];

/// Returns the words that a text contains, with their explanations, for a tooltip.
function words_in(text) {
  return kWords.filter(([words]) => words.split(", ").some((word) => text.includes(word))).map(([words, meaning]) => `${words}: ${meaning}`).join("\n");
}

/// Returns what squares, lines and signs of the page mean.
function signs() {
  const square = (axis) => element("span", {class: "dims"}, element("span", {class: axis ? "dim" : "dim whole"}, axis ? axis_square(axis) : null));
  return [[square({index: 0}), "a dim that is sharded along the axis of this colour"], [square(null), "a dim that is not sharded"],
      [element("span", {class: "plus"}, "+"), "an unreduced value: its summands are on several devices"],
      [element("span", {class: "edge_sample"}), "grey: a replicated value; in the colours of axes: a sharded one"],
      [element("span", {class: "edge_sample dashed"}), "dashed: an unreduced value"]];
}

function help_list(title, rows) {
  return element("section", {}, element("h2", {}, title), element("dl", {class: "keys"}, rows.map(([term, text]) => [element("dt", {}, term),
      element("dd", {}, text)])));
}

function show_keys() {
  let dialog = document.getElementById("keys");
  if (!dialog) {
    dialog = element("dialog", {id: "keys", "aria-label": "signs, words and keys", onclick: (event) => { if (event.target === dialog) dialog.close(); }},
        element("div", {class: "help"}, help_list("Keys", kKeys.map(([key, text]) => [element("kbd", {}, key), text])),
            element("div", {}, help_list("Signs", signs()), help_list("Words", kWords))),
      element("form", {method: "dialog"}, element("button", {class: "copy"}, "close")));
    document.body.append(dialog);
  }
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

/// Runs the action of a key, unless the focused control handles the key.
function on_key(event) {
  const typing = event.target.closest?.("input:not([type=range]), textarea, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    "/": () => page.outline?.input.select(),
    "?": show_keys,
    o: () => page.outline?.tree.focus(),
    c: () => focus_center(),
    p: () => document.getElementById("panel")?.focus(),
    "[": () => page.steps_bar?.move(-1),
    "]": () => page.steps_bar?.move(1),
    Escape: () => change_state({value: null, node: null}),
  };
  if (event.key === " " && !event.target.closest?.("button, summary, [role=button]")) actions[" "] = () => page.steps_bar?.toggle();
  if (/^[1-9]$/.test(event.key)) actions[event.key] = () => choose_tab(Number(event.key) - 1);
  if (!(event.key in actions)) return;
  event.preventDefault();
  actions[event.key]();
}

/// Moves the focus to the element that handles the keys of the current tab.
function focus_center() {
  const view = document.getElementById("view");
  const target = view?.querySelector("[tabindex='0']") ?? view?.querySelector("button, summary") ?? view;
  target?.focus();
}

// ---- Screen -------------------------------------------------------------------------------------

const page = {programs: {}};

/// Returns the size of text relative to its size on a small screen.
function root_scale() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / 13.3;
}

function program_in_view() {
  return page.programs[page.programs.only ? "only" : state.side === "before" ? "before" : "after"];
}

/// Returns the pixels between a drawing's contents and the edges of the centre. Other contents of the centre have the same distance.
function margin() {
  return 1.5 * parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/// Returns the state that selects a node: an op by its first result, a scope by the node.
function selection_of(program, node) {
  if (!(node >= 0 && node < program.num_nodes)) return {};
  const [first] = program.kind(node) === "op" ? program.results(node) : [];
  return first === undefined ? {node, value: null} : {node, value: first};
}

/// Returns the scope whose graph shows a node: the node if it is a scope, or the scope around an op.
function scope_around(program, node) {
  const inside = program.kind(node) === "op" && program.nodes.parent[node] >= 0 ? program.nodes.parent[node] : node;
  return inside === program.first_scope() ? null : inside;
}

function select_node(node) {
  const program = program_in_view();
  if (node >= 0 && node < program.num_nodes) change_state({...selection_of(program, node), scope: scope_around(program, node)});
}

function select_value(value) {
  const program = program_in_view();
  const node = program.values.node[value];
  const of_op = program.values.kind[value] === 0;
  const next = {value, node: of_op ? node : null};
  if (node >= 0) next.scope = scope_around(program, node);
  change_state(next);
}

/// Clears a selection that the program does not contain, for example from a link to another version of the page.
function drop_unknown_selection(program) {
  const known = (number, count) => (number !== null && number >= 0 && number < count ? number : null);
  state.value = known(state.value, program.num_values);
  state.node = known(state.node, program.num_nodes);
  state.scope = known(state.scope, program.num_nodes);
}

const kTabs = [
  {id: "graph", label: "Graph", full: true, view: () => new GraphView()},
  {id: "text", label: "Text", full: true, view: () => new TextView()},
  {id: "time", label: "Time", full: true, view: () => new TimelineView()},
  {id: "memory", label: "Memory", full: true, view: () => new MemoryView()},
  {id: "collectives", label: "Collectives", view: () => new CollectivesView(),
      count: (program) => program.head.totals.find((total) => total.id === "collectives")?.text},
  {id: "conflicts", label: "Conflicts", view: () => new ConflictsView(), count: (program) => program.head.num_conflicts},
  {id: "hints", label: "Hints", view: () => new HintsView(), count: (program) => program.head.num_hints},
  {id: "notes", label: "Notes", view: () => new NotesView(), count: (program) => program.head.notes.length},
];
const kCompareTabs = [
  {id: "changes", label: "Changes", view: () => new ChangesView()},
  {id: "both", label: "Both texts", full: true, view: () => new BothTextsView()},
];

/// The tabs in the centre, and the view of the selected tab.
class Center {
  constructor(box, tabs) {
    this.tabs = tabs;
    this.views = new Map();
    this.bar = element("div", {class: "tabs", role: "tablist", "aria-label": "views", onkeydown: (event) => this.key(event)});
    this.view = element("div", {id: "view", class: "view", role: "tabpanel", tabindex: "-1"});
    box.append(this.bar, this.view);
  }

  tab() {
    return this.tabs.find((tab) => tab.id === state.tab) ?? this.tabs[0];
  }

  draw_tabs() {
    const program = program_in_view();
    const chosen = this.tab();
    const old = this.bar.contains(document.activeElement);
    replace_children(this.bar, this.tabs.map((tab) => element("button", {role: "tab", id: "tab-" + tab.id, "aria-selected": String(tab === chosen),
        "aria-controls": "view", tabindex: tab === chosen ? "0" : "-1",
      onclick: () => change_state({tab: tab.id})}, tab.label, this.count(tab, program))));
    if (old) this.bar.querySelector("[aria-selected=true]").focus();
    this.view.setAttribute("aria-labelledby", "tab-" + chosen.id);
  }

  count(tab, program) {
    const number = tab.count?.(program);
    return number === undefined || number === null || Number(number) === 0 ? null : element("span", {class: "count"}, grouped(number));
  }

  async draw() {
    this.draw_tabs();
    const tab = this.tab();
    const key = tab.id + " " + (page.programs.only ? "" : state.side);
    if (!this.views.has(key)) this.views.set(key, tab.view());
    this.now = this.views.get(key);
    this.view.className = tab.full ? "view full" : "view";
    this.box = element("div", {class: "view_box"});
    this.view.replaceChildren(this.box);
    document.getElementById("app").classList.toggle("wide", tab.id === "both");
    await this.now.draw(this.box, program_in_view());
    performance.mark("view " + tab.id);
  }

  key(event) {
    const at = this.tabs.indexOf(this.tab());
    const next = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: this.tabs.length - 1}[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose_tab((next + this.tabs.length) % this.tabs.length);
    this.bar.querySelector("[aria-selected=true]").focus();
  }

  update(changed) {
    if (changed.has("tab") || (changed.has("side") && this.tab().id !== "both")) this.draw();
    else this.now?.update(changed, this.box);
  }
}

function choose_tab(index) {
  const tab = page.center.tabs[index];
  if (tab) change_state({tab: tab.id});
}

function build_screen(tabs) {
  const app = document.getElementById("app");
  app.append(element("header", {id: "head"}), element("nav", {id: "outline", "aria-label": "outline"}), element("main", {id: "center"}),
      element("aside", {id: "panel", "aria-label": "value", tabindex: "-1"}),
             element("footer", {id: "steps", "aria-label": "steps of propagation"}));
  page.outline = new Outline(document.getElementById("outline"));
  page.center = new Center(document.getElementById("center"), tabs);
  page.panel = new ValuePanel(document.getElementById("panel"));
  page.steps_bar = new StepsBar(document.getElementById("steps"));
  app.hidden = false;
}

/// Shows the program of the selected side in all parts of the screen.
async function show_program() {
  const program = program_in_view();
  draw_header(program);
  page.outline.show(program);
  page.panel.program = program;
  page.panel.draw();
  await page.steps_bar.show(program);
  if (state.step !== kEnd) notify(new Set(["step"]));
}

function on_state(changed) {
  drop_unknown_selection(program_in_view());
  if (changed.has("side")) show_program();
  page.outline.update(changed);
  page.center.update(changed);
  if (["value", "node", "step", "side"].some((key) => changed.has(key))) page.panel.draw();
  page.steps_bar.update(changed);
}

async function begin_program() {
  page.programs.only = await new Program("").begin();
  drop_unknown_selection(page.programs.only);
  build_screen(kTabs);
  on_change(on_state);
  page.outline.show(page.programs.only);
  page.outline.reveal();
  draw_header(page.programs.only);
  page.panel.program = page.programs.only;
  page.panel.draw();
  await page.center.draw();
  performance.mark("interactive");
  await page.steps_bar.show(page.programs.only);
  if (state.step !== kEnd) notify(new Set(["step"]));
}

async function begin_compare(reader) {
  [page.programs.before, page.programs.after, page.diff, page.pairs] = await Promise.all([new Program("before.").begin(),
      new Program("after.").begin(), reader.read("diff"), reader.read("pairs")]);
  drop_unknown_selection(program_in_view());
  build_screen([...kCompareTabs, ...kTabs.filter((tab) => tab.id !== "hints")]);
  if (state.tab === kDefaults.tab && !location.hash.includes("tab=")) state.tab = "changes";
  on_change(on_state);
  await show_program();
  await page.center.draw();
  performance.mark("interactive");
}

async function begin_sweep(reader) {
  [page.strings, page.sweep] = await Promise.all([reader.read("strings"), reader.read("sweep")]);
  const app = document.getElementById("app");
  app.classList.add("alone");
  const measured = page.sweep.seconds.filter((value) => value !== null).length;
  app.append(element("header", {id: "head"}, element("div", {class: "title"}, element("h1", {}, name_of(page.head.title)),
      element("span", {class: "quiet"}, `${grouped(page.sweep.seconds.length)} strategies` + (measured < page.sweep.seconds.length ? `, ${grouped(measured)} measured` : "")))),
             element("main", {id: "center"}, element("div", {id: "view", class: "view"})));
  app.hidden = false;
  page.sweep_view = new SweepView();
  await page.sweep_view.draw(document.getElementById("view"));
  performance.mark("interactive");
}

async function begin() {
  document.documentElement.classList.add("running");
  const reader = new PartReader("");
  page.head = await reader.read("head");
  document.title = visible(page.head.title, 120);
  follow_address();
  document.addEventListener("keydown", on_key);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
      () => { page.panel?.draw(); page.center?.draw(); page.sweep_view?.repaint(); });
  await {program: begin_program, compare: begin_compare, sweep: begin_sweep}[page.head.kind](reader);
  document.documentElement.classList.add("ready");
}

begin().catch((error) => {
  document.documentElement.classList.remove("running");
  document.getElementById("app").hidden = true;
  document.querySelector("#static h1").after(element("p", {class: "empty note", role: "alert"}, "The page could not be drawn; its totals are below. " + visible(error.message)));
  throw error;
});
