"use strict";

// The strategies of a sweep: modelled time against peak memory with the Pareto front, and the choices as parallel coordinates.

class SweepView {
  constructor() {
    this.note = element("div", {class: "note_box", hidden: true});
    this.chosen = null;
  }

  text(index) {
    return page.strings[index] ?? "";
  }

  async draw(box) {
    this.sweep = page.sweep;
    this.box = box;
    const {seconds, peak_bytes} = this.sweep;
    this.rows = seconds.flatMap((value, row) => (value === null || peak_bytes[row] === null ? [] : [row]));
    if (this.rows.length === 0) return replace_children(box,
        empty_line("No strategy could be measured. Each one would be a point here: its modelled time and its peak memory."));
    this.front = new Set(this.sweep.front);
    this.chart = new Canvas("strategies: modelled time against peak memory", (...all) => this.paint_chart(...all));
    this.lines = this.sweep.choices.length ? new Canvas("choices of each strategy", (...all) => this.paint_lines(...all)) : null;
    const surface = this.chart.canvas;
    surface.addEventListener("mousemove", (event) => this.hover(event));
    surface.addEventListener("mouseleave", () => this.leave());
    surface.addEventListener("click", () => { if (this.near !== undefined) this.choose(this.near); });
    surface.addEventListener("keydown", (event) => this.key(event));
    this.details = element("div", {class: "details"});
    replace_children(box, element("div", {class: "sweep"}, element("div", {class: "sweep_chart"}, surface),
        this.lines ? element("div", {class: "sweep_lines"}, this.lines.canvas) : null), this.draw_front(), this.details, this.note);
    this.draw_details();
  }

  scales(width, height) {
    const of = (column) => d3.extent(this.rows, (row) => this.sweep[column][row]);
    const padded = ([low, high]) => [low - (high - low || high || 1) * 0.06, high + (high - low || high || 1) * 0.06];
    return [d3.scaleLinear().domain(padded(of("peak_bytes"))).range([96, width - 24]),
        d3.scaleLinear().domain(padded(of("seconds"))).range([height - 44, 16])];
  }

  paint_chart(context, width, height, color) {
    const [x, y] = this.scales(width, height);
    this.draw_axes(context, x, y, width, height, color);
    for (const row of this.rows) if (!this.front.has(row)) this.draw_point(context, x, y, row, color("bar"), 3);
    context.strokeStyle = color("ink");
    context.lineWidth = 1.5;
    context.beginPath();
    for (const [at, row] of this.sweep.front.entries()) context[at ? "lineTo" : "moveTo"](x(this.sweep.peak_bytes[row]), y(this.sweep.seconds[row]));
    context.stroke();
    for (const row of this.front) this.draw_point(context, x, y, row, color("ink"), 4.5);
    const marked = this.near ?? this.chosen;
    if (marked === null || marked === undefined) return;
    context.beginPath();
    context.arc(x(this.sweep.peak_bytes[marked]), y(this.sweep.seconds[marked]), 9, 0, 7);
    context.stroke();
  }

  draw_point(context, x, y, row, paint, radius) {
    context.fillStyle = paint;
    context.beginPath();
    context.arc(x(this.sweep.peak_bytes[row]), y(this.sweep.seconds[row]), radius, 0, 7);
    context.fill();
  }

  draw_axes(context, x, y, width, height, color) {
    context.lineWidth = 1;
    for (const tick of y.ticks(5)) {
      context.strokeStyle = color("line");
      context.beginPath();
      context.moveTo(96, Math.round(y(tick)) + 0.5);
      context.lineTo(width - 24, Math.round(y(tick)) + 0.5);
      context.stroke();
      context.fillStyle = color("quiet");
      context.textAlign = "right";
      context.fillText(time_text(tick), 88, y(tick) + 4);
    }
    context.textAlign = "center";
    context.fillStyle = color("quiet");
    for (const tick of x.ticks(Math.max(2, Math.round(width / 170)))) context.fillText(short_bytes(tick), x(tick), height - 26);
    context.textAlign = "left";
    context.fillText("peak memory per device \u2192, modelled time \u2191; the line is the Pareto front", 96, height - 8);
  }

  /// Draws a line per strategy over its choices. The best strategies come last, in the text colour.
  paint_lines(context, width, height, color) {
    const {choices} = this.sweep;
    const left = 20;
    const column = (at) => left + ((width - left - 140) * at) / Math.max(1, choices.length - 1);
    const level = (at, pick) => 34 + ((height - 62) * (pick + 0.5)) / choices[at].alternatives.length;
    const draw = (row, paint, line_width) => {
      context.strokeStyle = paint;
      context.lineWidth = line_width;
      context.beginPath();
      for (const [at, choice] of choices.entries()) if (choice.pick[row] >= 0) context.lineTo(column(at), level(at, choice.pick[row]));
      context.stroke();
    };
    for (const row of this.rows.slice(0, 4000)) if (!this.front.has(row)) draw(row, color("line"), 1);
    for (const row of this.front) draw(row, color("quiet"), 1.5);
    const marked = this.near ?? this.chosen;
    if (marked !== null && marked !== undefined) draw(marked, color("ink"), 3);
    for (const [at, choice] of choices.entries()) {
      context.fillStyle = color("ink");
      context.textAlign = "left";
      context.fillText(visible(choice.value, 24), column(at), 16);
      context.fillStyle = color("quiet");
      if (choice.alternatives.length * 13 < height - 62) for (const [pick, text] of choice.alternatives.entries()) context.fillText(visible(text, 24),
          column(at) + 5, level(at, pick) - 4);
    }
  }

  nearest(event) {
    const surface = this.chart.canvas;
    const [x, y] = this.scales(surface.clientWidth, surface.clientHeight);
    let [best, found] = [24, undefined];
    for (const row of this.rows) {
      const distance = Math.hypot(x(this.sweep.peak_bytes[row]) - event.offsetX, y(this.sweep.seconds[row]) - event.offsetY) - (this.front.has(row)
          ? 2 : 0);
      if (distance < best) [best, found] = [distance, row];
    }
    return found;
  }

  describe(row) {
    const {sweep} = this;
    return visible(`${this.text(sweep.name[row])}\n${time_text(sweep.seconds[row])}, peak ${bytes_text(sweep.peak_bytes[row])}, sent ${bytes_text(sweep.bytes[row])}\n${this.text(sweep.annotations[row])}`, 700).replaceAll("\\u000a", "\n");
  }

  hover(event) {
    this.near = this.nearest(event);
    this.repaint();
    this.note.hidden = this.near === undefined;
    if (this.near !== undefined) place_note(this.note, this.box, this.describe(this.near) + "\nclick copies the annotations", event);
  }

  leave() {
    this.near = undefined;
    this.note.hidden = true;
    this.repaint();
  }

  repaint() {
    this.chart.schedule();
    this.lines?.schedule();
  }

  /// Selects a strategy and copies its annotations.
  choose(row) {
    this.chosen = row;
    this.draw_details();
    this.repaint();
    const button = this.details.querySelector(".copy");
    copy_text(this.text(this.sweep.annotations[row]), button);
  }

  key(event) {
    const {front} = this.sweep;
    const at = front.indexOf(this.chosen);
    const next = {ArrowRight: at + 1, ArrowLeft: at < 0 ? 0 : at - 1}[event.key];
    if (event.key === "Enter" && this.chosen !== null) this.choose(this.chosen);
    else if (next !== undefined && front.length) {
      this.chosen = front[Math.max(0, Math.min(front.length - 1, next))];
      this.draw_details();
      this.repaint();
    } else return;
    event.preventDefault();
  }

  draw_details() {
    if (this.chosen === null) return replace_children(this.details, element("p", {class: "empty"},
        "Click a point: its annotations are copied and listed here."));
    const copy = element("button", {class: "copy", onclick: () => copy_text(this.text(this.sweep.annotations[this.chosen]), copy)}, "copy");
    replace_children(this.details, element("h2", {}, name_of(this.text(this.sweep.name[this.chosen]), {}, 200)),
        element("pre", {class: "code"}, visible(this.describe(this.chosen).split("\n").slice(1).join(" \u00b7 "), 3000)), copy);
  }

  draw_front() {
    const {sweep} = this;
    return element("details", {}, element("summary", {}, counted(sweep.front.length, "strategy").replace("strategys",
        "strategies") + " on the Pareto front"),
      long_table([["time per device", true], ["peak memory (bytes)", true], ["bytes sent", true], ["strategy"]], sweep.front.length, (at) => {
        const row = sweep.front[at];
        return element("tr", {class: "link_row", onclick: () => this.choose(row)}, element("td", {class: "number"}, time_text(sweep.seconds[row])),
            element("td", {class: "number"}, grouped(sweep.peak_bytes[row])), element("td", {class: "number"}, grouped(sweep.bytes[row])),
          element("td", {}, element("button", {class: "link code"}, visible(`${this.text(sweep.name[row])}: ${this.text(sweep.annotations[row])}`,
              300))));
      }));
  }

  update() {}
}
