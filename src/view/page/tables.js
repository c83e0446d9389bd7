"use strict";

// The tables of collectives, of conflicts and replicated values, and of notes; the list of hints.

/// Returns one collective of the report as a line: kind, axes, bytes, count, time.
function collective_line(program, row) {
  const each = program.report.collectives[row];
  const node = program.collectives.node[row];
  const text = [short_kind(each.kind), " ", axes_in_text(program, each.axes), " ", element("span", {}, bytes_text(each.bytes)),
      each.times > 1 || !each.times_known ? ` \u00d7 ${grouped(each.times)}${each.times_known ? "" : "?"}` : "",
                element("span", {class: "quiet"}, " \u00b7 " + time_text(each.seconds))];
  return node >= 0 ? [text, element("span", {class: "quiet"}, " for "), node_link(program, node)] : text;
}

function short_kind(kind) {
  return visible(short_name(kind), 60);
}

function table_head(columns) {
  return element("thead", {}, element("tr", {}, columns.map(([label, numeric, kind]) => element("th", {class: numeric ? "number" : kind ?? "", scope: "col"},
      label))));
}

/// Returns a table that shows 500 rows, and the next 500 after each click.
function long_table(columns, count, draw) {
  const body = element("tbody");
  const more = element("button", {class: "link quiet", onclick: () => add()});
  let drawn = 0;
  const add = () => {
    const stop = Math.min(count, drawn + 500);
    for (; drawn < stop; ++drawn) body.append(draw(drawn));
    more.textContent = `${grouped(count - drawn)} more rows`;
    more.hidden = drawn === count;
  };
  add();
  return [element("table", {class: "list"}, table_head(columns), body), more];
}

/// Returns a row that selects an op when it is clicked, or when Enter is pressed on its link.
function link_row(program, node, ...cells) {
  return element("tr", {class: node >= 0 ? "link_row" : "", onclick: node >= 0 ? () => select_node(node) : undefined}, cells);
}

/// Returns totals, the longest first, with a bar of the share of each. A column is a title, a member of the totals, and the text of a number.
function totals_table(totals, columns) {
  const rows = totals.slice().sort((a, b) => b.seconds - a.seconds);
  const most = Math.max(...rows.map((each) => each.seconds), 0);
  const number = (each, [, key, text]) => element("td", {class: "number"}, each[key] === undefined ? "" : text(each[key]));
  return element("table", {class: "kinds"}, table_head([...columns.map(([title]) => [title, true]), [""], ["kind"]]),
      element("tbody", {}, rows.map((each) => element("tr", {}, columns.map((column) => number(each, column)),
          element("td", {class: "share"}, share_bar(each.seconds, most)), element("td", {}, short_kind(each.name))))));
}

/// Returns the totals of each kind of collective.
function kind_table(by_kind) {
  return totals_table(by_kind, [["bytes sent", "bytes", grouped], ["count", "count", grouped], ["time", "seconds", time_text]]);
}

/// Returns the times of computation and of each kind of collective.
function time_table(totals) {
  const sends = totals.some((each) => each.count !== undefined);
  return totals_table(totals, [["time", "seconds", time_text], ...(sends ? [["count", "count", grouped]] : [])]);
}

function share_bar(amount, most) {
  return element("span", {class: "bar"}, element("i", {style: {width: (most > 0 ? (100 * amount) / most : 0) + "%"}}));
}

class CollectivesView {
  async draw(box, program) {
    await program.need("report", "collectives");
    const {collectives, by_axis, by_kind} = program.report;
    if (collectives.length === 0) return replace_children(box,
        empty_line("This program sends nothing. Each collective would be a row here: its axes, bytes, time, and the op that needs it."));
    const axes = element("p", {class: "quiet totals_by_axis"}, element("span", {}, "busiest link of each axis"), by_axis.map((each) => element("span", {class: "nowrap"},
        axes_in_text(program, /"/.test(each.name) ? each.name : `"${each.name}"`), ` ${bytes_text(each.bytes)}`)));
    const repeats = collectives.some((each) => each.times !== 1 || !each.times_known);
    const columns = [["bytes sent", true], ...(repeats ? [["count", true]] : []), ["time", true], ["collective"], ["of", false, "extra"], ["for"]];
    const rows = long_table(columns, collectives.length, (row) => this.row(program, row, collectives[row], repeats));
    replace_children(box, element("div", {class: "stack"}, element("section", {}, element("h2", {}, "By kind"), kind_table(by_kind), axes),
        element("section", {}, element("h2", {}, "In the order of the program"), rows)));
  }

  row(program, row, each, repeats) {
    const node = program.collectives.node[row];
    return link_row(program, node, element("td", {class: "number"}, grouped(each.bytes)),
      repeats ? element("td", {class: "number"}, grouped(each.times) + (each.times_known ? "" : "?")) : null,
          element("td", {class: "number"}, time_text(each.seconds)),
      element("td", {class: "nowrap", title: visible(each.type, 200)}, short_kind(each.kind), " ", axes_in_text(program, each.axes)),
          element("td", {class: "extra"}, name_of(each.type, {class: "code"}, 80)),
      element("td", {}, node >= 0 ? node_link(program, node) : [visible(each.serves, 80), " ", name_of(each.location, {class: "quiet"}, 80)]));
  }

  update() {}
}

/// Returns a conflict as sentences: the axis that was not propagated, the axis that won, and the change that would propagate it.
function conflict_text(program, row) {
  const each = program.explain.conflicts[row];
  const links = program.explain.conflict_links;
  const target = links.target[row];
  return element("div", {class: "conflict"}, axes_in_text(program, /^"/.test(each.axis) ? each.axis : `"${each.axis}"`), " does not reach ",
    target >= 0 ? value_link(program, target) : each.target ? name_of(each.target, {class: "code"}) : "the tensors of the op",
        element("span", {title: words_in(`factor ${each.reason}`)}, ` along factor ${visible(each.factor)} (${visible(each.reason)})`), " at ",
    links.node[row] >= 0 ? node_link(program, links.node[row]) : visible(`${each.op} ${each.location}`),
    element("p", {class: "quiet"}, each.winner ? `Wins: ${visible(each.winner, 400)}` + (each.why ? `, ${visible(each.why, 400)}. ` : ". ") : "",
            each.candidates.length ? `Candidates: ${visible(each.candidates.join("; "), 600)}. ` : ""),
    each.needed ? element("p", {}, "Needed: ", visible(each.needed, 400)) : null,
    each.bytes ? element("p", {class: "quiet"}, `Leads to ${bytes_text(each.bytes)}: `,
        each.collectives.map((collective) => [element("span", {class: "nowrap"}, short_kind(collective.kind), " ", axes_in_text(program, collective.axes)), " "])) : null);
}

/// Returns a key that is equal for conflicts of repeated layers: the texts without names and step numbers, as `explain` groups them.
function conflict_key(each) {
  const parts = [each.op, each.factor, each.axis, each.kept ?? "", each.reason, each.in_the_way, each.target ?? "-", each.winner, each.why, each.needed,
      ...each.candidates, ...each.collectives.map(({kind, axes, type}) => kind + axes + type)];
  return (parts.join("|") + "|").replace(/%[\w#.$-]*/g, "%").replace(/in step [^|]*/, "");
}

/// Groups the rows of conflicts with equal keys. The bytes of a group count each place once. The first group has the most bytes.
function conflict_groups(conflicts, keys, rows) {
  const groups = new Map();
  for (const row of rows) {
    const each = conflicts[row];
    if (!groups.has(keys[row])) groups.set(keys[row], {rows: [], bytes: 0, places: new Set()});
    const group = groups.get(keys[row]);
    if (!group.places.has(each.location)) group.bytes += each.bytes;
    group.places.add(each.location);
    group.rows.push(row);
  }
  return [...groups.values()].sort((a, b) => b.bytes - a.bytes);
}

class ConflictsView {
  constructor() {
    this.wanted = "";
  }

  /// Returns a search field above the conflicts, and the box that lists those that contain its text.
  draw_conflicts(program) {
    const {conflicts, conflict_links} = program.explain;
    const texts = conflicts.map((each, row) => [each.op, each.location, each.axis, each.target, each.in_the_way, each.reason, each.winner, each.needed,
        program.place(conflict_links.node[row])].join("\n").toLowerCase());
    const keys = conflicts.map(conflict_key);
    const list = element("div", {class: "conflict_groups"});
    const found = element("span", {class: "quiet", role: "status"});
    const draw = () => {
      const wanted = this.wanted.toLowerCase();
      const rows = texts.flatMap((text, row) => (text.includes(wanted) ? [row] : []));
      const groups = conflict_groups(conflicts, keys, rows);
      found.textContent = `${counted(rows.length, "conflict")}, ${counted(groups.length, "kind")}`;
      replace_children(list, this.listed(groups, (group) => this.draw_group(program, group)));
    };
    const input = element("input", {type: "search", placeholder: "an op, value, place or axis", "aria-label": "filter of conflicts", value: this.wanted, spellcheck: "false",
        autocomplete: "off", oninput: () => { this.wanted = input.value; draw(); }});
    draw();
    return [element("p", {class: "list_filter"}, input, found), list];
  }

  /// Draws the first conflict of a group, and the number of the others, which a click lists.
  draw_group(program, {rows, bytes}) {
    const [first, ...others] = rows;
    if (others.length === 0) return conflict_text(program, first);
    const list = element("div");
    const draw = (row) => [this.target(program, row), " at ", this.place(program, row)];
    const more = element("button", {class: "link more", "aria-expanded": "false", onclick: () => {
      const open = more.getAttribute("aria-expanded") === "false";
      more.setAttribute("aria-expanded", String(open));
      replace_children(list, open ? items_list(others, draw) : []);
    }}, `${grouped(others.length)} more like it`);
    return [conflict_text(program, first), element("p", {}, "and ", more, bytes > 0 ? `; all of them ${bytes_text(bytes)}` : ""), list];
  }

  target(program, row) {
    const target = program.explain.conflict_links.target[row];
    return target >= 0 ? value_link(program, target) : name_of(program.explain.conflicts[row].target ?? "the tensors of the op", {class: "code"});
  }

  place(program, row) {
    const node = program.explain.conflict_links.node[row];
    const {op, location} = program.explain.conflicts[row];
    return node >= 0 ? node_link(program, node) : visible(`${op} ${location}`, 200);
  }

  async draw(box, program) {
    await program.need("explain", "report", "collectives");
    const {conflicts, missing_rules} = program.explain;
    const parts = [];
    if (conflicts.length) parts.push(element("h2", {}, "Axes that could not pass"), this.draw_conflicts(program));
    if (missing_rules.length) parts.push(element("h2", {}, "Ops without a sharding rule"),
        this.listed(missing_rules, (rule) => [name_of(`${rule.op} ${rule.location}`), element("p", {class: "quiet"}, visible(rule.note, 1000))]));
    const {notes} = program.report;
    if (notes.length) parts.push(element("h2", {}, "Replicated beyond the given shardings"),
        long_table([["bytes moved", true], ["bytes held", true], ["tensor"]], notes.length, (row) => {
      const note = notes[row];
      return element("tr", {}, element("td", {class: "number"}, grouped(note.bytes_moved)),
          element("td", {class: "number"}, grouped(note.bytes_held)),
                     element("td", {}, visible(`${note.kind}: ${note.tensor} of ${short_name(note.op)} ${place_beside(short_name(note.op), note.location)}`, 300), " ",
                         axes_in_text(program, note.axes), element("p", {class: "quiet"}, visible(note.reason, 400))));
    }));
    replace_children(box, parts.length ? element("div", {class: "stack"}, parts)
        : empty_line("No conflict: every axis reached every dim that it could. Axes that could not pass would be listed here, with the winner and the change that would let them pass."));
  }

  listed(items, draw) {
    return items_list(items, draw, {class: "items spaced"});
  }

  update() {}
}

class NotesView {
  draw(box, program) {
    const kinds = ["error", "warning", "note"];
    const notes = program.head.notes.slice().sort((a, b) => kinds.indexOf(a.severity) - kinds.indexOf(b.severity));
    if (notes.length === 0) return replace_children(box,
        empty_line("No warnings and no notes. Those of the compilation would be listed here with their places."));
    replace_children(box, element("ul", {class: "items notes"}, notes.map((note) => element("li", {}, element("b", {}, visible(note.severity)), " ",
        visible(note.message, 2000), " ",
      note.node >= 0 ? node_link(program, note.node) : name_of(note.place ?? "", {class: "quiet"}),
          (note.notes ?? []).map((line) => element("p", {class: "quiet"}, visible(line, 1000)))))));
  }

  update() {}
}

// ---- Hints --------------------------------------------------------------------------------------
// Changes of annotations that lower the cost. Each has its gain and its patch.

let hint_marks = [];

/// Returns the values that the hint under the pointer changes.
function hinted_values() {
  return hint_marks;
}

/// Returns the lines of the patch and the lines of changed collectives, without their common indentation.
function parts_of_hint(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  const indent = Math.min(...lines.map((line) => line.search(/\S/)));
  const lined_up = lines.map((line) => line.slice(indent));
  const first = lined_up.findIndex((line) => /^\s*[+-]?[\d,]+ {2}/.test(line));
  return first < 0 ? [lined_up, []] : [lined_up.slice(0, first), lined_up.slice(first).map((line) => line.trim())];
}

class HintsView {
  async draw(box, program) {
    await program.need("hints");
    if (!program.hints) return replace_children(box,
        empty_line(element("code", {}, "shardy view --hints"), " searches changes of one annotation that lower the cost. They would be listed here, with gain and patch."));
    const {document: found, links, patches} = program.hints;
    if (found.hints.length === 0) return replace_children(box,
        empty_line(`No change of one annotation lowers the cost; ${counted(found.tried, "change")} were tried.`));
    replace_children(box, element("p", {class: "quiet"}, `${counted(found.tried, "change")} of one annotation tried; several at once: `,
        element("code", {}, visible(found.several_at_once, 300))), found.hints.map((hint, at) => this.draw_hint(program, hint, links[at] ?? [], patches[at] ?? "")));
  }

  /// Draws a hint: its gain, the costs before and after, the patch, and the collectives that change.
  draw_hint(program, hint, values, text) {
    const [patch, effects] = parts_of_hint(text);
    const {before} = program.hints.document;
    const {cost} = hint;
    const mark = (marks) => {
      hint_marks = marks;
      notify(new Set(["hint"]));
    };
    const copy = element("button", {class: "copy", onclick: () => copy_text(hint.command + "\n", copy)}, "copy the command");
    const change = (label, key, text, unit = "") => element("span", {}, `${label} ${text(before[key])} \u2192 ${text(cost[key])}${unit}`);
    return element("article", {class: "hint", tabindex: "0", onmouseenter: () => mark(values), onmouseleave: () => mark([]),
        onfocusin: () => mark(values), onfocusout: () => mark([]), "aria-label": visible(`hint for ${hint.value}`, 100)},
      element("div", {class: "gain"}, name_of(hint.value, {class: "code"}, 80),
          `  time ${change_text(before.modelled_seconds, cost.modelled_seconds)}, sent ${signed_grouped(cost.bytes - before.bytes)} bytes`),
      element("div", {class: "changes"}, change("time", "modelled_seconds", time_text), change("sent", "bytes", grouped, " bytes"),
          change("peak", "peak_bytes", grouped, " bytes"), change("collectives", "collectives", grouped)),
      element("pre", {}, this.draw_patch(patch)),
      effects.length ? element("div", {class: "effects"}, effects.slice(0, 40).map((line) => this.draw_effect(program, line))) : null, element("div", {class: "buttons"}, copy,
          values.slice(0, 1).map((value) => element("button", {class: "link", onclick: () => select_value(value)}, "show the value"))));
  }

  /// Draws the change in bytes of a collective, and the collective.
  draw_effect(program, line) {
    const [, bytes, rest] = line.match(/^([+-]?[\d,]+)\s+(.*)$/s) ?? [null, "", line];
    const text = short_name(rest).replace(/ for (?:stablehlo|sdy)\./, " for ");
    return [element("span", {class: "number"}, bytes), element("span", {}, with_axis_chips(program, text, /\{.*?\}(?= of )/s.exec(text)?.[0]))];
  }

  draw_patch(lines) {
    return lines.slice(0, 60).map((line) => element("span", {class: /^-/.test(line) ? "removed" : ""}, visible(line, 2000), "\n"));
  }

  update() {}
}
