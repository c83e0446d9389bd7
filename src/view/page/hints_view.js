"use strict";

// The hints: changes of annotations that lower the cost. Each has its gain and its patch.

let hint_marks = [];

/// Returns the values that the hint under the pointer changes.
function hinted_values() {
  return hint_marks;
}

/// Returns the lines of the patch and the lines of changed collectives, without their common indentation.
function parts_of_hint(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  const indent = Math.min(...lines.map((line) => line.search(/\S/)));
  const lined_up = lines.map((line) => line.slice(indent));
  const first = lined_up.findIndex((line) => /^\s*[+-]?[\d,]+ {2}/.test(line));
  return first < 0 ? [lined_up, []] : [lined_up.slice(0, first), lined_up.slice(first).map((line) => line.trim())];
}

class HintsView {
  async draw(box, program) {
    await program.need("hints");
    if (!program.hints) return replace_children(box,
        empty_line(element("code", {}, "shardy view --hints"), " searches changes of one annotation that lower the cost. They would be listed here, with gain and patch."));
    const {document: found, links, patches} = program.hints;
    if (found.hints.length === 0) return replace_children(box,
        empty_line(`No change of one annotation lowers the cost; ${counted(found.tried, "change")} were tried.`));
    replace_children(box, element("p", {class: "quiet"}, `${counted(found.tried, "change")} of one annotation tried; several at once: `,
        element("code", {}, visible(found.several_at_once, 300))), found.hints.map((hint, at) => this.draw_hint(program, hint, links[at] ?? [], patches[at] ?? "")));
  }

  /// Draws a hint: its gain, the costs before and after, the patch, and the collectives that change.
  draw_hint(program, hint, values, text) {
    const [patch, effects] = parts_of_hint(text);
    const {before} = program.hints.document;
    const {cost} = hint;
    const mark = (marks) => {
      hint_marks = marks;
      notify(new Set(["hint"]));
    };
    const copy = element("button", {class: "copy", onclick: () => copy_text(hint.command + "\n", copy)}, "copy");
    const change = (label, key, text, unit = "") => element("span", {}, `${label} ${text(before[key])} \u2192 ${text(cost[key])}${unit}`);
    return element("article", {class: "hint", tabindex: "0", onmouseenter: () => mark(values), onmouseleave: () => mark([]),
        onfocusin: () => mark(values), onfocusout: () => mark([]), "aria-label": visible(`hint for ${hint.value}`, 100)},
      element("div", {class: "gain"}, name_of(hint.value, {class: "code"}, 80),
          `  time ${change_text(before.modelled_seconds, cost.modelled_seconds)}, sent ${signed_grouped(cost.bytes - before.bytes)} bytes`),
      element("div", {class: "changes"}, change("time", "modelled_seconds", time_text), change("sent", "bytes", grouped, " bytes"),
          change("peak", "peak_bytes", grouped, " bytes"), change("collectives", "collectives", grouped)),
      element("pre", {}, this.draw_patch(patch)),
      effects.length ? element("div", {class: "effects"}, effects.slice(0, 40).map((line) => this.draw_effect(program, line))) : null, element("div", {class: "buttons"}, copy,
          values.slice(0, 1).map((value) => element("button", {class: "link", onclick: () => select_value(value)}, "show the value"))));
  }

  /// Draws the change in bytes of a collective, and the collective.
  draw_effect(program, line) {
    const [, bytes, rest] = line.match(/^([+-]?[\d,]+)\s+(.*)$/s) ?? [null, "", line];
    const text = short_name(rest).replace(/ for (?:stablehlo|sdy)\./, " for ");
    return [element("span", {class: "number"}, bytes), element("span", {}, with_axis_chips(program, text, /\{.*?\}(?= of )/s.exec(text)?.[0]))];
  }

  draw_patch(lines) {
    return lines.slice(0, 60).map((line) => element("span", {class: /^-/.test(line) ? "removed" : ""}, visible(line, 2000), "\n"));
  }

  update() {}
}
