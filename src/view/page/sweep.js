"use strict";

// The strategies of a sweep: modelled time against peak memory with the Pareto front, and the choices as parallel coordinates.

const kLeft = 84;          // pixels of the times at the left on a small screen
const kLeastSpan = 0.05;   // of the largest value
const kLongestNote = 160;  // characters of annotations
const kChoiceWidth = 150;  // pixels of a choice on a small screen
const kMostChoices = 4;    // choices in the order of the program

/// Returns a choice in which "none" is an alternative if strategies leave the value without an annotation.
function with_none(choice) {
  if (choice.pick.every((pick) => pick >= 0)) return choice;
  const none = choice.alternatives.length;
  return {...choice, alternatives: [...choice.alternatives, "none"], pick: choice.pick.map((pick) => (pick < 0 ? none : pick))};
}

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
    this.choices = this.ordered_choices();
    this.first_choice = 0;
    this.lines = this.choices.length ? new Canvas("choices of each strategy", (...all) => this.paint_lines(...all)) : null;
    const surface = this.chart.canvas;
    surface.addEventListener("mousemove", (event) => this.hover(event));
    surface.addEventListener("mouseleave", () => this.leave());
    surface.addEventListener("click", () => { if (this.near !== undefined) this.choose(this.near); });
    surface.addEventListener("keydown", (event) => this.key(event));
    this.details = element("div", {class: "details"});
    replace_children(box, element("div", {class: "sweep"}, element("div", {class: "sweep_chart"}, surface),
        this.lines ? element("div", {class: "sweep_lines"}, this.draw_choice_bar(), this.lines.canvas) : null,
        this.draw_front(), this.details), this.note);
    if (this.lines) this.write_choices();
    this.draw_details();
  }

  scales(width, height) {
    const of = (column) => d3.extent(this.rows, (row) => this.sweep[column][row]);
    const padded = ([low, high]) => {
      const span = Math.max(high - low, kLeastSpan * high) || 1;  // values that differ by less are points at one place
      return [(low + high - 1.12 * span) / 2, (low + high + 1.12 * span) / 2];
    };
    return [d3.scaleLinear().domain(padded(of("peak_bytes"))).range([kLeft * root_scale(), width - 24]),
        d3.scaleLinear().domain(padded(of("seconds"))).range([height - 46 * root_scale(), 16])];
  }

  paint_chart(context, width, height, color) {
    const [x, y] = this.scales(width, height);
    this.draw_axes(context, x, y, width, height, color);
    for (const row of this.rows) if (!this.front.has(row)) this.draw_point(context, x, y, row, color("bar"), 3 * root_scale());
    context.strokeStyle = color("ink");
    context.lineWidth = 1.5;
    context.beginPath();
    for (const [at, row] of this.sweep.front.entries()) context[at ? "lineTo" : "moveTo"](x(this.sweep.peak_bytes[row]), y(this.sweep.seconds[row]));
    context.stroke();
    for (const row of this.front) this.draw_point(context, x, y, row, color("ink"), 4.5 * root_scale());
    for (const row of this.rows) if (this.is_unchanged(row)) this.draw_unchanged(context, x(this.sweep.peak_bytes[row]), y(this.sweep.seconds[row]), width, color);
    const marked = this.near ?? this.chosen;
    if (marked === null || marked === undefined) return;
    context.beginPath();
    context.arc(x(this.sweep.peak_bytes[marked]), y(this.sweep.seconds[marked]), 9, 0, 7);
    context.stroke();
  }

  /// Checks whether a strategy has no annotations of its own, so that it is the program as it is.
  is_unchanged(row) {
    return this.text(this.sweep.annotations[row]) === "";
  }

  draw_unchanged(context, x, y, width, color) {
    context.strokeStyle = color("ink");
    context.lineWidth = 1.5;
    context.strokeRect(x - 6, y - 6, 12, 12);
    context.fillStyle = color("ink");
    context.textAlign = x > width / 2 ? "right" : "left";
    context.fillText("the program as it is", x + (x > width / 2 ? -12 : 12), y + 4);
  }

  draw_point(context, x, y, row, paint, radius) {
    context.fillStyle = paint;
    context.beginPath();
    context.arc(x(this.sweep.peak_bytes[row]), y(this.sweep.seconds[row]), radius, 0, 7);
    context.fill();
  }

  draw_axes(context, x, y, width, height, color) {
    context.lineWidth = 1;
    const [scale, left] = [root_scale(), kLeft * root_scale()];
    for (const tick of y.ticks(5)) {
      context.strokeStyle = color("line");
      context.beginPath();
      context.moveTo(left, Math.round(y(tick)) + 0.5);
      context.lineTo(width - 24, Math.round(y(tick)) + 0.5);
      context.stroke();
      context.fillStyle = color("quiet");
      context.textAlign = "right";
      context.fillText(time_text(tick), left - 8, y(tick) + 4);
    }
    context.textAlign = "center";
    context.fillStyle = color("quiet");
    for (const tick of byte_ticks(...x.domain(), Math.max(2, Math.round(width / 130)))) context.fillText(tick_bytes(tick), x(tick), height - 27 * scale);
    context.textAlign = "left";
    context.fillText(fitted("peak memory per device \u2192, modelled time \u2191; the line is the Pareto front", parseFloat(context.font), width - left), left,
        height - 8 * scale);
  }

  /// Returns the choices in which the Pareto front differs; if it differs in none, those in which the strategies do. Where they do not fit on the
  /// screen, those on which the front agrees more than the others come first.
  ordered_choices() {
    const {choices, front} = this.sweep;
    const shares = (pick, rows) => {
      const counts = new Map();
      for (const row of rows) counts.set(pick[row], (counts.get(pick[row]) ?? 0) + 1 / rows.length);
      return counts;
    };
    const found = choices.map(with_none).map((choice) => {
      const [all, best] = [shares(choice.pick, this.rows), shares(choice.pick, front)];
      return {choice: this.with_levels(choice, best), all: all.size, best: best.size, lift: Math.max(...[...best].map(([pick, share]) => share - all.get(pick)))};
    });
    const differing = found.filter(({best}) => best > 1);
    this.front_differs = differing.length > 0;
    const shown = this.front_differs ? differing : found.filter(({all}) => all > 1);
    if (shown.length > kMostChoices) shown.sort((a, b) => b.lift - a.lift);
    return shown.map(({choice}) => choice);
  }

  /// Returns a choice with the level of each alternative: alternatives of the Pareto front have a level each, the most frequent first, and all others share
  /// the last level.
  with_levels(choice, shares_of_front) {
    const own = [...shares_of_front.keys()].sort((a, b) => shares_of_front.get(b) - shares_of_front.get(a) || a - b);
    const others = choice.alternatives.length - own.length;
    const level = choice.alternatives.map((_, pick) => (own.includes(pick) ? own.indexOf(pick) : own.length));
    return {...choice, level, own, others, num_levels: own.length + (others ? 1 : 0)};
  }

  /// Draws the row above the lines: which choices are shown, and how to go on.
  draw_choice_bar() {
    const move = (by) => {
      this.first_choice = Math.max(0, Math.min(this.choices.length - 1, this.first_choice + by * this.choices_in_view()));
      this.write_choices();
      this.lines.schedule();
    };
    this.choices_now = element("span", {});
    this.choice_buttons = element("span", {class: "end"}, element("button", {class: "link_button", "aria-label": "choices before", onclick: () => move(-1)},
        "\u2039"), element("button", {class: "link_button", "aria-label": "next choices", onclick: () => move(1)}, "\u203a"));
    return element("div", {class: "bar_line"}, this.choices_now, this.choice_buttons);
  }

  choices_in_view() {
    const width = this.lines.canvas.clientWidth;
    return Math.max(1, Math.min(this.choices.length, Math.floor(width / (kChoiceWidth * root_scale()))));
  }

  write_choices() {
    const [count, first] = [this.choices_in_view(), this.first_choice];
    const all = this.choices.length <= count;
    this.choice_buttons.hidden = all;
    const what = this.front_differs ? "in which the Pareto front differs" : "in which strategies differ";
    this.choices_now.textContent = all ? `choices ${what}; strong: the front`
        : `choices ${first + 1} to ${Math.min(this.choices.length, first + count)} of ${grouped(this.choices.length)} ${what}`;
  }

  /// Draws a line per strategy over its choices. The best strategies come last, in the text colour.
  paint_lines(context, width, height, color) {
    this.write_choices();
    const choices = this.choices.slice(this.first_choice, this.first_choice + this.choices_in_view());
    const [left, slot] = [2, (width - 6) / choices.length];
    const column = (at) => left + slot * at;
    const level = (at, pick) => 34 + ((height - 50) * (choices[at].level[pick] + 0.5)) / choices[at].num_levels;
    const draw = (row, paint, line_width) => {
      context.strokeStyle = paint;
      context.lineWidth = line_width;
      context.beginPath();
      for (const [at, choice] of choices.entries()) {
        context.lineTo(column(at), level(at, choice.pick[row]));
        if (choices.length === 1) context.lineTo(column(at) + slot / 2, level(at, choice.pick[row]));
      }
      context.stroke();
    };
    for (const row of this.rows.slice(0, 4000)) if (!this.front.has(row)) draw(row, color("bar"), 0.6);
    for (const row of this.front) draw(row, color("ink"), 1.6);
    const marked = this.near ?? this.chosen ?? undefined;
    if (marked !== undefined) draw(marked, color("ink"), 3);
    for (const at of choices.keys()) this.draw_choice(context, choices[at], column(at), slot - 14, (pick) => level(at, pick), marked, color);
  }

  /// Writes the name of a choice and the alternatives of the Pareto front, each at its level, as far as texts have room.
  draw_choice(context, choice, x, width, level, marked, color) {
    const size = parseFloat(context.font);
    context.fillStyle = color("ink");
    context.textAlign = "left";
    context.fillText(fitted(choice.value, size, width), x, 16);
    const other = choice.level.indexOf(choice.own.length);
    const picks = [...(marked === undefined ? [] : [choice.pick[marked]]), ...choice.own, ...(other < 0 ? [] : [other])];
    const written = [];
    for (const pick of picks) {
      const y = level(pick) - 4;
      if (written.some((place) => Math.abs(place - y) < 1.4 * size)) continue;
      written.push(y);
      const is_marked = marked !== undefined && pick === choice.pick[marked];
      const text = pick === other && !is_marked && choice.others > 1 ? counted(choice.others, "other") : short_sharding(choice.alternatives[pick]);
      const shown = fitted(text, size, width);
      context.fillStyle = color("paper");
      context.fillRect(x + 4, y - size + 1, text_width(shown, size) + 4, size + 2);
      context.fillStyle = color(is_marked ? "ink" : "quiet");
      context.fillText(shown, x + 5, y);
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

  figures(row) {
    const {sweep} = this;
    return `${time_text(sweep.seconds[row])}, peak ${bytes_text(sweep.peak_bytes[row])}, sent ${bytes_text(sweep.bytes[row])}`;
  }

  /// Returns the note of a point: the strategy, its figures, and the beginning of its annotations.
  describe(row) {
    const annotations = this.text(this.sweep.annotations[row]);
    return [visible(this.text(this.sweep.name[row]), 120), this.figures(row), visible(annotations, kLongestNote)].join("\n");
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
    for (const row of this.box.querySelectorAll(".front tr[data-row]")) row.classList.toggle("selected", Number(row.dataset.row) === this.chosen);
    if (this.chosen === null) return replace_children(this.details, element("p", {class: "empty"},
        "Click a point: its annotations are copied and listed here."));
    const copy = element("button", {class: "copy", onclick: () => copy_text(this.text(this.sweep.annotations[this.chosen]), copy)}, "copy");
    replace_children(this.details, element("div", {class: "bar_line"}, element("h2", {}, name_of(this.text(this.sweep.name[this.chosen]), {}, 200)),
        element("span", {}, this.figures(this.chosen)), copy), element("pre", {class: "code"}, visible(this.text(this.sweep.annotations[this.chosen]),
        40000)));
  }

  draw_front() {
    const {sweep} = this;
    return element("details", {open: true, class: "front"}, element("summary", {}, counted(sweep.front.length, "strategy").replace("strategys",
        "strategies") + " on the Pareto front"),
      long_table([["time per device", true], ["peak memory (bytes)", true], ["bytes sent", true], ["strategy"]], sweep.front.length, (at) => {
        const row = sweep.front[at];
        return element("tr", {class: "link_row", "data-row": row, onclick: () => this.choose(row)}, element("td", {class: "number"}, time_text(sweep.seconds[row])),
            element("td", {class: "number"}, grouped(sweep.peak_bytes[row])), element("td", {class: "number"}, grouped(sweep.bytes[row])),
          element("td", {}, element("button", {class: "link code"}, visible(`${this.text(sweep.name[row])}: ${this.text(sweep.annotations[row])}`,
              300))));
      }));
  }

  update() {}
}
