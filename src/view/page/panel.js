"use strict";

// The value panel: the selected value with its sharding, devices, decisions, conflicts, users and collectives; or the selected scope.

/// Returns a button that selects a value.
function value_link(program, value) {
  return element("button", {class: "link code", onclick: () => select_value(value)}, name_of(program.value_name(value) || "value " + value, {}, 80));
}

/// Returns a button that selects an op. The button shows the name and the place of the op.
function node_link(program, node) {
  const text = (program.kind(node) === "op" && program.short_op(node)) || program.label(node) || program.kind(node);
  const place = place_beside(text, program.place(node));
  return element("button", {class: "link", onclick: () => select_node(node)}, name_of(text, {}, 80),
      place ? [" ", place_element(place, 60)] : null);
}

function section(title, ...children) {
  return element("section", {"aria-label": title}, element("h3", {}, title), children);
}

const kMostItems = 12;

/// Returns a list that shows its first items, and the others after a click.
function items_list(items, draw, attributes = {}) {
  const list = element("ul", {class: "items", ...attributes}, items.slice(0, kMostItems).map((item) => element("li", {}, draw(item))));
  if (items.length <= kMostItems) return list;
  const more = element("button", {class: "link quiet more", onclick: () => {
    more.remove();
    list.append(...items.slice(kMostItems, 1000).map((item) => element("li", {}, draw(item))));
  }}, "all " + grouped(items.length));
  return [list, more];
}

/// Returns the text of a sharding as pieces, one per dim, so that a line breaks between dims.
function in_pieces(text) {
  return visible(text, 2000).split(/(?<=[}>],) /).map((piece, at) => [at ? " " : null, element("span", {class: "piece"}, piece)]);
}

const kFewestLayers = 4;  // that are compared
const kMostNamedLayers = 3;

/// Returns the scopes in a node, grouped: scopes of a group have equal ops, collectives, bytes and times. The largest group is first.
function groups_of_layers(program, node) {
  const {nodes} = program;
  const layers = program.children(node).filter((child) => program.kind(child) === "scope");
  const groups = new Map();
  for (const layer of layers) {
    const stem = program.label(layer).replace(/\d+/g, "*");
    const key = [stem, ...["ops", "collectives", "bytes", "seconds", "compute_seconds"].map((column) => three_digits(nodes[column][layer]))].join(" ");
    groups.set(key, [...(groups.get(key) ?? []), layer]);
  }
  return layers.length < kFewestLayers || groups.size === layers.length ? [] : [...groups.values()].sort((a, b) => b.length - a.length || a[0] - b[0]);
}

const kLongestChain = 6;
const kChainEnds = 2;  // decisions at each end of a long chain that are drawn first

/// Returns a sentence about a decision as a link to its op or its value, with the words in parentheses at its end in quiet ink.
function sentence_link(text, node, value) {
  const [, sentence, rest] = text.match(/^(.*?)( \([^()]*\))?$/s);
  const parts = [sentence, rest ? element("span", {class: "quiet", title: words_in(rest)}, rest) : null];
  if (node < 0 && value < 0) return parts;
  const go = (event) => {
    event.preventDefault();
    if (node >= 0) select_node(node);
    else select_value(value);
  };
  return element("a", {class: "sentence", href: hash_of_state(node >= 0 ? {node} : {value}), onclick: go}, parts);
}

class ValuePanel {
  constructor(box) {
    this.box = box;
  }

  async draw() {
    const program = this.program;
    if (!program) return;
    const turn = this.turn = {};
    const shown = `${state.side} ${state.value} ${state.node}`;
    if (shown !== this.shown) this.box.scrollTop = 0;
    this.shown = shown;
    if (state.value === null && state.node === null) {
      replace_children(this.box, this.draw_empty());
      return;
    }
    await program.need("explain", "layouts", "report", "collectives");
    if (this.turn !== turn) return;
    const value = this.value_in_view();
    replace_children(this.box, value === null ? this.draw_node(state.node) : this.draw_value(value));
  }

  /// Draws the text of the empty panel, which also explains the squares of the outline.
  draw_empty() {
    const {program} = this;
    const first = program.head.meshes.flatMap((mesh) => mesh.axes)[0];
    const square = (axis) => element("span", {class: "dims"}, element("span", {class: axis ? "dim" : "dim whole"}, axis ? axis_square(axis) : null));
    return [this.draw_layers(program.first_scope()),
            empty_line("Select a value or an op: its sharding, the part of each device, the reasons and the collectives will be here."),
            first ? element("p", {class: "quiet legend"}, square(program.axis_named(first.name)), " a dim sharded along ",
                name_of(first.name, {}, 40)) : null,
            element("p", {class: "quiet legend"}, square(null), " a dim that is not sharded"),
                element("p", {class: "quiet legend"}, element("span", {class: "plus"}, "+"),
                " an unreduced value: its summands are on several devices")];
  }

  /// Draws which of the layers in a scope are alike, and what a layer of each group sends.
  draw_layers(node) {
    const {program} = this;
    const groups = node < 0 ? [] : groups_of_layers(program, node);
    if (groups.length === 0) return null;
    const name = (layer, at) => [at ? ", " : "", element("button", {class: "link", onclick: () => select_node(layer)}, name_of(program.label(layer), {}, 40))];
    return section("Layers", items_list(groups, (layers) => [element("b", {}, layers.length > 1 ? `${grouped(layers.length)} alike: ` : "1: "),
        layers.slice(0, kMostNamedLayers).map(name), layers.length > kMostNamedLayers ? [" \u2026 ", name(layers[layers.length - 1], 0)] : null,
        element("p", {class: "quiet"}, `each ${counted(program.nodes.collectives[layers[0]], "collective")}, ${bytes_text(program.nodes.bytes[layers[0]])}, ${time_text(program.nodes.seconds[layers[0]])}`)],
    {class: "items layers"}));
  }

  value_in_view() {
    if (state.value !== null && state.value >= 0 && state.value < this.program.num_values) return state.value;
    return null;
  }

  draw_value(value) {
    const {program} = this;
    const {values} = program;
    const node = values.node[value];
    const sharding = program.sharding(program.sharding_at(value, state.step));
    const layout = program.layouts[program.layout_at(value, state.step)];
    const shape = program.layouts[values.layout[value]]?.shape;
    return [
      element("h2", {}, name_of(program.value_name(value) || "value " + value, {"data-ask": program.text_of(values.ask[value])}, 200)),
      this.draw_maker(value, node),
      element("div", {class: "sharding_now", "data-sharding": sharding?.text ?? ""}, sharding && sharding_chips(program, sharding, shape)),
      this.draw_facts(value, sharding),
      section("Devices", layout ? new DevicePicture(program, layout, value).box : this.draw_no_layout(value)),
      this.draw_chains(value),
      this.draw_conflicts(value),
      this.draw_users(value),
      this.draw_collectives(program.list(values, "collective", value)),
    ];
  }

  draw_no_layout(value) {
    const shaped = this.program.values.layout[value] >= 0;
    return element("p", {class: "quiet"}, shaped ? "At this step the value has no sharding: every device holds all of it."
        : "This value has no static shape; of a tensor the part of each device is here.");
  }

  draw_maker(value, node) {
    const {program} = this;
    const kind = program.values.kind[value];
    if (kind === 2) return element("p", {}, `result ${program.values.number[value]} of `, node_link(program, node));
    if (kind === 1) return element("p", {}, `argument ${program.values.number[value]} of `, node_link(program, node));
    const others = program.results(node).filter((other) => other !== value);
    return element("p", {}, node_link(program, node), program.operands(node).length
        ? [element("span", {class: "quiet"}, " of "), this.comma(program.operands(node))] : null,
                   others.length ? [element("span", {class: "quiet"}, ", with "), this.comma(others)] : null);
  }

  comma(values) {
    const shown = values.slice(0, 8);
    const links = shown.map((value, at) => [element("span", {class: "nowrap"}, value_link(this.program, value), at + 1 < shown.length ? "," : ""), at + 1 < shown.length ? " " : ""]);
    return values.length > 8 ? [links, ` and ${grouped(values.length - 8)} more`] : links;
  }

  draw_facts(value, sharding) {
    const {program} = this;
    const {values} = program;
    const written = program.sharding(values.written[value]);
    const padding = values.padding_bytes[value];
    const is_last = program.sharding_at(value, state.step) === values.sharding[value];
    const facts = [["global", name_of(program.text_of(values.type[value]), {class: "code"})],
        ["local", [name_of(program.text_of(values.local_type[value]), {class: "code"}), " ", element("span", {class: "nowrap"}, `\u00b7 ${bytes_text(values.bytes[value])}`),
            padding ? `, ${grouped(padding)} of them padding` : "", is_last ? "" : ", after propagation"]],
                   ["sharding", element("span", {class: "code"}, sharding ? in_pieces(sharding.text) : "none")]];
    if (written) facts.push(["annotation", element("span", {class: "code"}, in_pieces(written.text))]);
    return element("dl", {class: "facts"}, facts.map(([label, text]) => [element("dt", {}, label), element("dd", {}, text)]));
  }

  /// Returns the decisions of an axis, last decision first, as `explain` prints them.
  decisions(last) {
    const {previous} = this.program.explain.decisions;
    const found = [];
    for (let at = last; at >= 0; at = previous[at]) found.push(at);
    return found;
  }

  draw_chains(value) {
    const {program} = this;
    const {explain} = program;
    const rows = program.list(program.values, "explain", value);
    const chains = rows.flatMap((row) => this.chains_of_row(row, rows.length > 1));
    const absent = rows.flatMap((row) => this.absent_of_row(row));
    const lost = this.conflicts_of_op(value);
    const why = chains.length || absent.length ? chains : empty_line("No axis reached this value. The steps from an annotation to a value are listed here.");
    return section("Why", why, absent.length ? element("ul", {class: "items absent"}, absent.map((at) => this.draw_absent(at))) : null,
        lost.length ? items_list(lost, (row) => this.draw_lost(row), {class: "items lost"}) : null);
  }

  /// Returns the conflicts at the op that defines a value, also the conflicts of its operands.
  conflicts_of_op(value) {
    const {explain, values} = this.program;
    if (values.kind[value] !== 0) return [];
    return explain.conflict_links.node.flatMap((node, row) => (node === values.node[value] ? [row] : []));
  }

  /// Draws the axis and the factor of a conflict as an alternative that lost.
  draw_lost(row) {
    const {program} = this;
    const each = program.explain.conflicts[row];
    const target = program.explain.conflict_links.target[row];
    const because = each.winner ? `${each.winner} has it, ${each.why}` : `${each.reason} at ${each.in_the_way}`;
    return element("div", {class: "quiet"}, "also possible: ", axes_in_text(program, each.axis), ` along factor ${visible(each.factor)} in `,
        target >= 0 ? value_link(program, target) : name_of(each.target ?? each.in_the_way, {class: "code"}), `, lost because ${visible(because, 400)}`);
  }

  chains_of_row(row, several) {
    const {explain} = this.program;
    const {axis_begin} = explain.values;
    const found = [];
    for (let at = axis_begin[row]; at < axis_begin[row + 1]; ++at) {
      const axis = this.program.text_of(explain.axes.axis[at]);
      found.push(element("div", {class: "reason"}, axes_in_text(this.program, axis),
          element("span", {class: "quiet"}, ` on dim ${explain.axes.dim[at]}`,
        several ? " " + visible(this.call_text(row), 200) : ""), element("ol", {class: "chain", "data-axis": axis, "data-dim": explain.axes.dim[at],
            "data-row": row},
        this.shortened_chain(this.decisions(explain.axes.last[at])))));
    }
    return found;
  }

  /// Returns the axes that the tensors of the def and of the users have but did not pass to the value, so that it is replicated along them.
  absent_of_row(row) {
    const {absent_begin} = this.program.explain.values;
    return d3.range(absent_begin[row], absent_begin[row + 1]);
  }

  draw_absent(at) {
    const {program} = this;
    const {axis, text, node} = program.explain.absent;
    return element("li", {class: "quiet"}, "not ", axes_in_text(program, program.text_of(axis[at])), ": ",
        sentence_link(visible(readable_decision(program.text_of(text[at])), 600), node[at], -1));
  }

  call_text(row) {
    const calls = this.program.list(this.program.explain.values, "call", row).map((call) => this.program.text_of(call));
    const user = this.program.text_of(this.program.explain.values.user[row]);
    return user ? "copy for " + user : calls.length ? "called by " + calls.join(", ") : "";
  }

  /// Draws a chain. Of a long chain, draws the first and last decisions, and the others after a click.
  shortened_chain(decisions) {
    const draw = (at) => this.draw_decision(at);
    if (decisions.length <= kLongestChain) return decisions.map(draw);
    const hidden = decisions.slice(kChainEnds, -kChainEnds);
    const more = element("li", {}, element("button", {class: "link quiet", onclick: () => more.replaceWith(...hidden.map(draw))},
        `${grouped(hidden.length)} more steps`));
    return [...decisions.slice(0, kChainEnds).map(draw), more, ...decisions.slice(-kChainEnds).map(draw)];
  }

  draw_decision(at) {
    const {decisions} = this.program.explain;
    const step = decisions.step[at];
    const text = visible(readable_decision(this.program.text_of(decisions.text[at])), 600);
    const [, head, rest] = text.match(/^(step \d+: )?(.*)$/s);
    const node = decisions.node[at];
    const value = decisions.value[at];
    return element("li", {"data-decision": at}, head && step >= 0 ? element("button",
        {class: "quiet link", title: "show this step", onclick: () => show_step(step)}, "step " + step + ":") : null,
                   head ? " " : null, sentence_link(rest, node, value));
  }

  draw_conflicts(value) {
    const {program} = this;
    const rows = program.list(program.values, "conflict", value);
    if (rows.length === 0) return null;
    return section(rows.length === 1 ? "1 conflict" : grouped(rows.length) + " conflicts",
        element("ul", {class: "items spaced"}, rows.map((row) => element("li", {}, conflict_text(program, row)))));
  }

  draw_users(value) {
    const users = this.program.users(value);
    return section("Users", users.length ? items_list(users, (node) => node_link(this.program, node))
        : element("p", {class: "quiet"}, "No op uses this value."));
  }

  draw_collectives(rows) {
    if (rows.length === 0) return section("Collectives", element("p", {class: "quiet"}, "None: this value causes no communication."));
    return section("Collectives", items_list(rows, (row) => collective_line(this.program, row)));
  }

  draw_node(node) {
    const {program} = this;
    const {nodes} = program;
    if (node < 0 || node >= program.num_nodes) return empty_line("This link names an op that the program does not have.");
    const kind = program.kind(node);
    const within = program.collectives.node.flatMap((at, row) => (at >= node && at < nodes.end[node] ? [row] : []));
    const facts = [["sent", bytes_text(nodes.bytes[node]) + " in " + counted(nodes.collectives[node], "collective")],
        ["communication", time_text(nodes.seconds[node])],
                   ["computation", time_text(nodes.compute_seconds[node])], ["at the peak", bytes_text(nodes.peak_bytes[node])]];
    if (kind !== "op") facts.unshift(["contains", counted(nodes.ops[node], "op")]);
    const values = [["Operands", program.operands(node)], [kind === "op" ? "Results" : "Arguments", program.results(node)]];
    return [
      element("h2", {}, name_of((kind === "op" ? program.op(node) : program.label(node)) || kind, {}, 200)),
      element("p", {}, place_element(program.place(node), 200), nodes.times[node] > 1
          ? element("b", {}, ` \u00d7 ${grouped(nodes.times[node])}`) : null),
      element("dl", {class: "facts"}, facts.map(([label, text]) => [element("dt", {}, label), element("dd", {}, text)])),
      nodes.callee[node] >= 0 ? element("p", {}, "calls ", node_link(program, nodes.callee[node])) : null,
      this.draw_layers(node),
      values.map(([title, list]) => (list.length ? section(title, items_list(list, (value) => this.value_line(value))) : null)),
      this.draw_collectives(within),
    ];
  }

  value_line(value) {
    const {program} = this;
    return [value_link(program, value), " ", sharding_squares(program, program.sharding(program.sharding_at(value, state.step))), " ",
            name_of(program.text_of(program.values.type[value]), {class: "quiet code"}, 80)];
  }
}
