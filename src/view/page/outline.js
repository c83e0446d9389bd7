"use strict";

// The outline: functions, name scopes, regions and ops as a tree, with bars of bytes, time and contribution to the peak. Repeated layers are folded.

// ---- Filter -------------------------------------------------------------------------------------
// The filter of the outline: terms such as `op:dot_general axis:model bytes>1e6 line:31 replicated conflict`, and free text. All terms must hold.

const kComparisons = {">": (a, b) => a > b, "<": (a, b) => a < b, ">=": (a, b) => a >= b, "<=": (a, b) => a <= b, "=": (a, b) => a === b};
const kMeasures = {
  bytes: (program, node) => program.nodes.bytes[node],
  collectives: (program, node) => program.nodes.collectives[node],
  time: (program, node) => program.nodes.seconds[node] + program.nodes.compute_seconds[node],
  peak: (program, node) => program.nodes.peak_bytes[node],
};

function shards_along(program, value, name) {
  return program.axes_of(program.sharding(program.values.sharding[value])).some((axis) => axis.name === name);
}

function is_replicated(program, value) {
  const sharding = program.sharding(program.values.sharding[value]);
  return !sharding || sharding.dims.every((dim) => dim.axes.length === 0);
}

/// Returns the nodes at which conflicts occur; an empty set before the part `explain` is read.
function nodes_of_conflicts(program) {
  return new Set(program.explain?.conflict_links.node ?? []);
}

/// Returns a test for one line number or place, such as `31`, `12:5` or `model.py:31`.
function place_test(program, text) {
  if (/^\d+$/.test(text)) {
    const line = Number(text);
    const ending = ":" + text;
    return (node) => {
      if (program.nodes.line[node] === line) return true;
      const place = program.place(node);
      return place.startsWith(text + ":") || place.endsWith(ending);
    };
  }
  return (node) => program.place(node).includes(text) || program.text_of(program.nodes.location[node]).includes(text);
}

/// A term of a filter as two tests: of an op or function, and of an argument.
class Term {
  constructor(of_node, of_argument = () => false) {
    this.of_node = of_node;
    this.of_argument = of_argument;
  }
}

/// Returns a term that holds for ops with a result, and for arguments, that pass a test.
function value_term(program, test) {
  return new Term((node) => program.kind(node) === "op" && program.results(node).some(test), test);
}

function text_term(program, text) {
  const wanted = text.toLowerCase();
  const found = new Map();  // from the index of a string to whether the string contains the text
  const contains = (index) => {
    if (!found.has(index)) found.set(index, program.text_of(index).toLowerCase().includes(wanted));
    return found.get(index);
  };
  const {label, op, place} = program.nodes;
  const of_value = value_term(program, (value) => contains(program.values.name[value]));
  return new Term((node) => contains(label[node]) || contains(op[node]) || contains(place[node]) || of_value.of_node(node), of_value.of_argument);
}

function parse_term(program, term) {
  const [, key, text] = term.match(/^(op|axis|line):(.+)$/) ?? [];
  if (key === "op") return new Term((node) => program.op(node).includes(text));
  if (key === "line") return new Term(place_test(program, text));
  if (key === "axis") return value_term(program, (value) => shards_along(program, value, text));
  const [, measure, sign, number] = term.match(/^(bytes|collectives|time|peak)(>=|<=|>|<|=)([\d.]+(?:e[+-]?\d+)?)$/i) ?? [];
  if (measure) return new Term((node) => kComparisons[sign](kMeasures[measure](program, node), Number(number)));
  if (term === "replicated") return value_term(program, (value) => is_replicated(program, value));
  if (term === "conflict") {
    const nodes = nodes_of_conflicts(program);
    return new Term((node) => nodes.has(node));
  }
  return text_term(program, term);
}

/// Returns the matches of a filter, or null for an empty one: a flag per node, the number of matching nodes, and the matching arguments. Of the nodes
/// only ops and functions can match.
function filtered(program, query) {
  const terms = query.trim().split(/\s+/).filter((term) => term).map((term) => parse_term(program, term));
  if (terms.length === 0) return null;
  const {nodes, values} = program;
  const matches = new Uint8Array(program.num_nodes);
  let count = 0;
  for (let node = 0; node < program.num_nodes; ++node) {
    if ((nodes.kind[node] !== 3 && nodes.kind[node] !== 0) || !terms.every((term) => term.of_node(node))) continue;
    matches[node] = 1;
    ++count;
  }
  const found = new Set();
  for (let value = 0; value < program.num_values; ++value) {
    if (values.kind[value] === 1 && values.node[value] >= 0 && terms.every((term) => term.of_argument(value))) found.add(value);
  }
  return {matches, count, arguments: found};
}

// ---- Rows ---------------------------------------------------------------------------------------

const kColumns = [["bytes", "sent"], ["time", "time"], ["peak", "peak"]];
const kRowHeight = 24;
const kMostOpened = 40;  // number of rows that are open at first
const kMostArguments = 8;  // number of arguments that are shown without a click

/// Returns a bar of an amount. An amount above 0 is always visible.
function bar_element(amount, most, title) {
  return element("span", {class: "bar", title}, amount > 0 && most > 0 ? element("i", {style: {width: Math.max(2, (100 * amount) / most) + "%"}}) : null);
}

class Outline {
  constructor(box) {
    this.opened = new Set();
    this.lists = new Set();  // nodes whose arguments are shown as rows
    this.rows = [];
    this.cursor = -1;
    this.input = element("input", {type: "search", placeholder: "Search   op:dot  axis:x  bytes>1e6", "aria-label": "search and filter",
        spellcheck: "false",
                                   autocomplete: "off", oninput: () => this.type(), onkeydown: (event) => this.leave_input(event)});
    this.found = element("p", {class: "quiet", role: "status"});
    this.columns = element("div", {class: "columns", role: "group", "aria-label": "sort"});
    this.tree = element("div", {class: "rows", role: "tree", tabindex: "0", "aria-label": "outline", onkeydown: (event) => this.key(event),
                                onclick: (event) => this.click(event)});
    box.append(element("div", {class: "filter"}, this.input, element("kbd", {"aria-hidden": "true"}, "/"), this.found), this.columns, this.tree);
    this.list = new VirtualList(this.tree, Math.round(kRowHeight * root_scale()), (index) => this.draw_row(index));
  }

  show(program) {
    this.program = program;
    this.opened.clear();
    this.open_first();
    this.input.value = state.query;
    this.filter();
    this.draw_columns();
  }

  /// Opens main, and then as many nodes as fit on a screen.
  open_first() {
    const main = this.program.main();
    if (main < 0) return;
    this.opened.add(main);
    let shown = this.program.children(main).length;
    for (const child of this.program.children(main)) {
      const inner = this.program.children(child);
      if (inner.length === 0 || shown + inner.length > kMostOpened) continue;
      this.opened.add(child);
      shown += inner.length;
    }
  }

  type() {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => change_state({query: this.input.value}), this.program.num_nodes > 20000 ? 120 : 0);
  }

  leave_input(event) {
    if (event.key === "Escape" && this.input.value === "") this.tree.focus();
    if (event.key === "Escape") { this.input.value = ""; this.type(); }
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    change_state({query: this.input.value});
    const first = this.rows.find((row) => !this.hits || (row.value === undefined ? this.hits.matches[row.node] : true));
    if (first) this.select(first);
    this.tree.focus();
  }

  filter() {
    const {program} = this;
    if (/\bconflict\b/.test(state.query) && !program.has("explain")) program.need("explain").then(() => {
      if (this.program === program) this.filter();
    });
    this.hits = filtered(program, state.query);
    this.found.textContent = this.hits ? this.found_text() : "";
    this.found.hidden = !this.hits;
    this.build();
  }

  /// Returns the number of matches, such as "3 ops and 1 argument match".
  found_text() {
    const {count, arguments: {size}} = this.hits;
    if (count + size === 0) return "No op matches; ? lists the filters.";
    const parts = [...(count ? [counted(count, "op")] : []), ...(size ? [counted(size, "argument")] : [])];
    return parts.join(" and ") + (count + size === 1 ? " matches" : " match");
  }

  /// Lists the visible rows in order: the open part of the tree, or the matching ops below their scopes.
  build() {
    this.rows = [];
    this.keep = this.hits ? this.kept_nodes() : null;
    this.push_all(this.program.roots(), 0);
    this.scales = new Map();
    this.list.reset(this.rows.length);
    this.mark();
  }

  /// Returns flags of the nodes that match or contain a match.
  kept_nodes() {
    const keep = Uint8Array.from(this.hits.matches);
    for (const value of this.hits.arguments) keep[this.program.values.node[value]] = 1;
    for (let node = this.program.num_nodes - 1; node >= 0; --node) {
      const parent = this.program.nodes.parent[node];
      if (keep[node] && parent >= 0) keep[parent] = 1;
    }
    return keep;
  }

  ordered(nodes) {
    const measure = kMeasures[state.sort];
    return measure ? nodes.slice().sort((a, b) => measure(this.program, b) - measure(this.program, a) || a - b) : nodes;
  }

  /// Adds nodes, and the nodes in open ones. Uses no recursion, because scopes can be nested deeply.
  push_all(nodes, level) {
    const waiting = this.ordered(nodes).reverse().map((node) => ({node, level}));
    while (waiting.length) {
      const row = waiting.pop();
      if (row.value === undefined && this.keep && !this.keep[row.node]) continue;
      this.rows.push(row);
      if (row.value === undefined && this.is_open(row.node, row.list)) for (const child of this.inner_rows(row).reverse()) waiting.push(child);
    }
  }

  /// Lists the rows in an open row: arguments, then nodes. Many arguments are folded to one row.
  inner_rows({node, level, list}) {
    const values = this.arguments_of(node).map((value) => ({node, value, level: level + 1}));
    if (list) return values;
    const inner = this.ordered(this.program.children(node)).map((child) => ({node: child, level: level + 1}));
    return values.length > kMostArguments && !this.keep ? [{node, list: values.length, level: level + 1}, ...inner] : [...values, ...inner];
  }

  arguments_of(node) {
    const kind = this.program.kind(node);
    if (kind !== "function" && kind !== "region") return [];
    const values = this.program.results(node);
    return this.keep ? values.filter((value) => this.hits.arguments.has(value)) : values;
  }

  has_inner(node) {
    return this.program.nodes.end[node] > node + 1;
  }

  is_open(node, list) {
    if (list) return this.lists.has(node);
    return this.keep ? true : this.opened.has(node);
  }

  row_text(row) {
    const {program} = this;
    if (row.value !== undefined) return [program.value_name(row.value), program.short_type(row.value)];
    if (row.list) return [counted(row.list, "argument"), ""];
    const kind = program.kind(row.node);
    if (kind !== "op") return [program.label(row.node) || kind, ""];
    const names = program.results(row.node).map((value) => program.value_name(value)).join(", ");
    return [program.short_op(row.node) || program.label(row.node), names];
  }

  draw_row(index) {
    const row = this.rows[index];
    const {program} = this;
    const [text, second] = this.row_text(row);
    const inner = row.list || (row.value === undefined && this.has_inner(row.node));
    const times = row.value === undefined && !row.list ? program.nodes.times[row.node] : 1;
    const value = row.value ?? (!row.list && program.kind(row.node) === "op" ? program.results(row.node)[0] : undefined);
    const open = inner && this.is_open(row.node, row.list);
    const name = element("span", {class: "outline_name", style: {"padding-left": Math.min(row.level, 12) * 0.75 + "em"}},
      element("span", {class: "fold", "data-fold": inner ? row.node : undefined, "aria-hidden": "true"}, inner ? (open ? "\u2212" : "+") : ""),
      name_of(text, {title: text.length > 20 ? visible(text) : undefined}, 120), times > 1 ? element("b", {}, "\u00d7 " + grouped(times)) : null,
      second ? name_of(second, {class: row.value === undefined ? "quiet result" : "quiet type"}, 60) : null,
      value !== undefined ? sharding_squares(program, program.sharding(program.sharding_at(value, state.step))) : null);
    const hinted = value !== undefined && hinted_values().includes(value);
    return element("div", {class: "outline_row" + (this.is_selected(row) ? " selected" : hinted ? " hinted" : ""), role: "treeitem", id: "row-" + index,
        "data-index": index,
                           "aria-level": row.level + 1, "aria-expanded": inner ? String(open) : undefined,
                           "aria-selected": String(this.is_selected(row)), "aria-label": this.describe(row, text, second)},
                   name, row.list ? this.draw_peak_of_arguments(row.node) : row.value === undefined ? kColumns.map(([key]) => this.draw_bar(row.node, key)) : null);
  }

  /// Returns the bytes at the peak of the arguments of a function: those that are not of an op in it.
  peak_of_arguments(node) {
    const {peak_bytes} = this.program.nodes;
    return this.program.children(node).reduce((rest, child) => rest - peak_bytes[child], peak_bytes[node]);
  }

  draw_peak_of_arguments(node) {
    if (this.program.kind(node) !== "function") return null;
    const amount = this.peak_of_arguments(node);
    return [element("span"), element("span"), bar_element(amount, this.scale_of(-1, "peak"), `at the peak: ${bytes_text(amount)} in arguments`)];
  }

  /// Returns the largest amount of a column among the rows of a scope. For bytes at the peak: among all rows.
  scale_of(parent, key) {
    if (key === "peak") parent = -1;
    const name = parent + key;
    if (!this.scales.has(name)) {
      const rows = parent < 0 ? this.program.roots() : this.program.children(parent);
      this.scales.set(name, rows.reduce((most, node) => Math.max(most, kMeasures[key](this.program, node)), 0));
    }
    return this.scales.get(name);
  }

  /// Draws bytes sent or time relative to the largest amount in the same scope, so that equal layers and the odd one among them are seen. Bytes at the
  /// peak are relative to the whole peak, of which arguments can be most.
  draw_bar(node, key) {
    return bar_element(kMeasures[key](this.program, node), this.scale_of(this.program.nodes.parent[node], key), this.bar_title(node, key));
  }

  bar_title(node, key) {
    const {nodes} = this.program;
    if (key === "time") return `communication ${time_text(nodes.seconds[node])}, computation ${time_text(nodes.compute_seconds[node])}`;
    return key === "bytes" ? `sent per device: ${bytes_text(nodes.bytes[node])}` : `at the peak: ${bytes_text(nodes.peak_bytes[node])}`;
  }

  describe(row, text, second) {
    if (row.list && this.program.kind(row.node) === "function") return `${text}, at the peak: ${bytes_text(this.peak_of_arguments(row.node))}`;
    if (row.value !== undefined || row.list) return visible(`${text} ${second}`);
    return visible(`${text} ${second}, ${kColumns.map(([key]) => this.bar_title(row.node, key)).join(", ")}`);
  }

  draw_columns() {
    const button = (key, label) => element("button", {class: key === "order" ? "" : "number",
        "aria-sort": state.sort === key ? "descending" : undefined,
      "aria-pressed": String(state.sort === key), title: key === "order" ? "in the order of the program" : "sort by " + label,
      onclick: () => change_state({sort: state.sort === key ? "order" : key})}, label + (state.sort === key && key !== "order" ? " \u2193" : ""));
    replace_children(this.columns, button("order", "program"), kColumns.map(([key, label]) => button(key, label)));
  }

  is_selected(row) {
    if (row.value !== undefined) return state.value === row.value;
    if (row.list) return this.rows[this.cursor] === row;
    if (state.node !== null) return state.node === row.node && (state.value === null || this.program.kind(row.node) === "op");
    return state.value !== null && this.program.kind(row.node) === "op" && this.program.values.node[state.value] === row.node;
  }

  selected_index() {
    if (this.rows[this.cursor]?.list) return this.cursor;
    return this.rows.findIndex((row) => this.is_selected(row));
  }

  /// Opens the scopes around the selection and scrolls to it.
  reveal() {
    const node = state.node ?? (state.value === null ? -1 : this.program.values.node[state.value]);
    if (node < 0) return;
    const closed = [...this.program.ancestors(node), ...(this.program.kind(node) === "op" ? [] : state.value === null ? []
        : [node])].filter((up) => !this.is_open(up));
    for (const up of closed) this.opened.add(up);
    const listed = !this.keep && state.value !== null && this.program.values.kind[state.value] === 1 && !this.lists.has(node) &&
        this.arguments_of(node).length > kMostArguments;
    if (listed) this.lists.add(node);
    if ((closed.length || listed) && !this.keep) this.build();
    const index = this.selected_index();
    if (index >= 0) this.list.reveal(index);
    this.mark();
  }

  mark() {
    this.list.refresh();
    const index = this.selected_index();
    if (index >= 0) this.tree.setAttribute("aria-activedescendant", "row-" + index);
    else this.tree.removeAttribute("aria-activedescendant");
  }

  select(row) {
    if (!row.list) this.cursor = -1;
    if (row.value !== undefined) select_value(row.value);
    else if (row.list) this.fold_list(row.node);
    else select_node(row.node);
  }

  fold_list(node) {
    if (!this.lists.delete(node)) this.lists.add(node);
    this.build();
  }

  fold(node, open) {
    if (this.keep || !this.has_inner(node)) return;
    if (open ?? !this.opened.has(node)) this.opened.add(node);
    else this.opened.delete(node);
    this.build();
    if (this.opened.has(node)) this.show_inner(node);
  }

  /// Scrolls to the rows in a row that was opened, but keeps the row itself in view.
  show_inner(node) {
    const index = this.rows.findIndex((row) => row.node === node && row.value === undefined && !row.list);
    const after = this.rows.findIndex((row, at) => at > index && row.level <= this.rows[index].level);
    this.list.reveal((after < 0 ? this.rows.length : after) - 1);
    this.list.reveal(index);
  }

  row_of(event) {
    const line = event.target.closest(".outline_row");
    return line ? this.rows[Number(line.dataset.index)] : null;
  }

  click(event) {
    const row = this.row_of(event);
    if (!row) return;
    if (event.target.closest("[data-fold]") && !row.list) return this.fold(row.node);
    if (row.value === undefined && !row.list && !this.is_open(row.node)) this.fold(row.node, true);
    this.select(row);
  }

  /// Moves the cursor and selects its row, unless the row represents folded arguments.
  move_to(index) {
    this.cursor = Math.max(0, Math.min(this.rows.length - 1, index));
    const row = this.rows[this.cursor];
    if (row && !row.list) return this.select(row);
    this.list.reveal(this.cursor);
    this.mark();
  }

  key(event) {
    const index = this.rows[this.cursor]?.list ? this.cursor : this.selected_index();
    const row = this.rows[index];
    const moves = {ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: this.rows.length - 1, PageDown: index + 15, PageUp: index - 15};
    if (event.key in moves) this.move_to(moves[event.key]);
    else if (row?.list && ["ArrowRight", "ArrowLeft", "Enter"].includes(event.key)) this.fold_list(row.node);
    else if (event.key === "ArrowRight" && row && row.value === undefined) this.fold(row.node, true);
    else if (event.key === "ArrowLeft" && row) this.go_left(row);
    else if (event.key === "Enter" && row && row.value === undefined) this.fold(row.node);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  go_left(row) {
    if (row.value === undefined && this.has_inner(row.node) && this.opened.has(row.node)) this.fold(row.node, false);
    else if (row.value !== undefined) select_node(row.node);
    else if (this.program.nodes.parent[row.node] >= 0) select_node(this.program.nodes.parent[row.node]);
  }

  update(changed) {
    if (changed.has("query")) {
      if (document.activeElement !== this.input) this.input.value = state.query;
      this.filter();
    }
    if (changed.has("sort")) { this.draw_columns(); this.build(); }
    if (changed.has("step") || changed.has("hint")) this.list.refresh();
    if (changed.has("value") || changed.has("node")) this.reveal();
  }
}
