"use strict";

// Shardings as chips: one entry per dim with the axes in their colours, and `?` for open dims.

/// Returns the chips of a sharding, such as `[model, ?] []`. With `shape`, the chips have the sizes of the dims.
function sharding_chips(program, sharding, shape) {
  if (!sharding) return element("span", {class: "quiet"}, "no sharding");
  const dims = sharding.dims.map((dim, at) => dim_chips(program, sharding, dim, at, shape));
  return element("span", {class: "sharding_dims"}, dims.length || sharding.replicated.length || sharding.unreduced.length ? dims : "scalar",
                 axis_group(program, sharding, sharding.replicated, "replicated"), axis_group(program, sharding, sharding.unreduced, "unreduced"));
}

function dim_chips(program, sharding, dim, at, shape) {
  const axes = dim.axes.map((ref) => {
    const axis = program.axis(sharding, ref);
    return axis_chip(axis, axis.text);
  });
  const open = dim.open ? "?" : axes.length ? "" : "\u2013";
  const priority = dim.priority === null || dim.priority === undefined ? null : element("span", {class: "quiet"}, "p" + dim.priority);
  const title = (axes.length ? "" : "not sharded, ") + (dim.open ? "open: propagation may shard it further"
      : "closed: propagation does not shard it further");
  return element("span", {class: "one", title}, element("span", {class: "size"}, shape ? grouped(shape[at]) : "dim " + at), axes,
                 open && element("span", {class: "quiet"}, open), priority);
}

function axis_group(program, sharding, refs, word) {
  if (!refs || refs.length === 0) return null;
  const kind = word === "unreduced" && sharding.reduction && sharding.reduction !== "sum" ? `${word} (${sharding.reduction})` : word;
  return element("span", {class: "one"}, element("span", {class: "size"}, kind), refs.map((ref) => {
    const axis = program.axis(sharding, ref);
    return axis_chip(axis, axis.text);
  }));
}

/// Returns a sharding as small squares, one group per dim: filled with the colours of the axes, or an empty outline.
function sharding_squares(program, sharding) {
  if (!sharding) return null;
  const dims = sharding.dims.map((dim) => {
    const axes = dim.axes.map((ref) => axis_square(program.axis(sharding, ref)));
    return element("span", {class: axes.length ? "dim" : "dim whole"}, axes);
  });
  return element("span", {class: "dims", title: sharding.text}, dims, sharding.unreduced.length ? element("span", {class: "plus"}, "+") : null);
}

/// Returns the axes of a sharding as words, such as "model, data" or "replicated".
function sharding_words(program, sharding) {
  if (!sharding) return "no sharding";
  const axes = program.axes_of(sharding).map((axis) => axis.text);
  const sums = sharding.unreduced.length ? ", unreduced" : "";
  return (axes.length ? "sharded along " + axes.join(", ") : "replicated") + sums;
}

const kMostAxesNamed = 3;  // of a set that has all axes of a mesh
const kAxes = /"((?:[^"\\]|\\.)*)"(:\(\d+\)\d+)?/g;

/// Returns the axes that a text such as `{"x", "y":(1)2}` names, as [name, text]. All axes of a large mesh are [null, "all 9 axes"].
function axes_of_text(program, text) {
  const found = [...String(text).matchAll(kAxes)].map(([, name, part]) => [name, name + (part ?? "")]);
  const names = new Set(found.filter(([name, written]) => name === written).map(([name]) => name));
  const is_all = names.size > kMostAxesNamed && program.head.meshes.some((mesh) => mesh.axes.length === names.size && mesh.axes.every(({name}) => names.has(name)));
  return is_all ? [[null, `all ${names.size} axes`]] : found;
}

/// Returns the chips of the axes that a text names.
function axes_in_text(program, text) {
  const axes = axes_of_text(program, text);
  if (axes.length === 0) return element("span", {class: "quiet"}, visible(text));
  return axes.map(([name, written]) => axis_chip(name === null ? null : program.axis_named(name), written));
}

/// Returns the axes that a text names as words, such as "x, y".
function axes_as_words(program, text) {
  return axes_of_text(program, text).map(([, written]) => written).join(", ");
}

/// Returns a line such as `all_gather {"x"} of tensor<8xf32>` with chips for its axes.
function with_axis_chips(program, text, axes) {
  const at = axes ? text.indexOf(axes) : -1;
  return at < 0 ? visible(text, kLongestLine) : [visible(text.slice(0, at)), element("span", {class: "chips"}, axes_in_text(program, axes)),
      visible(text.slice(at + axes.length), kLongestLine)];
}
