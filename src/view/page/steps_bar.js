"use strict";

// The steps of propagation: a slider over the steps that changed a value. Text, graph and value panel show the shardings after the selected step.

const kPlayMilliseconds = 700;
// Ops and dims that each level of op priorities adds (docs/spec/propagation.md 11).
const kLevels = ["elementwise ops, reshapes and transposes of values with one use", "elementwise ops, reshapes and transposes", "dims that pass through an op",
    "all dims, broadcasts only backward", "all dims"];

/// Moves the slider to a step, and shows it in the graph if the current tab does not show steps.
function show_step(step) {
  change_state(["graph", "text", "both"].includes(state.tab) ? {step} : {step, tab: "graph"});
}

class StepsBar {
  constructor(box) {
    this.box = box;
    this.timer = null;
  }

  async show(program) {
    this.program = program;
    this.stop();
    await program.need_steps();
    const count = program.walk?.length ?? 0;
    if (count === 0) {
      replace_children(this.box, element("div", {class: "steps_line quiet"}, "Propagation changed nothing: its steps would be a slider here."));
      return;
    }
    this.slider = element("input", {type: "range", min: 0, max: count, "aria-label": "step of propagation",
        oninput: () => this.go(Number(this.slider.value)), onmousemove: (event) => this.name_group(event),
        onmouseleave: () => { this.note.hidden = true; }});
    this.note = element("div", {class: "note_box", hidden: true});
    this.play = element("button", {onclick: () => this.toggle(), "aria-label": "play", title: "play (space)"}, "\u25b6");
    this.now = element("span", {class: "now", "aria-live": "off"});
    replace_children(this.box, element("div", {class: "steps_line"}, this.play, element("button",
        {"aria-label": "step back", title: "step back ([)", onclick: () => this.move(-1)}, "\u2039"),
      element("button", {"aria-label": "step forward", title: "step forward (])", onclick: () => this.move(1)}, "\u203a"),
      element("div", {class: "track"}, this.draw_groups(count), this.slider), this.now), this.note);
    this.write();
  }

  /// Draws the track of the slider: a line for each group of steps with one user priority, strategy and level.
  draw_groups(count) {
    const {user_priority, strategy, level} = this.program.steps;
    const groups = this.groups = [];
    for (let at = 0; at < count; ++at) {
      const last = groups[groups.length - 1];
      const key = `${user_priority[at]} ${strategy[at]} ${level[at]}`;
      if (last && last.key === key) ++last.length;
      else groups.push({key, start: at, length: 1, level: level[at], title: `user priority ${user_priority[at]}, ${this.program.text_of(strategy[at])}, level ${level[at]}`});
    }
    return element("div", {class: "groups", "aria-hidden": "true"}, groups.slice(0,
        200).map((group) => element("i", {style: {left: (100 * group.start) / count + "%",
        width: (100 * group.length) / count + "%"}})));
  }

  /// Explains the piece of the track under the pointer.
  name_group(event) {
    const step = Math.floor((this.program.walk.length * event.offsetX) / Math.max(1, this.slider.clientWidth));
    const group = this.groups.findLast(({start}) => start <= step);
    this.note.textContent = group ? `steps ${grouped(group.start + 1)} to ${grouped(group.start + group.length)}: ${group.title}\nlevel ${group.level}: ${kLevels[group.level] ?? ""}` : "";
    this.note.hidden = !group;
    this.note.style.left = Math.max(4, Math.min(event.clientX + 14, this.box.clientWidth - this.note.offsetWidth - 8)) + "px";
    this.note.style.bottom = this.box.clientHeight + 4 + "px";
  }

  position() {
    return this.program.walk.position_of(state.step);
  }

  go(position) {
    const count = this.program.walk.length;
    const at = Math.max(0, Math.min(count, position));
    change_state({step: this.step_for(at)});
  }

  /// Returns the state for a position of the slider. The last position is the state after propagation.
  step_for(position) {
    return this.program.walk.step_of(position);
  }

  move(by) {
    if (!this.slider) return;
    this.stop();
    this.go(this.position() + by);
  }

  toggle() {
    if (!this.slider) return;
    if (this.timer) return this.stop();
    if (this.position() === this.program.walk.length) this.go(0);
    this.play.textContent = "\u23f8";
    this.play.setAttribute("aria-label", "pause");
    this.timer = setInterval(() => {
      if (this.position() >= this.program.walk.length) this.stop();
      else this.go(this.position() + 1);
    }, kPlayMilliseconds);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    if (!this.play) return;
    this.play.textContent = "\u25b6";
    this.play.setAttribute("aria-label", "play");
  }

  write() {
    if (!this.slider) return;
    const {steps, walk} = this.program;
    const at = this.position();
    this.slider.value = at;
    const text = at === 0 ? "before propagation: the annotations" : readable_step(this.program.text_of(steps.text[at - 1]));
    const node = at === 0 || state.step === kEnd ? -1 : steps.node[at - 1];
    const head = state.step === kEnd ? "after propagation" : at === 0 ? "" : `step ${grouped(steps.number[at - 1])}`;
    this.slider.setAttribute("aria-valuetext", visible(state.step === kEnd ? "after propagation" : text, 200));
    replace_children(this.now, head ? element("b", {}, head) : null, state.step === kEnd ? ` \u00b7 ${counted(walk.length, "step")}`
        : [head ? " \u00b7 " : "", node < 0 ? visible(text, 300) : element("a", {class: "link", href: hash_of_state({node}), onclick: (event) => {
      event.preventDefault();
      select_node(node);
    }}, visible(text, 300))]);
    this.now.title = visible(at === 0 ? text : this.program.text_of(steps.text[at - 1]), 600);
  }

  update(changed) {
    if (changed.has("step")) this.write();
  }
}

/// Returns the line of a decision without what all lines share: the dialect, and the beginning of the place.
function readable_decision(text) {
  return text.replace(/^(step \d+: )?(?:stablehlo|func)\./, "$1").replace(/loc\("(?:jit\([^()"]*\)\/)?([^"]*)"\)/, "$1");
}

/// Returns the line of a step without its number.
function readable_step(text) {
  return readable_decision(text).replace(/^step \d+: /, "");
}

/// Returns the values that the step of the slider changed.
function changed_values(program) {
  if (!program.walk || state.step === kEnd) return [];
  const {change} = program.steps;
  return program.walk.changes(program.walk.position_of(state.step)).map((at) => program.explain.values.value[change.row[at]]);
}
