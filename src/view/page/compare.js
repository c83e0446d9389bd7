"use strict";

// Two programs: the totals of `diff`, the collectives lost and gained, the values whose sharding differs, and both texts side by side.

/// The table of changes.
class ChangesView {
  async draw(box) {
    const {head, diff} = page;
    const rows = head.rows;
    const parts = [element("table", {class: "totals_table"}, table_head([["per device"], ["before", true], ["after", true], ["change", true]]),
        element("tbody", {}, rows.map((row) => element("tr", {},
      element("td", {}, visible(row.label)), element("td", {class: "number"}, row.before), element("td", {class: "number"}, row.after),
          element("td", {class: "number change"}, row.change)))))];
    parts.push(this.draw_collectives(diff.collectives), this.draw_values(diff.shardings));
    replace_children(box, element("div", {class: "stack"}, parts));
  }

  draw_collectives(collectives) {
    const program = page.programs.after;
    if (collectives.length === 0) return empty_line("Both programs have the same collectives; lost and gained ones would be listed here.");
    return [element("h2", {}, "Collectives lost and gained"), long_table([["change in bytes", true], ["before", true], ["after", true],
        ["collective"], ["of"], ["for"]], collectives.length, (at) => {
      const each = collectives[at];
      return element("tr", {}, element("td", {class: "number"}, signed_grouped(each.bytes_after - each.bytes_before)),
          element("td", {class: "number"}, grouped(each.count_before)), element("td", {class: "number"}, grouped(each.count_after)),
                     element("td", {}, short_kind(each.kind), " ", axes_in_text(program, each.axes)),
                         element("td", {}, name_of(each.type, {class: "code"}, 80)), element("td", {}, visible(each.serves, 100)));
    })];
  }

  /// Draws the values whose sharding differs; the links lead to their panels.
  draw_values(shardings) {
    if (shardings.length === 0) return empty_line("Every value has the same sharding in both programs; values that differ would be listed here.");
    const row_of = new Map(page.pairs.shardings.map((index, at) => [index, at]));
    const chips = (side, value) => sharding_squares(page.programs[side], page.programs[side].sharding(page.programs[side].values.sharding[value]));
    const cell = (side, at, text) => {
      const value = at === undefined ? -1 : page.pairs[side][at];
      return element("td", {}, value >= 0 ? [chips(side, value), " ", element("button", {class: "link code", onclick: () => show_side(side, value)},
          visible(text ?? "none", 300))] : element("span", {class: "code"}, visible(text ?? "none", 300)));
    };
    return [element("h2", {}, "Values with another sharding"), long_table([["value"], ["before"], ["after"]], shardings.length, (index) => {
      const each = shardings[index];
      const at = row_of.get(index);
      return element("tr", {}, element("td", {}, name_of(each.made_by, {}, 100), " ", name_of(each.location, {class: "quiet"}, 60), " ",
          name_of(each.type, {class: "code quiet"}, 60)), cell("before", at, each.before), cell("after", at, each.after));
    })];
  }

  update() {}
}

function show_side(side, value) {
  change_state({side, value, node: null});
}

/// Both texts side by side; values whose sharding differs are marked.
class BothTextsView {
  constructor() {
    this.views = {before: new TextView(), after: new TextView()};
  }

  async draw(box) {
    const sides = ["before", "after"].map((side) => [side, element("div", {class: "view full"})]);
    replace_children(box, element("div", {class: "two"}, sides.map(([side, inner]) => element("section", {"aria-label": side},
        element("h2", {}, side + " ", name_of(page.programs[side].head.title, {class: "quiet"}, 80)), inner))));
    for (const [side, inner] of sides) {
      const view = this.views[side];
      view.side = side;
      view.differing = page.pairs[side];
      view.other = page.pairs[side === "before" ? "after" : "before"];
      this.boxes ??= {};
      this.boxes[side] = inner;
      await page.programs[side].need_steps();
      await view.draw(inner, page.programs[side]);
    }
  }

  update(changed) {
    for (const side of ["before", "after"]) if (this.boxes) this.views[side].update(changed, this.boxes[side]);
  }
}
