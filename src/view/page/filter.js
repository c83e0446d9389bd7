"use strict";

// The filter of the outline: terms such as `op:dot_general axis:model bytes>1e6 line:31 replicated conflict`, and free text. A node must match all
// terms.

const kComparisons = {">": (a, b) => a > b, "<": (a, b) => a < b, ">=": (a, b) => a >= b, "<=": (a, b) => a <= b, "=": (a, b) => a === b};
const kMeasures = {
  bytes: (program, node) => program.nodes.bytes[node],
  collectives: (program, node) => program.nodes.collectives[node],
  time: (program, node) => program.nodes.seconds[node] + program.nodes.compute_seconds[node],
  peak: (program, node) => program.nodes.peak_bytes[node],
};

/// Returns the values that a node defines: results of an op, arguments of a function or region.
function values_at(program, node) {
  return program.results(node);
}

function shards_along(program, value, name) {
  return program.axes_of(program.sharding(program.values.sharding[value])).some((axis) => axis.name === name);
}

function is_replicated(program, value) {
  const sharding = program.sharding(program.values.sharding[value]);
  return !sharding || sharding.dims.every((dim) => dim.axes.length === 0);
}

function has_conflict(program, value) {
  return program.values.conflict_begin[value] < program.values.conflict_begin[value + 1];
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

function text_test(program, text) {
  const wanted = text.toLowerCase();
  const found = new Map();  // from the index of a string to whether the string contains the text
  const contains = (index) => {
    if (!found.has(index)) found.set(index, program.text_of(index).toLowerCase().includes(wanted));
    return found.get(index);
  };
  const {label, op, place} = program.nodes;
  return (node) => contains(label[node]) || contains(op[node]) || contains(place[node]) ||
                   program.results(node).some((value) => contains(program.values.name[value]));
}

/// Returns the test of one term of the filter.
function term_test(program, term) {
  const [, key, text] = term.match(/^(op|axis|line):(.+)$/) ?? [];
  if (key === "op") return (node) => program.op(node).includes(text);
  if (key === "line") return place_test(program, text);
  if (key === "axis") return (node) => values_at(program, node).some((value) => shards_along(program, value, text));
  const [, measure, sign, number] = term.match(/^(bytes|collectives|time|peak)(>=|<=|>|<|=)([\d.]+(?:e[+-]?\d+)?)$/i) ?? [];
  if (measure) return (node) => kComparisons[sign](kMeasures[measure](program, node), Number(number));
  if (term === "replicated") return (node) => values_at(program, node).some((value) => is_replicated(program, value));
  if (term === "conflict") return (node) => values_at(program, node).some((value) => has_conflict(program, value));
  return text_test(program, term);
}

/// Returns a flag per node, whether it matches all terms, and the number of matching nodes; null for an empty filter. Only ops and functions can
/// match.
function filtered(program, query) {
  const terms = query.trim().split(/\s+/).filter((term) => term);
  if (terms.length === 0) return null;
  const tests = terms.map((term) => term_test(program, term));
  const matches = new Uint8Array(program.num_nodes);
  let count = 0;
  for (let node = 0; node < program.num_nodes; ++node) {
    const kind = program.nodes.kind[node];
    if (kind !== 3 && kind !== 0) continue;
    if (!tests.every((test) => test(node))) continue;
    matches[node] = 1;
    ++count;
  }
  return {matches, count};
}
