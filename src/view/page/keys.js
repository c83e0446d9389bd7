"use strict";

// Keyboard control. All elements of the page can be reached by keys.

const kKeys = [
  ["/", ["search and filter: ", element("span", {class: "code"}, "op:dot_general axis:x bytes>1e6 line:31 replicated conflict")]],
  ["1 to 8", "the tabs"],
  ["o, c, p", "to the outline, the centre, the panel"],
  ["\u2191 \u2193", "next row, op, line or point of what has the focus"],
  ["\u2190 \u2192", "close and open a row; previous and next event or point; next box"],
  ["Enter", "open a folded box or row; Backspace: to the scope around it"],
  ["[ ]", "step back, step forward"],
  ["space", "play and pause the steps"],
  ["+ \u2212 0", "zoom in, zoom out, fit"],
  ["Alt + \u2190", "back to the view before"],
  ["Escape", "clear the selection"],
  ["?", "signs, words, keys"],
];

// Words of the page that need an explanation.
const kWords = [
  ["factor", "a name of dims that belong together in an op: i of a product are the rows of its left operand and of its result"],
  ["open, closed", "propagation may shard an open dim further (?), a closed one not (\u2013)"],
  ["forward, backward, sideways", "from operands to results, from results to operands, between operands or between results"],
  ["user priority", "the priority of the annotations of a round (p1 in a sharding); 0 comes first"],
  ["level", "the round of op priorities: 0 and 1 elementwise ops, 2 dims that pass through an op, 3 and 4 all dims"],
  ["elements", "the size of the tensor from which an axis comes; the axis of the larger one wins"],
  ["useful work", "the share of the operations of all devices that the unsharded program needs"],
];

/// Returns the words that a text contains, with their explanations, for a tooltip.
function words_in(text) {
  return kWords.filter(([words]) => words.split(", ").some((word) => text.includes(word))).map(([words, meaning]) => `${words}: ${meaning}`).join("\n");
}

/// Returns what squares, lines and signs of the page mean.
function signs() {
  const square = (axis) => element("span", {class: "dims"}, element("span", {class: axis ? "dim" : "dim whole"}, axis ? axis_square(axis) : null));
  return [[square({index: 0}), "a dim that is sharded along the axis of this colour"], [square(null), "a dim that is not sharded"],
      [element("span", {class: "plus"}, "+"), "an unreduced value: its summands are on several devices"],
      [element("span", {class: "edge_sample"}), "grey: a replicated value; in the colours of axes: a sharded one"],
      [element("span", {class: "edge_sample dashed"}), "dashed: an unreduced value"]];
}

function help_list(title, rows) {
  return element("section", {}, element("h2", {}, title), element("dl", {class: "keys"}, rows.map(([term, text]) => [element("dt", {}, term),
      element("dd", {}, text)])));
}

function show_keys() {
  let dialog = document.getElementById("keys");
  if (!dialog) {
    dialog = element("dialog", {id: "keys", "aria-label": "signs, words and keys", onclick: (event) => { if (event.target === dialog) dialog.close(); }},
        element("div", {class: "help"}, help_list("Keys", kKeys.map(([key, text]) => [element("kbd", {}, key), text])),
            element("div", {}, help_list("Signs", signs()), help_list("Words", kWords))),
      element("form", {method: "dialog"}, element("button", {class: "copy"}, "close")));
    document.body.append(dialog);
  }
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

/// Runs the action of a key, unless the focused control handles the key.
function on_key(event) {
  const typing = event.target.closest?.("input:not([type=range]), textarea, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    "/": () => page.outline?.input.select(),
    "?": show_keys,
    o: () => page.outline?.tree.focus(),
    c: () => focus_center(),
    p: () => document.getElementById("panel")?.focus(),
    "[": () => page.steps_bar?.move(-1),
    "]": () => page.steps_bar?.move(1),
    Escape: () => change_state({value: null, node: null}),
  };
  if (event.key === " " && !event.target.closest?.("button, summary, [role=button]")) actions[" "] = () => page.steps_bar?.toggle();
  if (/^[1-9]$/.test(event.key)) actions[event.key] = () => choose_tab(Number(event.key) - 1);
  if (!(event.key in actions)) return;
  event.preventDefault();
  actions[event.key]();
}

/// Moves the focus to the element that handles the keys of the current tab.
function focus_center() {
  const view = document.getElementById("view");
  const target = view?.querySelector("[tabindex='0']") ?? view?.querySelector("button, summary") ?? view;
  target?.focus();
}
