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

/// Returns the chips of the axes that a text such as `{"x", "y"}` names.
function axes_in_text(program, text) {
  const names = [...String(text).matchAll(/"((?:[^"\\]|\\.)*)"(:\(\d+\)\d+)?/g)];
  if (names.length === 0) return element("span", {class: "quiet"}, visible(text));
  return names.map(([, name, part]) => axis_chip(program.axis_named(name), name + (part ?? "")));
}
