"use strict";

// The program as text with line numbers. Shardings are chips, inserted collectives are ghost lines, names are links.

const kLineHeight = 21;
const kLongestLine = 2000;  // number of characters of a line that are drawn
const kNames = /%[A-Za-z0-9_$.\-]+(?:#\d+)?/g;
const kJsonNames = /"((?:[^"\\]|\\.){1,200})"/g;

/// The lines of a form of the program, with the nodes, chips and ghost lines of each line.
class ProgramText {
  constructor(program, form) {
    this.program = program;
    this.form = form;
    this.lines = form.text.split("\n");
    if (this.lines[this.lines.length - 1] === "") this.lines.pop();
    this.index_nodes();
    this.index_chips();
    this.list_rows();
  }

  /// Lists for each line the nodes that begin there.
  index_nodes() {
    this.nodes_of_line = new Map();
    for (let node = 0; node < this.program.num_nodes; ++node) {
      const line = this.form.line[node];
      if (line <= 0) continue;
      const there = this.nodes_of_line.get(line);
      if (there) there.push(node);
      else this.nodes_of_line.set(line, [node]);
    }
  }

  index_chips() {
    const {line, value} = this.form.chip;
    this.chips_of_line = new Map();
    this.line_of_value = new Map();
    for (let at = 0; at < line.length; ++at) {
      if (!this.chips_of_line.has(line[at])) this.chips_of_line.set(line[at], []);
      this.chips_of_line.get(line[at]).push(at);
      if (!this.line_of_value.has(value[at])) this.line_of_value.set(value[at], line[at]);
    }
  }

  /// Lists the rows of the view: a line number, or -1 - row for a collective before or after the lines of its op.
  list_rows() {
    const {node, after} = this.program.collectives;
    const ghosts = new Map();
    for (let row = 0; row < node.length; ++row) {
      if (node[row] < 0 || this.form.line[node[row]] <= 0) continue;
      const line = this.form.line[node[row]] + (after[row] ? Math.max(1, this.form.lines[node[row]]) : 0);
      if (!ghosts.has(line)) ghosts.set(line, [[], []]);
      ghosts.get(line)[after[row] ? 0 : 1].push(row);
    }
    this.rows = [];
    this.row_of_line = new Int32Array(this.lines.length + 2);
    for (let line = 1; line <= this.lines.length + 1; ++line) {
      for (const row of (ghosts.get(line) ?? []).flat()) this.rows.push(-1 - row);
      this.row_of_line[line] = this.rows.length;
      if (line <= this.lines.length) this.rows.push(line);
    }
  }

  line_of_node(node) {
    return this.form.line[node];
  }

  /// Returns the line that defines a value.
  definition_line(value) {
    const node = this.program.values.node[value];
    return this.line_of_value.get(value) ?? (node >= 0 ? this.form.line[node] : 0);
  }

  /// Returns the values that the names on a line denote, as pairs of name and value.
  names_on(line) {
    const found = new Map();
    for (const node of this.nodes_of_line.get(line) ?? []) {
      for (const value of [...this.program.operands(node), ...this.program.results(node)]) found.set(this.program.value_name(value), value);
      const [first] = this.program.results(node);
      if (first !== undefined) found.set(this.program.value_name(first).replace(/#0$/, ""), first);
    }
    for (const at of this.chips_of_line.get(line) ?? []) {
      const value = this.form.chip.value[at];
      if (!found.has(this.program.value_name(value))) found.set(this.program.value_name(value), value);
    }
    return found;
  }
}

class TextView {
  constructor() {
    this.forms = new Map();
    this.flashed = new Set();
    this.differing = [];  // values to be marked when two programs are compared
  }

  /// Returns the selected value of this program, or null.
  selected_value() {
    return state.value !== null && state.value >= 0 && state.value < this.program.num_values ? state.value : null;
  }

  selected_node() {
    return state.node !== null && state.node >= 0 && state.node < this.program.num_nodes ? state.node : null;
  }

  select_value(value) {
    select_value(value);
  }

  select_node(node) {
    select_node(node);
  }

  async draw(box, program) {
    this.program = program;
    replace_children(box, empty_line("The text of the program is being unpacked."));
    await program.need("text", "collectives", "report");
    if (program !== this.program) return;
    this.lines_box = element("div", {class: "lines", role: "region", tabindex: "0", "aria-label": "program text",
        onclick: (event) => this.click(event), onkeydown: (event) => this.key(event)});
    replace_children(box, this.draw_bar(), this.lines_box);
    this.form = this.form_now();
    this.collect_marks();
    this.list = new VirtualList(this.lines_box, Math.round(kLineHeight * root_scale()), (index) => this.draw_row(index));
    this.list.reset(this.form.rows.length);
    this.reveal();
  }

  form_now() {
    const {forms} = this.program.text;
    const at = Math.max(0, forms.findIndex((form) => form.format === state.syntax));
    if (!this.forms.has(forms[at])) this.forms.set(forms[at], new ProgramText(this.program, forms[at]));
    return this.forms.get(forms[at]);
  }

  draw_bar() {
    const {forms} = this.program.text;
    const chosen = forms.find((form) => form.format === state.syntax) ?? forms[0];
    const name = {mlir: "MLIR", json: "JSON"};
    return element("div", {class: "bar_line"}, element("span", {}, chosen.source ? "lines of the file" : "as printed"),
      legend_of(this.legend()),
      forms.length > 1 ? element("span", {class: "switch end", role: "group", "aria-label": "format"},
          forms.map((form) => element("button", {"aria-pressed": String(form === chosen),
        onclick: () => change_state({syntax: form.format})}, name[form.format] ?? form.format))) : null);
  }

  legend() {
    return ["?: open dim", "\u2013: closed dim", "italic: added by the partitioner"];
  }

  draw_row(index) {
    const row = this.form.rows[index];
    return row < 0 ? this.draw_ghost(-1 - row) : this.draw_line(row);
  }

  draw_ghost(row) {
    const {program} = this;
    const each = program.report.collectives[row];
    return element("div", {class: "text_line ghost", "data-collective": row, title: `${bytes_text(each.bytes)}, ${time_text(each.seconds)}`},
        element("span", {class: "at"}, "+"),
                   element("span", {class: "written"}, with_axis_chips(program, program.text_of(program.collectives.text[row]), each.axes)),
                       element("span", {class: "chips"}, bytes_text(each.bytes)));
  }

  draw_line(line) {
    const text = this.form.lines[line - 1];
    const {column, length} = this.form.form.chip;
    const chips = (this.form.chips_of_line.get(line) ?? []).slice().sort((a, b) => column[a] - column[b] || a - b);
    const names = this.form.names_on(line);
    const parts = [];
    let at = 0;
    const name_end = Math.max(0, text.search(/ = /)) || text.length;  // chips of results follow their names, so that they are visible
    for (const chip of chips) {
      const start = Math.max(at, length[chip] === 0 && column[chip] >= text.length ? name_end : Math.min(column[chip], text.length));
      if (start > kLongestLine) break;
      if (start > at) parts.push(this.linked(text.slice(at, start), names));
      parts.push(this.draw_chip(chip));
      at = Math.max(at, Math.min(text.length, start + length[chip]));
    }
    const stop = Math.max(at, kLongestLine);
    parts.push(this.linked(text.slice(at, stop), names), text.length > stop ? "\u2026" : "");
    const kind = this.line_chosen === line ? " selected" : this.lines_marked.has(line) ? " marked" : "";
    return element("div", {class: "text_line" + kind + (this.flashed.has(line) ? " flash" : ""), "data-line": line},
        element("span", {class: "at"}, line), element("span", {class: "written"}, parts));
  }

  /// Returns a text in which the names of values are links.
  linked(text, names) {
    const parts = [];
    let at = 0;
    for (const match of text.matchAll(this.form.form.format === "json" ? kJsonNames : kNames)) {
      const name = match[1] ?? match[0];
      const value = names.get(name) ?? names.get("%" + name) ?? names.get(name.replace(/#\d+$/, ""));
      if (value === undefined) continue;
      if (match.index > at) parts.push(visible(text.slice(at, match.index), kLongestLine));
      parts.push(element("span", {class: "value" + (value === this.selected ? " chosen" : ""), "data-value": value}, visible(match[0], kLongestLine)));
      at = match.index + match[0].length;
    }
    parts.push(visible(text.slice(at), kLongestLine));
    return parts;
  }

  draw_chip(chip) {
    const value = this.form.form.chip.value[chip];
    const sharding = this.program.sharding(this.program.sharding_at(value, state.step));
    const dims = sharding ? sharding.dims.map((dim) => element("span", {class: "one"}, dim.axes.map((ref) => {
      const axis = this.program.axis(sharding, ref);
      return axis_chip(axis, axis.text);
    }), dim.axes.length ? null : element("span", {class: "chip plain"}, dim.open ? "?" : "\u2013"))) : [];
    const unreduced = sharding?.unreduced.length ? [" +", sharding.unreduced.map((ref) => axis_chip(this.program.axis(sharding, ref),
        this.program.axis(sharding, ref).text))] : null;
    return element("span", {class: "chips", "data-value": value, title: sharding?.text ?? "no sharding"}, dims, unreduced);
  }

  /// Finds the lines of the selection: the definition, and its uses.
  collect_marks() {
    this.lines_marked = new Set();
    this.line_chosen = 0;
    const {form} = this;
    this.selected = this.selected_value();
    for (const value of this.differing) this.lines_marked.add(form.definition_line(value));
    if (this.selected !== null) {
      this.line_chosen = form.definition_line(this.selected);
      for (const node of this.program.users(this.selected)) this.lines_marked.add(form.line_of_node(node));
    } else if (this.selected_node() !== null) {
      this.line_chosen = form.line_of_node(this.selected_node());
    }
    for (const value of hinted_values()) this.lines_marked.add(form.definition_line(value));
  }

  reveal() {
    if (this.line_chosen > 0) this.list.reveal(this.form.row_of_line[this.line_chosen]);
    this.list.refresh();
  }

  click(event) {
    if (String(getSelection()) !== "") return;
    const target = event.target.closest("[data-value]");
    if (target) return this.select_value(Number(target.dataset.value));
    const ghost = event.target.closest("[data-collective]");
    if (ghost) return this.select_node(this.program.collectives.node[Number(ghost.dataset.collective)]);
    const line = event.target.closest("[data-line]");
    if (line) this.select_line(Number(line.dataset.line));
  }

  select_line(line) {
    const [node] = this.form.nodes_of_line.get(line) ?? [];
    if (node !== undefined) this.select_node(node);
  }

  /// Moves the selection to the next line with an op.
  key(event) {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    for (let line = this.line_chosen + step; line > 0 && line <= this.form.lines.length; line += step) {
      if (this.form.nodes_of_line.has(line)) return this.select_line(line);
    }
  }

  update(changed, box) {
    if (!this.list) return;
    if (changed.has("syntax")) return this.draw(box, this.program);
    this.collect_marks();
    if (changed.has("step")) this.flashed = new Set(changed_values(this.program).map((value) => this.form.definition_line(value)));
    if (changed.has("value") || changed.has("node")) this.reveal();
    else this.list.refresh();
    this.flashed.clear();
  }
}
