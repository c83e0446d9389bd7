"use strict";

// The filter of the outline: terms such as `op:dot_general axis:model bytes>1e6 line:31 replicated conflict`, and free text. All terms must hold.

const kComparisons = {">": (a, b) => a > b, "<": (a, b) => a < b, ">=": (a, b) => a >= b, "<=": (a, b) => a <= b, "=": (a, b) => a === b};
const kMeasures = {
  bytes: (program, node) => program.nodes.bytes[node],
  collectives: (program, node) => program.nodes.collectives[node],
  time: (program, node) => program.nodes.seconds[node] + program.nodes.compute_seconds[node],
  peak: (program, node) => program.nodes.peak_bytes[node],
};

function shards_along(program, value, name) {
  return program.axes_of(program.sharding(program.values.sharding[value])).some((axis) => axis.name === name);
}

function is_replicated(program, value) {
  const sharding = program.sharding(program.values.sharding[value]);
  return !sharding || sharding.dims.every((dim) => dim.axes.length === 0);
}

/// Returns the nodes at which conflicts occur; an empty set before the part `explain` is read.
function nodes_of_conflicts(program) {
  return new Set(program.explain?.conflict_links.node ?? []);
}

/// Returns a test for one line number or place, such as `31`, `12:5` or `model.py:31`.
function place_test(program, text) {
  if (/^\d+$/.test(text)) {
    const line = Number(text);
    const ending = ":" + text;
    return (node) => {
      if (program.nodes.line[node] === line) return true;
      const place = program.place(node);
      return place.startsWith(text + ":") || place.endsWith(ending);
    };
  }
  return (node) => program.place(node).includes(text) || program.text_of(program.nodes.location[node]).includes(text);
}

/// A term of a filter as two tests: of an op or function, and of an argument.
class Term {
  constructor(of_node, of_argument = () => false) {
    this.of_node = of_node;
    this.of_argument = of_argument;
  }
}

/// Returns a term that holds for ops with a result, and for arguments, that pass a test.
function value_term(program, test) {
  return new Term((node) => program.kind(node) === "op" && program.results(node).some(test), test);
}

function text_term(program, text) {
  const wanted = text.toLowerCase();
  const found = new Map();  // from the index of a string to whether the string contains the text
  const contains = (index) => {
    if (!found.has(index)) found.set(index, program.text_of(index).toLowerCase().includes(wanted));
    return found.get(index);
  };
  const {label, op, place} = program.nodes;
  const of_value = value_term(program, (value) => contains(program.values.name[value]));
  return new Term((node) => contains(label[node]) || contains(op[node]) || contains(place[node]) || of_value.of_node(node), of_value.of_argument);
}

function parse_term(program, term) {
  const [, key, text] = term.match(/^(op|axis|line):(.+)$/) ?? [];
  if (key === "op") return new Term((node) => program.op(node).includes(text));
  if (key === "line") return new Term(place_test(program, text));
  if (key === "axis") return value_term(program, (value) => shards_along(program, value, text));
  const [, measure, sign, number] = term.match(/^(bytes|collectives|time|peak)(>=|<=|>|<|=)([\d.]+(?:e[+-]?\d+)?)$/i) ?? [];
  if (measure) return new Term((node) => kComparisons[sign](kMeasures[measure](program, node), Number(number)));
  if (term === "replicated") return value_term(program, (value) => is_replicated(program, value));
  if (term === "conflict") {
    const nodes = nodes_of_conflicts(program);
    return new Term((node) => nodes.has(node));
  }
  return text_term(program, term);
}

/// Returns the matches of a filter, or null for an empty one: a flag per node, the number of matching nodes, and the matching arguments. Of the nodes
/// only ops and functions can match.
function filtered(program, query) {
  const terms = query.trim().split(/\s+/).filter((term) => term).map((term) => parse_term(program, term));
  if (terms.length === 0) return null;
  const {nodes, values} = program;
  const matches = new Uint8Array(program.num_nodes);
  let count = 0;
  for (let node = 0; node < program.num_nodes; ++node) {
    if ((nodes.kind[node] !== 3 && nodes.kind[node] !== 0) || !terms.every((term) => term.of_node(node))) continue;
    matches[node] = 1;
    ++count;
  }
  const found = new Set();
  for (let value = 0; value < program.num_values; ++value) {
    if (values.kind[value] === 1 && values.node[value] >= 0 && terms.every((term) => term.of_argument(value))) found.add(value);
  }
  return {matches, count, arguments: found};
}
