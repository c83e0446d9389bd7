"use strict";

// Shardings as chips: one entry per dim with the axes in their colours, and `?` for open dims.

// ---- Colours ------------------------------------------------------------------------------------
// One hue per mesh axis in mesh order, by Okabe and Ito, because colour-blind people can distinguish these hues. From the eighth axis on,
// the hues repeat with hatches. Except for text, the page has no other colours.

const kHues = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"];
const kHatches = ["", "diagonal", "cross", "dots"];

/// Returns the hue and the hatch of the axis with this number.
function axis_look(index) {
  return {hue: kHues[index % kHues.length], hatch: kHatches[Math.floor(index / kHues.length) % kHatches.length]};
}

function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

function luminance(hex) {
  const linear = channels(hex).map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

/// Returns black or white, whichever has more contrast with the background.
function ink_on(hex) {
  const light = luminance(hex);
  return 1.05 / (light + 0.05) > (light + 0.05) / 0.05 ? "#ffffff" : "#000000";
}

/// Mixes two colours. A share of 0 is the first colour, 1 the second one.
function mixed(first, second, share) {
  const [a, b] = [channels(first), channels(second)];
  return "#" + a.map((value, at) => Math.round(value + (b[at] - value) * share).toString(16).padStart(2, "0")).join("");
}

function is_dark() {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/// Returns a chip of an axis or sub-axis: its name on its hue. The hatch is only a band at the left end, so that the name keeps its contrast.
function axis_chip(mesh_axis, text, attributes = {}) {
  if (!mesh_axis) return element("span", {class: "chip plain", ...attributes}, visible(text, 60));
  const look = axis_look(mesh_axis.index);
  return element("span", {class: "chip " + look.hatch, style: {"background-color": look.hue, color: ink_on(look.hue)}, ...attributes},
                 name_of(text, {}, 60));
}

/// Returns a small square in the colour of an axis, for rows.
function axis_square(mesh_axis) {
  const look = mesh_axis ? axis_look(mesh_axis.index) : {hue: "transparent", hatch: ""};
  return element("i", {class: "square " + look.hatch, style: {"background-color": look.hue}});
}

/// Adds the patterns of hatches to an SVG drawing; returns the paint of a hue with a hatch.
function paint_of(defs, look, paints) {
  if (!look.hatch) return look.hue;
  const id = "hatch-" + look.hue.slice(1) + "-" + look.hatch;
  if (!paints.has(id)) {
    paints.add(id);
    const lines = {diagonal: "M-1,1L1,-1M0,6L6,0M5,7L7,5", cross: "M0,6L6,0M0,0L6,6", dots: "M2,3h2"}[look.hatch];
    defs.append(shape("pattern", {id, width: 6, height: 6, patternUnits: "userSpaceOnUse"}, shape("rect", {width: 6, height: 6, fill: look.hue}),
                      shape("path", {d: lines, stroke: ink_on(look.hue), "stroke-width": 1.2})));
  }
  return "url(#" + id + ")";
}

// ---- Chips --------------------------------------------------------------------------------------

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
