"use strict";

// The comparison of two programs: the totals of `diff`, lost and gained collectives, values whose sharding differs, and both texts.

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
        ["collective"], ["of", false, "extra"], ["for"]], collectives.length, (at) => {
      const each = collectives[at];
      return element("tr", {}, element("td", {class: "number"}, signed_grouped(each.bytes_after - each.bytes_before)),
          element("td", {class: "number"}, grouped(each.count_before)), element("td", {class: "number"}, grouped(each.count_after)),
                     element("td", {class: "nowrap", title: visible(each.type, 200)}, short_kind(each.kind), " ", axes_in_text(program, each.axes)),
                         element("td", {class: "extra"}, name_of(each.type, {class: "code"}, 80)), element("td", {}, visible(short_name(each.serves), 100)));
    })];
  }

  /// Draws the values whose sharding differs. Links select them in the panels.
  draw_values(shardings) {
    if (shardings.length === 0) return empty_line("Every value has the same sharding in both programs; values that differ would be listed here.");
    const row_of = new Map(page.pairs.shardings.map((index, at) => [index, at]));
    const chips = (side, value) => sharding_squares(page.programs[side], page.programs[side].sharding(page.programs[side].values.sharding[value]));
    const cell = (side, at, text) => {
      const value = at === undefined ? -1 : page.pairs[side][at];
      const short = short_sharding(text ?? "none");
      return element("td", {class: "sharding_cell truncated", title: visible(text ?? "none", 600)}, value >= 0 ? [chips(side, value), element("button",
          {class: "link code", onclick: () => show_side(side, value)}, short)] : element("span", {class: "code"}, short));
    };
    const name = (at) => {
      const value = at === undefined ? -1 : page.pairs.after[at];
      return value >= 0 ? page.programs.after.value_name(value) : "";
    };
    return [element("h2", {}, "Values whose sharding differs"), long_table([["value"], ["type", false, "extra"], ["before"], ["after"]],
        shardings.length, (index) => {
      const each = shardings[index];
      const at = row_of.get(index);
      const place = short_place(each.location);
      return element("tr", {}, element("td", {class: "truncated", title: visible(each.made_by, 200)}, name_of(name(at), {class: "code"}, 60), " ",
          name_of(place || (name(at) ? "" : each.made_by), {class: "quiet"}, 60)),
          element("td", {class: "extra"}, name_of(each.type, {class: "code quiet"}, 60)), cell("before", at, each.before), cell("after", at, each.after));
    })];
  }

  update() {}
}

/// Returns a sharding without its mesh: `[{"x"}, {}]` for `<@mesh, [{"x"}, {}]>`.
function short_sharding(text) {
  return visible(text.replace(/^<@[^,\s]+, (.*)>$/s, "$1"), 300);
}

function show_side(side, value) {
  change_state({side, value, node: null});
}

/// The text of one of two programs. A selection in the other program is shown here if the two values correspond.
class SideText extends TextView {
  constructor(side) {
    super();
    this.side = side;
    this.differing = page.pairs[side].filter((value) => value >= 0);
  }

  selected_value() {
    if (state.side === this.side) return super.selected_value();
    const at = state.value === null ? -1 : page.pairs[state.side === "before" ? "before" : "after"].indexOf(state.value);
    return at < 0 ? null : page.pairs[this.side][at];
  }

  selected_node() {
    return state.side === this.side ? super.selected_node() : null;
  }

  legend() {
    return ["grey: the sharding differs"];
  }

  select_value(value) {
    show_side(this.side, value);
  }

  select_node(node) {
    change_state({side: this.side, ...selection_of(this.program, node)});
  }
}

/// Both texts side by side. Lines of values whose sharding differs are marked.
class BothTextsView {
  constructor() {
    this.sides = ["before", "after"].map((side) => ({side, view: new SideText(side)}));
  }

  async draw(box) {
    for (const each of this.sides) each.box = element("div", {class: "view full"});
    const title = (side) => element("h2", {}, side + " ", name_of(page.programs[side].head.title, {class: "quiet"}, 80));
    const columns = this.sides.map(({side, box: inner}) => element("section", {"aria-label": side}, title(side), inner));
    replace_children(box, element("div", {class: "two"}, columns));
    for (const {side, view, box: inner} of this.sides) {
      await page.programs[side].need_steps();
      await view.draw(inner, page.programs[side]);
    }
  }

  update(changed) {
    for (const {view, box} of this.sides) view.update(changed, box);
  }
}
