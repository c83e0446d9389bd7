"use strict";

// The boxes and edges of the graph of a scope: its children and the values that enter it, folded to at most 200 boxes. Does not draw.

const kMostBoxes = 200;
const kMostInputs = 24;
const kMostInputEdges = 40;
const kMostBoxesBelowInputs = 48;  // in larger graphs, edges of inputs would be long lines across the graph
const kMostEdges = 420;
const kMostNamesInBox = 2;

/// A box of the graph: a `node`, the children `first` to `last` of the scope, or an `input` value.
class GraphModel {
  constructor(program, scope, part) {
    this.program = program;
    this.scope = scope;
    this.boxes = [];
    this.edges = new Map();
    this.box_of_child = new Map();
    this.inputs = new Map();
    this.list_boxes(part);
    this.list_edges();
    this.place_collectives();
  }

  /// Adds one box per child. If the scope has more than 200 children, adds one box per range of neighbours.
  list_boxes(part) {
    let nodes = this.program.children(this.scope);
    this.total = nodes.length;
    if (part) nodes = nodes.slice(part[0], part[1]);
    const offset = part ? part[0] : 0;
    const room = kMostBoxes - kMostInputs;
    const size = Math.ceil(nodes.length / room);
    if (size <= 1) for (const node of nodes) this.add_box({kind: this.program.kind(node) === "op" ? "op" : "scope", node}, [node]);
    else {
      const length = Math.max(size, Math.ceil(nodes.length / 40));
      for (let at = 0; at < nodes.length; at += length) {
        const range = nodes.slice(at, at + length);
        this.add_box({kind: "part", first: offset + at, last: offset + at + range.length, nodes: range}, range);
      }
    }
    this.first = nodes[0] ?? this.scope;
    this.stop = nodes.length ? this.program.nodes.end[nodes[nodes.length - 1]] : this.scope;
  }

  add_box(box, nodes) {
    box.id = this.boxes.length;
    this.boxes.push(box);
    for (const node of nodes) this.box_of_child.set(node, box.id);
  }

  /// Finds the box of each visible node by one walk in preorder.
  boxes_of_nodes() {
    const found = new Int32Array(this.stop - this.first).fill(-1);
    for (const [node, id] of this.box_of_child) for (let at = node; at < this.program.nodes.end[node]; ++at) found[at - this.first] = id;
    return found;
  }

  list_edges() {
    const {nodes, values} = this.program;
    const box_of = this.boxes_of_nodes();
    for (let node = this.first; node < this.stop; ++node) {
      const to = box_of[node - this.first];
      if (to < 0) continue;
      for (let at = nodes.operand_begin[node]; at < nodes.operand_begin[node + 1]; ++at) {
        const value = nodes.operands[at];
        const def = values.node[value];
        const inside = def >= this.first && def < this.stop && (values.kind[value] === 0 || def !== this.scope);
        const from = inside ? box_of[def - this.first] : -1;
        if (from === to) continue;
        if (from >= 0) this.add_edge(from, to, value);
        else if (inside === false) this.add_input(value, to);
      }
    }
    this.fold_inputs();
    this.fold_edges();
  }

  add_edge(from, to, value) {
    const key = from + " " + to + " " + value;
    if (!this.edges.has(key)) this.edges.set(key, {from, to, values: [value], badges: []});
  }

  add_input(value, to) {
    if (!this.inputs.has(value)) this.inputs.set(value, new Set());
    this.inputs.get(value).add(to);
  }

  /// Adds a box for each value that enters the scope. If there are many, marks the boxes that use them instead.
  fold_inputs() {
    const pairs = [...this.inputs.values()].reduce((sum, users) => sum + users.size, 0);
    if (this.inputs.size <= kMostInputs && this.boxes.length <= kMostBoxesBelowInputs && pairs <= kMostInputEdges) {
      for (const [value, users] of this.inputs) {
        this.add_box({kind: "input", value}, []);
        for (const to of users) this.add_edge(this.boxes.length - 1, to, value);
      }
      return;
    }
    for (const [value, users] of this.inputs) for (const to of users) (this.boxes[to].inputs ??= []).push(value);
  }

  /// Merges the edges between two boxes if the graph has many edges or a box is folded.
  fold_edges() {
    const merged = new Map();
    const many = this.edges.size > kMostEdges;
    for (const edge of this.edges.values()) {
      const key = edge.from + " " + edge.to;
      const folded = many || this.boxes[edge.from].kind === "part" || this.boxes[edge.to].kind === "part";
      if (!folded || !merged.has(key)) merged.set(folded ? key : key + " " + edge.values[0], edge);
      else merged.get(key).values.push(...edge.values);
    }
    this.edges = [...merged.values()];
  }

  /// Places each collective at the edge of the value that it moves, or at the box of its op.
  place_collectives() {
    const {collectives} = this.program;
    const box_of = this.boxes_of_nodes();
    for (let row = 0; row < collectives.node.length; ++row) {
      const node = collectives.node[row];
      if (node < this.first || node >= this.stop) continue;
      const box = box_of[node - this.first];
      if (box < 0) continue;
      const value = collectives.value[row];
      const edge = this.edges.find((each) => each.values.includes(value) && (collectives.after[row] ? each.from === box : each.to === box));
      if (edge) edge.badges.push(row);
      else (this.boxes[box].badges ??= []).push(row);
    }
  }

  /// Returns the two lines of text of a box.
  texts(box) {
    const {program} = this;
    if (box.kind === "input") return [program.value_name(box.value), program.short_type(box.value)];
    if (box.kind === "part") return [`ops ${grouped(box.first + 1)} to ${grouped(box.last)}`, program.short_op(box.nodes[0]) + " \u2026"];
    const {node} = box;
    const times = program.nodes.times[node] > 1 ? " \u00d7 " + grouped(program.nodes.times[node]) : "";
    if (box.kind === "scope") return [(program.label(node) || program.kind(node)) + times, counted(program.nodes.ops[node], "op")];
    const names = program.results(node).slice(0, kMostNamesInBox).map((value) => program.value_name(value)).join(", ");
    const type = program.results(node).length === 1 ? program.short_type(program.results(node)[0]) : "";
    return [program.short_op(node) || program.label(node), [names, type].filter((text) => text).join(" ")];
  }

  badge_text(rows) {
    if (rows.length > 1) return counted(rows.length, "collective");
    const each = this.program.report.collectives[rows[0]];
    return `${short_kind(each.kind)} ${axes_as_words(this.program, each.axes)} ${short_bytes(each.bytes)}`;
  }
}

// ---- Layout -------------------------------------------------------------------------------------
// The layout of a graph by dagre. It runs in a worker, so that the page stays responsive, or on the page itself if workers are not allowed.

/// Computes the layout. Runs in the worker, so it uses only its argument and `dagre`.
function layout_graph(graph) {
  const made = new dagre.graphlib.Graph({multigraph: true});
  made.setGraph({rankdir: "TB", nodesep: 22, ranksep: 34, edgesep: 12, marginx: 16, marginy: 16});
  made.setDefaultEdgeLabel(() => ({}));
  for (const [id, box] of graph.boxes.entries()) made.setNode(String(id), {width: box[0], height: box[1]});
  for (const [id, edge] of graph.edges.entries()) made.setEdge(String(edge[0]), String(edge[1]), {width: edge[2], height: edge[3], labelpos: "c"},
      String(id));
  dagre.layout(made);
  return {
    boxes: graph.boxes.map((_, id) => [made.node(String(id)).x, made.node(String(id)).y]),
    edges: graph.edges.map((edge, id) => {
      const {points, x, y} = made.edge(String(edge[0]), String(edge[1]), String(id));
      return {points, x, y};
    }),
    width: made.graph().width,
    height: made.graph().height,
  };
}

let layout_worker = null;
const layout_waiting = new Map();
let layout_number = 0;

function begin_worker() {
  const library = document.querySelector('script[data-library="dagre"]');
  if (!library) return null;
  try {
    const source = `${library.textContent}\n${layout_graph}\nonmessage = ({data}) => postMessage([data[0], layout_graph(data[1])]);`;
    const address = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
    const worker = new Worker(address);
    worker.onmessage = ({data}) => { layout_waiting.get(data[0])?.resolve(data[1]); layout_waiting.delete(data[0]); };
    worker.onerror = (event) => {
      event.preventDefault();
      layout_worker = false;
      for (const {resolve, graph} of layout_waiting.values()) resolve(layout_graph(graph));
      layout_waiting.clear();
    };
    return worker;
  } catch {
    return null;
  }
}

/// Returns a promise of the positions of boxes [width, height] and of edges [from, to, label width, label height].
function graph_layout(graph) {
  if (layout_worker === null) layout_worker = begin_worker() ?? false;
  if (!layout_worker) return Promise.resolve(layout_graph(graph));
  const number = ++layout_number;
  return new Promise((resolve) => {
    layout_waiting.set(number, {resolve, graph});
    layout_worker.postMessage([number, graph]);
  });
}
