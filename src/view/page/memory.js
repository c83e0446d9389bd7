"use strict";

// The live bytes over the per-device program. Selecting a point of the chart lists the values that are live there, largest first.

const kFewestAlike = 3;  // live values of a group
const kChart = {left: 84, top: 26, bottom: 26};  // pixels on a small screen

class MemoryView {
  constructor() {
    this.note = element("div", {class: "note_box", hidden: true});
  }

  async draw(box, program) {
    await program.need("memory", "report");
    this.program = program;
    this.box = box;
    const {memory} = program;
    if (!memory || memory.bytes.length === 0) return replace_children(box,
        empty_line("No value is alive in this program. The bytes alive on a device over the program would be here, with the peak."));
    this.point = this.point_of_state();
    this.canvas = new Canvas(`memory over the program, peak ${bytes_text(program.report.peak.bytes)}`, (...all) => this.paint(...all));
    const surface = this.canvas.canvas;
    surface.classList.add("memory_chart");
    surface.addEventListener("click", (event) => this.choose(this.point_at(event.offsetX)));
    surface.addEventListener("mousemove", (event) => this.hover(event));
    surface.addEventListener("mouseleave", () => { this.note.hidden = true; });
    surface.addEventListener("keydown", (event) => this.key(event));
    this.alive = element("div", {class: "alive"});
    replace_children(box, element("div", {class: "memory_top"}, surface), this.alive, this.note);
    this.list_alive();
    this.canvas.schedule();
  }

  point_of_state() {
    const {peak, bytes} = this.program.memory;
    return state.point !== null && state.point >= 0 && state.point < bytes.length ? state.point : peak;
  }

  x_scale(width) {
    return d3.scaleLinear().domain([0, Math.max(1, this.program.memory.bytes.length)]).range([kChart.left * root_scale(), width - margin()]);
  }

  paint(context, width, height, color) {
    const {bytes, peak} = this.program.memory;
    const x = this.x_scale(width);
    const y = d3.scaleLinear().domain([0, Math.max(1, bytes[peak])]).range([height - kChart.bottom * root_scale(), kChart.top * root_scale()]);
    this.draw_levels(context, x, y, color);
    context.fillStyle = color("bar");
    this.draw_area(context, x, y);
    this.draw_mark(context, x, y, peak, "peak " + short_bytes(bytes[peak]), color, width);
    if (this.point !== peak) this.draw_mark(context, x, y, this.point, short_bytes(bytes[this.point]), color, width);
    context.fillStyle = color("quiet");
    context.textAlign = "left";
    context.fillText("ops of the per-device program, in order", x(0), height - 6);
  }

  /// Draws lines at multiples of a power of two, whose numbers are short.
  draw_levels(context, x, y, color) {
    const [left, right] = x.range();
    for (const tick of byte_ticks(0, y.domain()[1], 5)) {
      context.strokeStyle = color("line");
      context.beginPath();
      context.moveTo(left, Math.round(y(tick)) + 0.5);
      context.lineTo(right, Math.round(y(tick)) + 0.5);
      context.stroke();
      context.fillStyle = color("quiet");
      context.textAlign = "right";
      context.fillText(tick_bytes(tick), left - 8, y(tick) + 4);
    }
  }

  /// Draws the area below the curve. If there are more points than pixel columns, draws the largest value of each column.
  draw_area(context, x, y) {
    const {bytes} = this.program.memory;
    const [base, [left, right]] = [y(0), x.range()];
    context.beginPath();
    context.moveTo(left, base);
    if (bytes.length < right - left) {
      for (let point = 0; point < bytes.length; ++point) {
        context.lineTo(x(point), y(bytes[point]));
        context.lineTo(x(point + 1), y(bytes[point]));
      }
    } else {
      for (let column = left; column < right; ++column) {
        const [first, last] = [Math.max(0, Math.floor(x.invert(column))), Math.min(bytes.length, Math.ceil(x.invert(column + 1)))];
        let most = 0;
        for (let point = first; point < last; ++point) most = Math.max(most, bytes[point]);
        context.lineTo(column, y(most));
      }
    }
    context.lineTo(x(bytes.length), base);
    context.fill();
  }

  draw_mark(context, x, y, point, text, color, width) {
    const at = x(point + 0.5);
    const top = y(this.program.memory.bytes[point]);
    context.fillStyle = color("ink");
    context.fillRect(at - 1, top, 2, y(0) - top);
    const wide = context.measureText(text).width;
    context.textAlign = at + wide > width - 8 ? "right" : "left";
    context.fillText(text, at + (context.textAlign === "right" ? -4 : 4), Math.max(14, top - 6));
  }

  point_at(x) {
    const at = Math.floor(this.x_scale(this.canvas.canvas.clientWidth).invert(x));
    return Math.max(0, Math.min(this.program.memory.bytes.length - 1, at));
  }

  describe(point) {
    const {memory} = this.program;
    const name = short_name(this.program.text_of(memory.name[point]));
    return visible(`${bytes_text(memory.bytes[point])} at ${name} ${place_beside(name, this.program.text_of(memory.place[point]))}`.trim(), 300);
  }

  hover(event) {
    place_note(this.note, this.box, this.describe(this.point_at(event.offsetX)), event);
  }

  choose(point) {
    this.point = point;
    change_state({point: point === this.program.memory.peak ? null : point});
    this.list_alive();
    this.canvas.schedule();
  }

  key(event) {
    const {bytes, peak} = this.program.memory;
    const next = {ArrowRight: this.point + 1, ArrowLeft: this.point - 1, Home: 0, End: bytes.length - 1, p: peak}[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.choose(Math.max(0, Math.min(bytes.length - 1, next)));
  }

  /// Returns the values that are alive at the point in groups, the largest first. At least three arguments, or three results of like ops, of one
  /// type are a group.
  groups() {
    const {values} = this.program.memory;
    const text = (column, at) => this.program.text_of(values[column][at]);
    const found = new Map();
    for (let at = 0; at < values.bytes.length; ++at) {
      if (values.first[at] > this.point || this.point > values.last[at]) continue;
      const key = [text("made_by", at), readable_place(text("place", at))].map((each) => each.replace(/\d+/g, "*")).join(" ") + text("type", at);
      if (found.has(key)) found.get(key).push(at);
      else found.set(key, [at]);
    }
    const rows = [...found.values()].flatMap((group) => (group.length < kFewestAlike ? group.map((at) => [at]) : [group]));
    const sum = (group) => group.length * values.bytes[group[0]];
    return rows.sort((a, b) => sum(b) - sum(a) || a[0] - b[0]);
  }

  /// Lists what is alive at the point, largest first.
  list_alive() {
    const {memory} = this.program;
    const rows = this.groups();
    const most = Math.max(1, ...rows.slice(0, 1).map((group) => group.length * memory.values.bytes[group[0]]));
    const head = element("h2", {}, this.point === memory.peak ? "Alive at the peak: " : "Alive here: ", this.describe(this.point));
    replace_children(this.alive, head, long_table([["bytes", true], [""], ["type"], ["made by"]], rows.length,
        (row) => this.draw_group(rows[row], most)));
  }

  /// Draws a value, or a group of values whose rows a click adds.
  draw_group(group, most) {
    if (group.length === 1) return this.draw_alive(group[0], most);
    const {values} = this.program.memory;
    const made = this.draw_alive(group[0], most, group.length);
    const cells = made.querySelector("td:last-child");
    const open = () => made.replaceWith(...group.map((at) => this.draw_alive(at, most)));
    const made_by = short_name(this.program.text_of(values.made_by[group[0]])).replace(/^argument \d+ of/, "arguments of");
    const ends = [group[0], group[group.length - 1]].map((at) => this.argument(at));
    replace_children(cells, element("button", {class: "link", "aria-expanded": "false", onclick: open}, element("b", {}, grouped(group.length)),
        /^arguments/.test(made_by) ? " " : " \u00d7 ", name_of(made_by, {}, 80)), ends.every((value) => value >= 0) ? name_of(
        ` ${ends.map((value) => this.program.value_name(value)).join(" \u2026 ")}`, {class: "quiet code"}, 60) : null);
    return made;
  }

  draw_alive(at, most, times = 1) {
    const {values} = this.program.memory;
    const [node, bytes] = [values.node[at], times * values.bytes[at]];
    const made_by = short_name(this.program.text_of(values.made_by[at]));
    const argument = this.argument(at);
    const link = argument >= 0 ? () => select_value(argument) : node >= 0 ? () => select_node(node) : null;
    return element("tr", {class: link && times === 1 ? "link_row" : "", onclick: times === 1 ? link ?? undefined : undefined},
        element("td", {class: "number"}, grouped(bytes)), element("td", {class: "share"}, share_bar(bytes, most)),
        element("td", {}, name_of(this.program.text_of(values.type[at]), {class: "code"}, 80)),
        element("td", {}, argument >= 0 ? [value_link(this.program, argument), " "] : null,
                link && argument < 0 ? element("button", {class: "link", onclick: link}, name_of(made_by, {}, 80)) : name_of(made_by, {class: argument < 0
                    ? "" : "quiet"}, 80), " ", place_element(place_beside(made_by, this.program.text_of(values.place[at])))));
  }

  /// Returns the argument of the source program whose shard a live value is, or -1.
  argument(at) {
    const {program} = this;
    const [, number, name] = program.text_of(program.memory.values.made_by[at]).match(/^argument (\d+) of @(.*)$/s) ?? [];
    if (number === undefined) return -1;
    const owner = program.roots().find((node) => program.kind(node) === "function" && program.label(node).replace(/^@/, "") === name);
    const value = owner === undefined ? -1 : program.results(owner)[Number(number)] ?? -1;
    return value >= 0 && program.text_of(program.values.local_type[value]) === program.text_of(program.memory.values.type[at]) ? value : -1;
  }

  update(changed) {
    if (!this.canvas || !changed.has("point")) return;
    const next = this.point_of_state();
    if (next === this.point) return;
    this.point = next;
    this.list_alive();
    this.canvas.schedule();
  }
}
