"use strict";

// The graph of a scope. Boxes are ops and folded scopes, edges have the colours of the axes that shard their values, badges are collectives.

const kLeastScale = 0.7;  // of a readable text

class GraphView {
  constructor() {
    this.layouts = new Map();
  }

  async draw(box, program) {
    this.box = box;
    this.program = program;
    await program.need("report", "collectives");
    this.part = null;
    this.show_scope();
  }

  scope() {
    const {program} = this;
    if (state.scope !== null && state.scope >= 0 && state.scope < program.num_nodes) return state.scope;
    return program.first_scope();
  }

  async show_scope() {
    const scope = this.scope();
    if (scope < 0) return replace_children(this.box,
        empty_line("The program has no function. Its ops would be boxes here, with edges in the colours of mesh axes."));
    this.model = new GraphModel(this.program, scope, this.part);
    this.shown_scope = scope;
    this.zoom = null;
    this.moved = false;
    this.drawing = shape("svg", {class: "drawing", role: "group", "aria-label": "graph of " + visible(this.scope_name(scope), 80), tabindex: "0",
        onkeydown: (event) => this.key(event)});
    this.note ??= element("div", {class: "note_box"});
    this.hide_note();
    replace_children(this.box, this.draw_bar(scope), this.drawing, this.note);
    if (this.model.boxes.length === 0) return replace_children(this.box, this.draw_bar(scope),
        empty_line("Nothing is inside. The ops of a scope are boxes here."));
    this.layout = null;
    this.box_elements = null;
    const sizes = this.model.boxes.map((each) => this.size_of(each));
    const turn = this.turn = {};
    const waiting = element("p", {class: "empty waiting"}, `Laying out ${counted(sizes.length, "box").replace("boxs", "boxes")}.`);
    if (sizes.length > 60) this.drawing.before(waiting);
    const layout = await graph_layout({boxes: sizes, edges: this.model.edges.map((edge) => [edge.from, edge.to,
        edge.badges.length ? this.badge_width(edge.badges) : 0, edge.badges.length ? 18 : 0])});
    waiting.remove();
    if (this.turn !== turn) return;
    this.layout = layout;
    this.sizes = sizes;
    this.paint();
    this.begin_view();
    if (state.step !== kEnd) this.flash();
    new ResizeObserver(() => { if (!this.moved && this.drawing.isConnected) this.begin_view(); }).observe(this.drawing);
  }

  scope_name(node) {
    return this.program.label(node) || this.program.short_op(node) || this.program.kind(node);
  }

  /// Draws the path to the current scope. Each part of the path is a link to its scope.
  draw_bar(scope) {
    const path = [...this.program.ancestors(scope), scope].map((node) => element("button", {class: "link", onclick: () => this.open_scope(node)},
        name_of(this.scope_name(node), {}, 60)));
    if (this.part) path.push(element("span", {}, `ops ${this.part[0] + 1} to ${this.part[1]}`));
    return element("div", {class: "bar_line"}, element("span", {class: "path"}, path.flatMap((each, at) => (at ? [" / ", each] : [each]))),
      legend_of(["grey: replicated", "dashed: unreduced"]),
      element("span", {class: "end"},
          element("button", {class: "link_button", "aria-label": "zoom in", onclick: () => this.zoom_by(1.4)}, "+"),
          element("button", {class: "link_button", "aria-label": "zoom out", onclick: () => this.zoom_by(1 / 1.4)}, "\u2212"),
              element("button", {class: "link_button", onclick: () => this.fit()}, "fit")));
  }

  size_of(each) {
    const [first, second] = this.model.texts(each).map((text) => visible(text, 30));
    const width = Math.max(text_width(first, 12) + 28, text_width(second, 11) + 28, each.badges ? this.badge_width(each.badges) + 20 : 64);
    return [width, (second ? 40 : 26) + (each.badges ? 22 : 0)];
  }

  badge_width(rows) {
    return text_width(visible(this.model.badge_text(rows), 60), 11) + 18;
  }

  paint() {
    this.paints = new Set();
    this.defs = shape("defs", {}, shape("marker", {id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7,
        markerUnits: "userSpaceOnUse", orient: "auto"},
                                        shape("path", {d: "M0,0L8,4L0,8z", fill: "var(--quiet)"})));
    this.content = shape("g");
    this.edges_group = shape("g", {});
    this.drawing.append(this.defs, this.content);
    this.content.append(this.edges_group);
    this.box_elements = this.model.boxes.map((each) => this.draw_box(each));
    this.content.append(...this.box_elements);
    this.paint_edges();
    this.zoom = d3.zoom().extent(() => [[0, 0], [this.drawing.clientWidth || 1, this.drawing.clientHeight || 1]]).scaleExtent([0.02, 4]).on("zoom",
        () => {
      this.content.setAttribute("transform", d3.event.transform);
      this.hide_note();
      if (d3.event.sourceEvent) this.moved = true;
    });
    d3.select(this.drawing).call(this.zoom).on("dblclick.zoom", null);
    this.mark();
  }

  draw_box(each) {
    const [x, y] = this.layout.boxes[each.id];
    const [width, height] = this.sizes[each.id];
    const [first, second] = this.model.texts(each).map((text) => visible(text, 30));
    const made = shape("g", {class: "box " + (each.kind === "op" ? "op" : "scope"), transform: `translate(${x - width / 2},${y - height / 2})`,
        role: "button", "aria-label": `${first} ${second}`,
                             onclick: () => this.choose(each), ondblclick: () => this.open(each)},
                       shape("rect", {width, height, rx: each.kind === "input" ? height / 2 : 5}), shape("text", {x: 12, y: 16}, first),
                           second ? shape("text", {x: 12, y: 31, class: "second"}, second) : null);
    if (each.kind === "scope" || each.kind === "part") made.prepend(shape("rect", {x: 3, y: -3, width, height, rx: 5}));
    if (each.inputs) made.append(this.draw_stubs(each, width));
    this.draw_strip(made, each, width, height);
    if (each.badges) made.append(this.draw_badge(each.badges, 10 + this.badge_width(each.badges), height - 25));
    return made;
  }

  /// Draws a short line above a box for the values that enter the scope there, one per colour.
  draw_stubs(each, width) {
    const by_hue = new Map();
    for (const value of each.inputs) {
      const [axis] = this.program.axes_of(this.program.sharding(this.program.sharding_at(value, state.step)));
      const hue = axis ? axis_look(axis.index).hue : "var(--bar)";
      by_hue.set(hue, [...(by_hue.get(hue) ?? []), value]);
    }
    return shape("g", {class: "stubs"}, [...by_hue].map(([hue, values], at) => shape("path",
        {class: "edge stub", d: `M${14 + at * 12},-13V0`, style: {stroke: hue, "stroke-width": values.length > 1 ? 4 : 2.6}, onclick: (event) => {
      event.stopPropagation();
      change_state({value: values[0], node: null});
    }}, shape("title", {}, values.slice(0, 20).map((value) => visible(this.program.value_name(value), 60)).join(", ") + (values.length > 20
        ? `, ${grouped(values.length - 20)} more` : "")))));
  }

  /// Draws the colours of the axes that shard the first result at the right edge of a box.
  draw_strip(made, each, width, height) {
    const value = this.value_of(each);
    if (value === undefined) return;
    const sharding = this.program.sharding(this.program.sharding_at(value, state.step));
    const axes = this.program.axes_of(sharding);
    const old = made.querySelector(".strip");
    if (old) old.remove();
    made.append(shape("g", {class: "strip"}, axes.map((axis, at) => shape("rect", {x: width - 8, y: 5 + (at * (height - 10)) / axes.length, width: 4,
        height: (height - 10) / axes.length,
      style: {fill: paint_of(this.defs, axis_look(axis.index), this.paints), stroke: "none"}}))));
  }

  value_of(each) {
    return each.kind === "input" ? each.value : each.kind === "op" ? this.program.results(each.node)[0] : undefined;
  }

  /// Draws the edges in the colours of the shardings at the slider's step.
  paint_edges() {
    this.edges_group.replaceChildren();
    this.edge_elements = this.model.edges.map((edge, at) => {
      const {points, x, y} = this.layout.edges[at];
      const path = d3.line().x((point) => point.x).y((point) => point.y).curve(d3.curveBasis)(points);
      const group = shape("g", {class: "edge_group", onclick: () => select_value(edge.values[0]),
          onmousemove: (event) => this.hover_edge(edge, event), onmouseleave: () => this.hide_note()});
      const strokes = this.strokes(edge);
      group.append(...strokes.map((stroke, index) => shape("path", {class: "edge", d: path, "marker-end": index === 0 ? "url(#tip)" : undefined,
          style: stroke})), shape("path", {class: "edge hit", d: path}));
      if (edge.badges.length) group.append(this.draw_badge(edge.badges, x + this.badge_width(edge.badges) / 2, y - 9));
      this.edges_group.append(group);
      return group;
    });
  }

  /// Returns the strokes of an edge: one per axis, alternating along the line; grey if replicated, dashed if unreduced.
  strokes(edge) {
    const sharding = this.program.sharding(this.program.sharding_at(edge.values[0], state.step));
    const axes = [...new Map(this.program.axes_of(sharding).map((axis) => [axis.index, axis])).values()];
    const unreduced = sharding?.unreduced.length > 0;
    if (axes.length === 0) return [{stroke: "var(--bar)", "stroke-dasharray": unreduced ? "3 4" : "none"}];
    const dash = unreduced ? 5 : 12;
    return axes.map((axis, at) => ({stroke: paint_of(this.defs, {...axis_look(axis.index), hatch: ""}, this.paints),
        "stroke-width": axis_look(axis.index).hatch ? 4.5 : 2.6,
      "stroke-dasharray": axes.length === 1 && !unreduced ? "none" : `${dash} ${dash * (axes.length - 1) + (unreduced ? 5 : 0)}`,
          "stroke-dashoffset": -at * dash}));
  }

  draw_badge(rows, right, y) {
    const text = this.model.badge_text(rows);
    const width = this.badge_width(rows);
    const paint = this.badge_paint(rows);
    return shape("g", {class: "badge", role: "button", "aria-label": text, transform: `translate(${right - width},${y})`, onclick: (event) => {
      event.stopPropagation();
      select_node(this.program.collectives.node[rows[0]]);
    }}, shape("rect", {width, height: 17, rx: 8, style: {fill: paint.hue}}), shape("text",
        {x: width / 2, y: 12, "text-anchor": "middle", style: {fill: paint.ink}}, visible(text, 60)),
      shape("title", {}, visible(rows.map((row) => this.program.text_of(this.program.collectives.text[row])).join("\n"), 1000)));
  }

  /// Returns the hue of the axis if all collectives are along one axis; else the text colour.
  badge_paint(rows) {
    const names = new Set(rows.flatMap((row) => axes_of_text(this.program, this.program.report.collectives[row].axes).map(([name]) => name)));
    const axis = names.size === 1 ? this.program.axis_named([...names][0]) : null;
    if (!axis) return {hue: "var(--ink)", ink: "var(--paper)"};
    return {hue: axis_look(axis.index).hue, ink: ink_on(axis_look(axis.index).hue)};
  }

  hover_edge(edge, event) {
    const {program} = this;
    const lines = edge.values.slice(0, 6).map((value) => {
      const sharding = program.sharding(program.sharding_at(value, state.step));
      return `${visible(program.value_name(value), 60)}: ${visible(program.text_of(program.values.type[value]), 60)}, ${sharding_words(program, sharding)}`;
    });
    if (edge.values.length > 6) lines.push(`and ${edge.values.length - 6} more`);
    place_note(this.note, this.box, lines.join("\n"), event);
  }

  /// Hides the note of an edge. An edge that is removed or moved does not report that the pointer left it.
  hide_note() {
    this.note.hidden = true;
  }

  choose(each) {
    if (each.kind === "input") select_value(each.value);
    else if (each.kind === "op" || each.kind === "scope") change_state(selection_of(this.program, each.node));
  }

  /// Opens a folded box, or an op with regions.
  open(each) {
    if (each.kind === "part") {
      this.part = [each.first, each.last];
      this.show_scope();
    } else if (each.node !== undefined && this.program.nodes.end[each.node] > each.node + 1) {
      this.open_scope(each.node);
    } else if (each.node !== undefined && this.program.nodes.callee[each.node] >= 0) {
      this.open_scope(this.program.nodes.callee[each.node]);
    }
  }

  open_scope(node) {
    if (this.part && node === this.shown_scope) {
      this.part = null;
      this.show_scope();
    } else change_state({scope: node === this.program.first_scope() ? null : node});
  }

  /// Shows the whole graph if it is readable at that size. Otherwise shows its beginning, or the selection, at a readable size.
  begin_view() {
    if (!this.zoom || !this.layout) return;
    const {clientWidth: width, clientHeight: height} = this.drawing;
    const whole = Math.min(width / this.layout.width, height / this.layout.height);
    const readable = kLeastScale * root_scale();
    if (whole >= readable) return this.fit();
    const first = this.layout.boxes.reduce((best, at) => (at[1] < best[1] ? at : best));
    const scale = Math.max(readable, Math.min(width / this.layout.width, root_scale()));
    const left = this.layout.width * scale <= width ? (width - this.layout.width * scale) / 2 : Math.min(0, width / 2 - first[0] * scale);
    const top = this.layout.height * scale <= height ? (height - this.layout.height * scale) / 2 : 0;
    d3.select(this.drawing).call(this.zoom.transform, d3.zoomIdentity.translate(left, top).scale(scale));
    this.reveal();
  }

  /// Shows the whole graph.
  fit() {
    if (!this.zoom || !this.layout) return;
    const {clientWidth: width, clientHeight: height} = this.drawing;
    const scale = Math.min(1.35 * root_scale(), width / this.layout.width, height / this.layout.height);
    d3.select(this.drawing).call(this.zoom.transform, d3.zoomIdentity.translate((width - this.layout.width * scale) / 2,
        Math.max(0, (height - this.layout.height * scale) / 2)).scale(scale));
  }

  zoom_by(factor) {
    if (this.zoom) d3.select(this.drawing).call(this.zoom.scaleBy, factor);
  }

  selected_box() {
    const node = state.node ?? (state.value === null ? -1 : this.program.values.kind[state.value] === 0 ? this.program.values.node[state.value] : -1);
    return this.model.boxes.find((each) => {
      if (each.kind === "input") return state.value === each.value;
      if (each.kind === "part") return node >= each.nodes[0] && node < this.program.nodes.end[each.nodes[each.nodes.length - 1]];
      return each.node !== undefined && node >= each.node && node < this.program.nodes.end[each.node];
    });
  }

  mark() {
    if (!this.box_elements) return;
    const selected = this.selected_box();
    const hinted = new Set(hinted_values());
    for (const each of this.model.boxes) {
      const made = this.box_elements[each.id];
      made.classList.toggle("selected", each === selected);
      made.classList.toggle("hinted", hinted.size > 0 && this.values_of(each).some((value) => hinted.has(value)));
    }
    for (const [at, edge] of this.model.edges.entries()) this.edge_elements[at].classList.toggle("chosen",
        state.value !== null && edge.values.includes(state.value));
  }

  values_of(each) {
    if (each.kind === "input") return [each.value];
    return each.kind === "op" ? this.program.results(each.node) : [];
  }

  /// Moves the selected box into view.
  reveal() {
    const selected = this.selected_box();
    if (!selected || !this.zoom || !this.layout) return;
    const [x, y] = this.layout.boxes[selected.id];
    const transform = d3.zoomTransform(this.drawing);
    const [at_x, at_y] = transform.apply([x, y]);
    const {clientWidth: width, clientHeight: height} = this.drawing;
    if (at_x > 40 && at_x < width - 40 && at_y > 30 && at_y < height - 30) return;
    d3.select(this.drawing).call(this.zoom.translateTo, x, y);
  }

  /// Moves the selection along edges: down to users, up to operands, left and right to neighbours.
  key(event) {
    if (event.key === "+" || event.key === "=") this.zoom_by(1.4);
    else if (event.key === "-") this.zoom_by(1 / 1.4);
    else if (event.key === "0") this.fit();
    else if (event.key === "Enter" && this.selected_box()) this.open(this.selected_box());
    else if (event.key === "Backspace" &&
        this.program.nodes.parent[this.shown_scope] >= 0) this.open_scope(this.program.nodes.parent[this.shown_scope]);
    else if (/^Arrow/.test(event.key)) this.walk(event.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  walk(key) {
    if (!this.layout) return;
    const now = this.selected_box();
    if (!now) return this.choose(this.model.boxes[0]);
    const [x, y] = this.layout.boxes[now.id];
    const ahead = {ArrowDown: (dx, dy) => dy > 4, ArrowUp: (dx, dy) => dy < -4, ArrowRight: (dx, dy) => dx > 4 && Math.abs(dy) < 60,
        ArrowLeft: (dx, dy) => dx < -4 && Math.abs(dy) < 60}[key];
    const linked = new Set(this.model.edges.filter((edge) => edge.from === now.id || edge.to === now.id).flatMap((edge) => [edge.from, edge.to]));
    const distance = (each) => {
      const [dx, dy] = [this.layout.boxes[each.id][0] - x, this.layout.boxes[each.id][1] - y];
      return Math.hypot(dx, dy) * (linked.has(each.id) ? 0.3 : 1);
    };
    const found = this.model.boxes.filter((each) => each !== now && each.kind !== "part" &&
        ahead(this.layout.boxes[each.id][0] - x, this.layout.boxes[each.id][1] - y));
    found.sort((a, b) => distance(a) - distance(b));
    if (found.length) this.choose(found[0]);
  }

  flash() {
    const changed = new Set(changed_values(this.program));
    for (const each of this.model.boxes) {
      const made = this.box_elements[each.id];
      made.classList.remove("flash");
      if (!this.values_of(each).some((value) => changed.has(value)) && !this.contains_op_of(each, changed)) continue;
      void made.getBoundingClientRect();  // restarts the animation
      made.classList.add("flash");
    }
  }

  /// Checks whether a folded box contains the op of one of the values.
  contains_op_of(each, values) {
    if (each.kind !== "scope" && each.kind !== "part") return false;
    const {nodes, values: {node, kind}} = this.program;
    const [first, last] = each.kind === "scope" ? [each.node, each.node] : [each.nodes[0], each.nodes[each.nodes.length - 1]];
    return [...values].some((value) => kind[value] === 0 && node[value] >= first && node[value] < nodes.end[last]);
  }

  update(changed) {
    if (!this.model || !this.box.isConnected) return;
    this.hide_note();
    if (changed.has("scope")) {
      this.part = null;
      this.show_scope();
      return;
    }
    if (!this.layout || !this.box_elements) return;
    if (changed.has("step")) {
      this.paint_edges();
      for (const each of this.model.boxes) this.draw_strip(this.box_elements[each.id], each, ...this.sizes[each.id]);
      this.flash();
    }
    this.mark();
    if (changed.has("node") || changed.has("value")) this.reveal();
  }
}
