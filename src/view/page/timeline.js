"use strict";

// The modelled timeline of a device: computation, and one row per set of axes along which it sends, as in `report --timeline`.

/// A canvas with the size of its box and the resolution of the screen, which is redrawn at most once per frame.
class Canvas {
  constructor(label, draw) {
    this.canvas = element("canvas", {class: "drawing", tabindex: "0", role: "img", "aria-label": label});
    this.paint = draw;
    this.waiting = false;
    new ResizeObserver(() => this.schedule()).observe(this.canvas);
  }

  schedule() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const {canvas} = this;
      const ratio = devicePixelRatio || 1;
      const {width, height} = canvas.getBoundingClientRect();
      if (width === 0 || height === 0) return;
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      const context = canvas.getContext("2d");
      context.setTransform(canvas.width / width, 0, 0, canvas.height / height, 0, 0);
      context.clearRect(0, 0, width, height);
      const style = getComputedStyle(document.documentElement);
      const color = (name) => style.getPropertyValue("--" + name).trim();
      context.font = `${Math.round(12 * root_scale())}px system-ui, "DejaVu Sans", sans-serif`;
      this.paint(context, width, height, color);
    });
  }
}

const kTimeLeft = 130;  // pixels of the names of rows on a small screen
const kTimeTop = 30;
const kTimeRow = 56;  // height of a row on a small screen

class TimelineView {
  constructor() {
    this.note = element("div", {class: "note_box", hidden: true});
  }

  async draw(box, program) {
    await program.need("timeline", "report", "collectives");
    this.program = program;
    const {timeline} = program;
    if (!timeline || timeline.ts.length === 0) return replace_children(box,
        empty_line("Nothing takes time in this program. The modelled clock would be here: computation, and one row for each set of axes that sends."));
    this.index_rows();
    this.zoom_state = d3.zoomIdentity;
    this.canvas = new Canvas("timeline: " + timeline.rows.join(", "), (...all) => this.paint(...all));
    const surface = this.canvas.canvas;
    this.zoom = d3.zoom().scaleExtent([1, 200000]).on("zoom", () => {
      this.zoom_state = d3.event.transform;
      this.canvas.schedule();
    });
    d3.select(surface).call(this.zoom).on("dblclick.zoom", null);
    surface.addEventListener("mousemove", (event) => this.hover(event));
    surface.addEventListener("mouseleave", () => { this.note.hidden = true; });
    surface.addEventListener("click", (event) => this.click(event));
    surface.addEventListener("keydown", (event) => this.key(event));
    this.box = box;
    const chart = element("div", {class: "time_top", style: {height: `${kTimeTop + this.by_row.length * kTimeRow * root_scale() + 16}px`}}, surface);
    replace_children(box, element("div", {class: "bar_line"}, element("span", {}, "modelled clock of one device; scroll to zoom, drag to move"),
      element("span", {class: "end"}, element("button", {onclick: () => this.fit()}, "fit"))), chart, this.draw_totals(), this.note);
    this.selected = 0;
    this.canvas.schedule();
  }

  /// Lists the time of computation and of each kind of collective: the totals of the report.
  draw_totals() {
    const others = [["operation_seconds", "computation"], ["memory_seconds", "waiting for memory"]].flatMap(([id, name]) =>
        this.program.head.totals.filter((total) => total.id === id && Number(total.value) > 0).map((total) => ({name, seconds: Number(total.value)})));
    return element("div", {class: "alive time_tables"}, element("section", {}, element("h2", {}, "Where the time goes"),
        time_table([...this.program.report.by_kind, ...others])), this.draw_places());
  }

  /// Lists the places of collectives, the longest first; a row selects the op.
  draw_places() {
    const {report: {collectives, by_location}, collectives: {node}} = this.program;
    const places = by_location.slice().sort((a, b) => b.seconds - a.seconds);
    if (places.length === 0) return null;
    const node_of = new Map(collectives.map((each, row) => [each.location, node[row]]).reverse());
    const most = places[0].seconds;
    const place = (text) => short_place(text) || "no place";
    return element("section", {}, element("h2", {}, "Communication by place"),
        long_table([["time", true], ["count", true], [""], ["place"]], places.length, (row) => {
      const {name, count, seconds} = places[row];
      const at = node_of.get(name) ?? -1;
      return link_row(this.program, at, element("td", {class: "number"}, time_text(seconds)), element("td", {class: "number"}, grouped(count)),
          element("td", {class: "share"}, share_bar(seconds, most)), element("td", {}, at >= 0 ? element("button", {class: "link"},
          place_element(place(name), 80, {})) : place_element(place(name), 80, {})));
    }));
  }

  /// Lists the events of each row in order of time; events of a row do not overlap.
  index_rows() {
    const {timeline} = this.program;
    this.by_row = timeline.rows.map(() => []);
    for (let at = 0; at < timeline.ts.length; ++at) this.by_row[timeline.row[at]].push(at);
    const last = timeline.ts.length - 1;
    this.length = Math.max(...this.by_row.map((row) => (row.length ? timeline.ts[row[row.length - 1]] + timeline.dur[row[row.length - 1]] : 0)),
        last >= 0 ? 1e-12 : 1);
    this.starts = this.by_row.map((row) => Float64Array.from(row, (at) => timeline.ts[at]));
  }

  left() {
    return kTimeLeft * root_scale();
  }

  scale(width) {
    return this.zoom_state.rescaleX(d3.scaleLinear().domain([0, this.length]).range([this.left(), width - margin()]));
  }

  row_box(row, height) {
    const tall = Math.min(kTimeRow * root_scale(), (height - kTimeTop - 16) / this.by_row.length);
    return [kTimeTop + row * tall + tall * 0.18, tall * 0.64];
  }

  paint(context, width, height, color) {
    const {timeline} = this.program;
    const scale = this.scale(width);
    this.draw_ticks(context, scale, width, height, color);
    for (const [row, events] of this.by_row.entries()) {
      const [y, tall] = this.row_box(row, height);
      context.save();
      context.beginPath();
      context.rect(this.left() - 3, 0, width - this.left(), height);
      context.clip();
      this.draw_row(context, scale, width, row, events, y, tall, color);
      context.restore();
      context.fillStyle = color("ink");
      context.textAlign = "left";
      this.draw_row_name(context, timeline.rows[row], y + tall / 2 + 4, color);
    }
  }

  draw_row_name(context, name, y, color) {
    const text = name === "compute" ? "computation" : axes_as_words(this.program, name) || name;
    context.fillStyle = color("ink");
    context.fillText(fitted(text, parseFloat(context.font), this.left() - margin() - 12), margin(), y);
  }

  row_color(row, color) {
    const axes = axes_of_text(this.program, this.program.timeline.rows[row]);
    const axis = axes.length === 1 ? this.program.axis_named(axes[0][0]) : null;
    return axis ? axis_look(axis.index).hue : color("quiet");
  }

  draw_ticks(context, scale, width, height, color) {
    context.textAlign = "left";
    let free = 0;  // where the next text may begin
    for (const tick of scale.ticks(Math.max(3, Math.round(width / 160)))) {
      const x = Math.round(scale(tick)) + 0.5;
      if (x < this.left()) continue;
      context.strokeStyle = color("line");
      context.beginPath();
      context.moveTo(x, 20);
      context.lineTo(x, height);
      context.stroke();
      context.fillStyle = color("quiet");
      const text = time_text(tick / 1e6);
      const end = x + 3 + context.measureText(text).width;
      if (x + 3 < free || end > width - 4) continue;
      context.fillText(text, x + 3, 16);
      free = end + 12;
    }
  }

  /// Draws the visible events. Events shorter than a pixel share a pixel column, whose opacity is the share of time that they fill.
  draw_row(context, scale, width, row, events, y, tall, color) {
    const {ts, dur} = this.program.timeline;
    const right = scale.invert(width);
    const pixels = scale(1) - scale(0);
    const origin = scale(0);
    const filled = new Float32Array(Math.ceil(width) + 2);
    const paint = this.row_color(row, color);
    context.fillStyle = paint;
    for (let at = Math.max(0, d3.bisectRight(this.starts[row], scale.invert(this.left())) - 1); at < events.length && ts[events[at]] <= right; ++at) {
      const event = events[at];
      const x = origin + ts[event] * pixels;
      const wide = dur[event] * pixels;
      if (wide < 1.5) {
        if (x >= 0) filled[Math.floor(x)] += wide;
        continue;
      }
      context.fillRect(x, y, wide - (wide > 4 ? 1 : 0), tall);
      if (wide > 60) this.draw_name(context, event, x, x + wide, y, tall, paint, color);
      context.fillStyle = paint;
    }
    for (let column = 0; column < filled.length; ++column) {
      if (filled[column] === 0) continue;
      context.globalAlpha = Math.min(1, 0.5 + 0.5 * filled[column]);
      context.fillRect(column, y, 1, tall);
    }
    context.globalAlpha = 1;
    this.draw_chosen(context, origin, pixels, row, y, tall, paint, color);
  }

  /// Draws a frame around the events of the selection.
  draw_chosen(context, origin, pixels, row, y, tall, paint, color) {
    const chosen = this.chosen_nodes();
    if (!chosen) return;
    const {ts, dur, node} = this.program.timeline;
    const events = this.by_row[row].filter((event) => node[event] >= chosen[0] && node[event] < chosen[1]);
    if (events.length === 0) return;
    const last = events[events.length - 1];
    const [x0, x1] = [origin + ts[events[0]] * pixels, origin + (ts[last] + dur[last]) * pixels];
    context.strokeStyle = color("ink");
    context.lineWidth = 2;
    context.strokeRect(x0 - 2, y - 4, Math.max(2, x1 - x0) + 3, tall + 8);
    context.lineWidth = 1;
  }

  draw_name(context, event, x0, x1, y, tall, paint, color) {
    const text = short_kind(this.program.text_of(this.program.timeline.name[event]).replace(/ \{.*$/s, ""));
    const at = Math.max(x0, this.left());
    if (context.measureText(text).width > x1 - at - 8) return;
    context.fillStyle = paint.length === 7 ? ink_on(paint) : color("ink");
    context.fillText(text, at + 4, y + tall / 2 + 4);
  }

  /// Returns the range of nodes of the selection.
  chosen_nodes() {
    const {program} = this;
    if (state.node !== null) return [state.node, program.nodes.end[state.node] ?? state.node];
    if (state.value === null || program.values.kind[state.value] !== 0) return null;
    const node = program.values.node[state.value];
    return [node, program.nodes.end[node]];
  }

  event_at(x, y) {
    const surface = this.canvas.canvas;
    if (x < this.left()) return -1;
    const time = this.scale(surface.clientWidth).invert(x);
    for (const [row, events] of this.by_row.entries()) {
      const [top, tall] = this.row_box(row, surface.clientHeight);
      if (y < top - 4 || y > top + tall + 4 || events.length === 0) continue;
      const at = Math.max(0, d3.bisectRight(this.starts[row], time) - 1);
      const near = [at, at + 1].filter((each) => each < events.length).map((each) => events[each]);
      const pixel = this.scale(surface.clientWidth).invert(x + 3) - time;
      const {ts, dur} = this.program.timeline;
      return near.find((each) => time >= ts[each] - pixel && time <= ts[each] + dur[each] + pixel) ?? -1;
    }
    return -1;
  }

  describe(event) {
    const {timeline} = this.program;
    const text = (column) => this.program.text_of(timeline[column][event]);
    const name = short_name(text("name"));
    const lines = [`${name} ${place_beside(name.replace(/ \{.*$/s, ""), text("place"))}`.trim(), time_text(timeline.dur[event] / 1e6) + (timeline.times[event] > 1
        ? ` in ${grouped(timeline.times[event])} runs` : "")];
    if (timeline.bytes[event]) lines.push(`${bytes_text(timeline.bytes[event])} sent for ${short_name(text("serves"))}`);
    else if (timeline.operations[event]) lines.push(`${operations_number(timeline.operations[event])} operations`);
    return visible(lines.join("\n"), 500).replaceAll("\\u000a", "\n");
  }

  hover(event) {
    const found = this.event_at(event.offsetX, event.offsetY);
    this.note.hidden = found < 0;
    this.canvas.canvas.style.cursor = found < 0 ? "grab" : "pointer";
    if (found >= 0) place_note(this.note, this.box, this.describe(found), event);
  }

  click(event) {
    const found = this.event_at(event.offsetX, event.offsetY);
    if (found < 0 || event.defaultPrevented) return;
    if (this.program.timeline.node[found] >= 0) select_node(this.program.timeline.node[found]);
  }

  fit() {
    d3.select(this.canvas.canvas).call(this.zoom.transform, d3.zoomIdentity);
  }

  /// Moves to the next event with the arrow keys; + and - zoom.
  key(event) {
    const surface = d3.select(this.canvas.canvas);
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (event.key === "+" || event.key === "=") surface.call(this.zoom.scaleBy, 1.5);
    else if (event.key === "-") surface.call(this.zoom.scaleBy, 1 / 1.5);
    else if (event.key === "0") this.fit();
    else if (step) {
      const {node} = this.program.timeline;
      const now = state.node ?? (state.value === null ? -1 : this.program.values.node[state.value]);
      const at = step > 0 ? node.lastIndexOf(now) : node.indexOf(now);
      const next = node[Math.max(0, Math.min(node.length - 1, at + step))];
      if (next >= 0) select_node(next);
    } else return;
    event.preventDefault();
  }

  update(changed) {
    if (this.canvas && (changed.has("node") || changed.has("value"))) this.canvas.schedule();
  }
}

/// Shows the note that follows the pointer in a view.
function place_note(note, box, text, event) {
  note.textContent = text;
  note.hidden = false;
  const frame = box.getBoundingClientRect();
  const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
  note.style.left = Math.max(4, Math.min(x + 14, frame.width - note.offsetWidth - 8)) + "px";
  note.style.top = (y + note.offsetHeight + 24 > frame.height ? Math.max(4, y - note.offsetHeight - 10) : y + 18) + "px";
}
