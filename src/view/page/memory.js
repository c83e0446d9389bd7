"use strict";

// The live bytes over the per-device program. Selecting a point of the chart lists the values that are live there, largest first.

const kChart = {left: 84, right: 24, top: 26, bottom: 26};

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
    return d3.scaleLinear().domain([0, Math.max(1, this.program.memory.bytes.length)]).range([kChart.left, width - kChart.right]);
  }

  paint(context, width, height, color) {
    const {bytes, peak} = this.program.memory;
    const x = this.x_scale(width);
    const y = d3.scaleLinear().domain([0, Math.max(1, bytes[peak])]).range([height - kChart.bottom, kChart.top]);
    this.draw_levels(context, y, width, color);
    context.fillStyle = color("bar");
    this.draw_area(context, x, y, width);
    this.draw_mark(context, x, y, peak, "peak " + short_bytes(bytes[peak]), color, width);
    if (this.point !== peak) this.draw_mark(context, x, y, this.point, short_bytes(bytes[this.point]), color, width);
    context.fillStyle = color("quiet");
    context.textAlign = "left";
    context.fillText("ops of the per-device program, in order", kChart.left, height - 6);
  }

  /// Draws lines at multiples of a power of two, whose numbers are short.
  draw_levels(context, y, width, color) {
    const most = y.domain()[1];
    const step = 2 ** Math.max(0, Math.ceil(Math.log2(most / 5)));
    for (let tick = 0; tick <= most; tick += step) {
      context.strokeStyle = color("line");
      context.beginPath();
      context.moveTo(kChart.left, Math.round(y(tick)) + 0.5);
      context.lineTo(width - kChart.right, Math.round(y(tick)) + 0.5);
      context.stroke();
      context.fillStyle = color("quiet");
      context.textAlign = "right";
      context.fillText(tick === 0 ? "0" : short_bytes(tick).replace(/(\.\d*?)0+ /, "$1 ").replace(". ", " "), kChart.left - 8, y(tick) + 4);
    }
  }

  /// Draws the area below the curve. If there are more points than pixel columns, draws the largest value of each column.
  draw_area(context, x, y, width) {
    const {bytes} = this.program.memory;
    const base = y(0);
    context.beginPath();
    context.moveTo(kChart.left, base);
    if (bytes.length < width) {
      for (let point = 0; point < bytes.length; ++point) {
        context.lineTo(x(point), y(bytes[point]));
        context.lineTo(x(point + 1), y(bytes[point]));
      }
    } else {
      for (let column = kChart.left; column < width - kChart.right; ++column) {
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
    const place = readable_place(this.program.text_of(memory.place[point]));
    return visible(`${bytes_text(memory.bytes[point])} at ${this.program.text_of(memory.name[point])}${place ? ", " + place : ""}`, 300);
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

  /// Lists the values that are live at the point, largest first.
  list_alive() {
    const {memory} = this.program;
    const {values} = memory;
    const alive = [];
    for (let at = 0; at < values.bytes.length; ++at) if (values.first[at] <= this.point && this.point <= values.last[at]) alive.push(at);
    alive.sort((a, b) => values.bytes[b] - values.bytes[a] || a - b);
    const most = Math.max(1, ...alive.slice(0, 1).map((at) => values.bytes[at]));
    const head = element("h2", {}, this.point === memory.peak ? "Alive at the peak: " : "Alive here: ", this.describe(this.point));
    replace_children(this.alive, head, long_table([["bytes", true], [""], ["type"], ["made by"]], alive.length, (row) => {
      const at = alive[row];
      const node = values.node[at];
      return link_row(this.program, node, element("td", {class: "number"}, grouped(values.bytes[at])),
        element("td", {class: "share"}, element("span", {class: "bar"}, element("i", {style: {width: (100 * values.bytes[at]) / most + "%"}}))),
        element("td", {}, name_of(this.program.text_of(values.type[at]), {class: "code"}, 80)),
        element("td", {}, node >= 0 ? element("button", {class: "link", onclick: () => select_node(node)},
            name_of(this.program.text_of(values.made_by[at]), {}, 80)) : name_of(this.program.text_of(values.made_by[at]), {}, 80),
                " ", name_of(readable_place(this.program.text_of(values.place[at])), {class: "quiet"}, 80)));
    }));
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
