"use strict";

// The header: the file, the mesh, and the totals of the report. Each figure is a link to the view that explains it.

const kFigures = {  // from the id of a total to its label and the tab that explains it
  bytes: ["sent per device", "collectives"],
  collectives: ["collectives", "collectives"],
  collective_seconds: ["communication", "time"],
  operation_seconds: ["computation", "time"],
  hidden_seconds: ["hidden", "time"],
  memory_seconds: ["waiting for memory", "time"],
  peak: ["peak memory per device", "memory"],
  useful: ["useful work", "conflicts"],
  padding: ["padding", "memory"],
};

function mesh_chips(program) {
  return program.head.meshes.map((mesh) => element("span", {class: "mesh", title: mesh.text},
      name_of("@" + mesh.name.replace(/^@/, ""), {class: "quiet"}), " ",
    mesh.axes.length === 0 ? element("span", {class: "chip plain"}, counted(mesh.devices, "device")) : null,
    mesh.axes.map((axis) => axis_chip(program.axis_named(axis.name), axis.name + " " + grouped(axis.size)))));
}

/// Splits the text of a total into the large number and the words after it, such as "3.24 KiB" and "3,318 bytes at stablehlo.add, 5:3".
function figure_texts(text) {
  const [, number, rest] = text.match(/^((?:[\d,.]+(?:e[+-]\d+)?|-)(?: (?:%|[KMGTPE]iB|bytes?|[num]?s|[MGTP]))?)( .*)?$/) ?? [null, text];
  const [, binary, after] = rest?.match(/^ \(([\d,.]+ [KMGTPE]iB)\)(.*)$/) ?? [];
  return binary ? [binary, number + after] : [number, rest?.trim() ?? ""];
}

/// Returns a figure: the number above its name. The tooltip has the whole line of the report.
function figure(total) {
  const [label, tab] = kFigures[total.id];
  const [number, rest] = figure_texts(total.text);
  const exact = /^[\d,]+ bytes?/.exec(rest)?.[0];
  return element("button", {class: "figure", "data-total": total.id, "data-value": total.value, title: [`${total.label}: ${total.text}`, words_in(label)].filter((line) => line).join("\n"),
      onclick: () => change_state({tab})},
                 element("dd", {}, number), element("dt", {}, label || total.label,
                     exact ? element("span", {class: "exact"}, " \u00b7 " + exact) : null));
}

/// Returns the choice of the program that the header, the outline and the panel show.
function side_switch() {
  return element("span", {class: "switch", role: "group", "aria-label": "program in view"}, ["before", "after"].map((side) => element("button",
      {"aria-pressed": String(state.side === side), onclick: () => change_state({side, value: null, node: null, scope: null, step: null})},
      `${side} `, name_of(page.programs[side].head.title, {}, 40))));
}

/// Returns a link to the warnings, or nothing if the program has none.
function warnings_link(program) {
  const count = program.head.notes.filter((note) => note.severity === "warning").length;
  return count === 0 ? null : element("button", {class: "link", onclick: () => change_state({tab: "notes"})}, counted(count, "warning"));
}

function draw_header(program) {
  const head = document.getElementById("head");
  const devices = program.head.totals.find((total) => total.id === "devices");
  const title = element("div", {class: "title"}, element("h1", {}, name_of(page.programs.only ? program.head.title : page.head.title)),
      mesh_chips(program),
    devices ? element("span", {class: "quiet", "data-total": "devices", "data-value": devices.value}, counted(devices.text.split(" ")[0], "device"))
        : null,
    element("span", {class: "end"}, warnings_link(program), page.programs.only ? null : side_switch(), element("button", {class: "quiet", onclick: show_keys, title: "signs, words and keys"}, element("kbd", {}, "?"))));
  const totals = Object.keys(kFigures).flatMap((id) => program.head.totals.filter((total) => total.id === id));
  replace_children(head, title, element("div", {class: "figures", role: "group", "aria-label": "totals per device"}, totals.map(figure)));
}
