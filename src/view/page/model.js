"use strict";

// The document of the page, as printed by `shardy view --format=json` (docs/view.schema.json). The page only looks up and sorts; all figures come
// from the document.

const kNodeKinds = ["function", "scope", "repeat", "op", "region"];
const kEnd = null;     // the state after propagation
const kStart = -1;     // the state before its first step
const kMostBesideScope = 2;  // ops beside a scope that the first view leaves out

/// Returns a readable place, such as `jit(step)/layer_3/attn/dot_general` for the location `loc("jit(step)/layer_3/attn/dot_general")`.
function readable_place(place) {
  return place.replace(/^loc\("(.*)"\)$/s, "$1");
}

/// Returns a readable place without the name of the jitted function, such as `layer_3/attn/dot_general`.
function short_place(place) {
  return readable_place(place).replace(/^jit\([^()]*\)\//, "");
}

/// Returns the name of an op without its dialect: "dot_general" for "stablehlo.dot_general".
function short_name(op) {
  return op.replace(/^(stablehlo|func|chlo|sdy|spmd)\./, "");
}

/// Returns the place of an op beside its name: without the name at its end, as name scopes have it.
function place_beside(name, place) {
  const short = short_place(place);
  return short.endsWith("/" + name) ? short.slice(0, -name.length - 1) : short === name ? "" : short;
}

/// Decompresses a part of the document, which is JSON in raw deflate in base64.
async function unpack(text) {
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

/// A document whose parts are decompressed when a view needs them. The parts of a nested document have a prefix, as in `before.head`.
class PartReader {
  constructor(prefix) {
    this.prefix = prefix;
    this.parts = new Map();
  }

  read(name) {
    if (!this.parts.has(name)) {
      const script = document.querySelector(`script[data-part="${this.prefix + name}"]`);
      this.parts.set(name, script ? unpack(script.textContent.trim()) : Promise.resolve(null));
    }
    return this.parts.get(name);
  }
}

/// A program and its parts. `await need(...)` makes parts available as members.
class Program {
  constructor(prefix) {
    this.reader = new PartReader(prefix);
    this.users_of_values = null;
    this.walk = null;
  }

  async need(...names) {
    await Promise.all(names.map(async (name) => {
      if (this[name] === undefined) this[name] = await this.reader.read(name);
    }));
    return this;
  }

  has(...names) {
    return names.every((name) => this[name] !== undefined);
  }

  /// Reads the parts of the first view, and indexes axes by name.
  async begin() {
    await this.need("head", "strings", "nodes", "values", "shardings");
    const names = this.head.axis_names ?? [...new Set(this.head.meshes.flatMap((mesh) => mesh.axes.map((axis) => axis.name)))];
    this.axis_index = new Map(names.map((name, index) => [name, index]));
    this.num_nodes = this.nodes.parent.length;
    this.num_values = this.values.name.length;
    return this;
  }

  text_of(index) {
    return this.strings[index] ?? "";
  }

  label(node) {
    return this.text_of(this.nodes.label[node]);
  }

  kind(node) {
    return kNodeKinds[this.nodes.kind[node]];
  }

  op(node) {
    return this.text_of(this.nodes.op[node]);
  }

  place(node) {
    return node < 0 ? "" : readable_place(this.text_of(this.nodes.place[node]));
  }

  /// Returns the op name without its dialect: "dot_general" for "stablehlo.dot_general".
  short_op(node) {
    return short_name(this.op(node));
  }

  /// Returns "8x4xf32" for "tensor<8x4xf32>".
  short_type(value) {
    return this.text_of(this.values.type[value]).replace(/^tensor<(.*)>$/s, "$1");
  }

  children(node) {
    const found = [];
    const stop = this.nodes.end[node];
    for (let child = node + 1; child < stop; child = this.nodes.end[child]) found.push(child);
    return found;
  }

  roots() {
    const found = [];
    for (let node = 0; node < this.num_nodes; node = this.nodes.end[node]) found.push(node);
    return found;
  }

  /// Returns the entries of row `row` of a column of lists.
  list(part, name, row) {
    return part[name].slice(part[name + "_begin"][row], part[name + "_begin"][row + 1]);
  }

  operands(node) {
    const begin = this.nodes.operand_begin;
    return this.nodes.operands.slice(begin[node], begin[node + 1]);
  }

  results(node) {
    const begin = this.nodes.result_begin;
    return this.nodes.results.slice(begin[node], begin[node + 1]);
  }

  value_name(value) {
    return this.text_of(this.values.name[value]);
  }

  /// Returns the nodes that use a value, in program order.
  users(value) {
    if (!this.users_of_values) {
      const {operand_begin, operands} = this.nodes;
      this.users_of_values = new Map();
      for (let node = 0; node < this.num_nodes; ++node) {
        for (let at = operand_begin[node]; at < operand_begin[node + 1]; ++at) {
          const users = this.users_of_values.get(operands[at]);
          if (!users) this.users_of_values.set(operands[at], [node]);
          else if (users[users.length - 1] !== node) users.push(node);
        }
      }
    }
    return this.users_of_values.get(value) ?? [];
  }

  /// Returns the function of main, or the first function.
  main() {
    const roots = this.roots();
    return roots.find((node) => /^@?main$/.test(this.label(node))) ?? roots[0] ?? -1;
  }

  /// Returns the scope that the first view shows: main, or inside it the only scope with ops in it, as the layers of a network are.
  first_scope() {
    let scope = this.main();
    while (scope >= 0) {
      const inner = this.children(scope);
      const folded = inner.filter((node) => this.nodes.end[node] > node + 1);
      if (folded.length !== 1 || inner.length > kMostBesideScope + 1 || this.kind(folded[0]) === "op") break;
      [scope] = folded;
    }
    return scope;
  }

  ancestors(node) {
    const found = [];
    for (let up = this.nodes.parent[node]; up >= 0; up = this.nodes.parent[up]) found.unshift(up);
    return found;
  }

  /// Returns the colour of an axis of a sharding: {name, index, text}. A sub-axis is "x:(2)4".
  axis(sharding, [axis, pre, size]) {
    const of_mesh = this.head.meshes[sharding.mesh]?.axes[axis];
    if (!of_mesh) return {name: "?", index: 0, text: "?"};
    const whole = Number(pre) === 1 && Number(size) === Number(of_mesh.size);
    return {name: of_mesh.name, index: this.axis_index.get(of_mesh.name) ?? 0, text: whole ? of_mesh.name : `${of_mesh.name}:(${pre})${size}`};
  }

  axis_named(name) {
    return this.axis_index.has(name) ? {name, index: this.axis_index.get(name), text: name} : null;
  }

  /// Returns the axes that shard a value, over all dims.
  axes_of(sharding) {
    return sharding ? sharding.dims.flatMap((dim) => dim.axes.map((axis) => this.axis(sharding, axis))) : [];
  }

  sharding(index) {
    return index >= 0 ? this.shardings[index] : null;
  }

  /// Returns the index of a value's sharding after the slider's step; -1 if it has none.
  sharding_at(value, step) {
    const row = this.values.explain_begin[value];
    if (step === kEnd || !this.walk || row === this.values.explain_begin[value + 1]) return this.values.sharding[value];
    return this.walk.at(this.values.explain[row], step);
  }

  /// Returns the index of a value's layout after a step, which sharding and shape determine; -1 if it has none.
  layout_at(value, step) {
    const last = this.values.layout[value];
    if (last < 0 || step === kEnd || !this.walk) return last;
    const wanted = this.sharding_at(value, step);
    if (!this.layout_rows) {
      this.layout_rows = new Map(this.layouts.map((layout, at) => [layout.sharding + " " + layout.shape.join("x") + " " + layout.mesh, at]));
      for (const [at, layout] of this.layouts.entries()) {
        const any = layout.sharding + " " + layout.shape.join("x");
        if (!this.layout_rows.has(any)) this.layout_rows.set(any, at);
      }
    }
    const shape = this.layouts[last].shape.join("x");
    return this.layout_rows.get(`${wanted} ${shape} ${this.layouts[last].mesh}`) ?? this.layout_rows.get(`${wanted} ${shape}`) ?? -1;
  }

  /// Reads the steps of propagation, for `sharding_at`.
  async need_steps() {
    await this.need("steps", "explain", "layouts");
    if (!this.walk && this.steps) this.walk = new StepWalk(this.steps);
    return this;
  }
}

/// The shardings after any step. Steps forward or backward from the step of the previous request.
class StepWalk {
  constructor(steps) {
    this.steps = steps;
    this.position = 0;
    this.current = steps.start.slice();
  }

  get length() {
    return this.steps.number.length;
  }

  /// Returns the number of rows whose step is at most `step`.
  position_of(step) {
    if (step === kEnd) return this.length;
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.steps.number[middle] <= step) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  step_of(position) {
    return position >= this.length ? kEnd : position === 0 ? kStart : this.steps.number[position - 1];
  }

  /// Returns the rows of `change` for the step before a position.
  changes(position) {
    if (position === 0) return [];
    const {change_begin} = this.steps;
    const found = [];
    for (let at = change_begin[position - 1]; at < change_begin[position]; ++at) found.push(at);
    return found;
  }

  move_to(position) {
    const {change} = this.steps;
    while (this.position < position) for (const at of this.changes(++this.position)) this.current[change.row[at]] = change.after[at];
    while (this.position > position) {
      for (const at of this.changes(this.position).reverse()) this.current[change.row[at]] = change.before[at];
      --this.position;
    }
  }

  at(row, step) {
    this.move_to(this.position_of(step));
    return this.current[row] ?? -1;
  }
}
