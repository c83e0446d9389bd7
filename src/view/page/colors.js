"use strict";

// Colours: one hue per mesh axis in mesh order, by Okabe and Ito, because colour-blind people can distinguish these hues. From the eighth axis on,
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
