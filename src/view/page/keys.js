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
  ["?", "this list"],
];

function show_keys() {
  let dialog = document.getElementById("keys");
  if (!dialog) {
    dialog = element("dialog", {id: "keys", "aria-label": "keys", onclick: (event) => { if (event.target === dialog) dialog.close(); }},
        element("h2", {}, "Keys"),
      element("dl", {class: "keys"}, kKeys.map(([key, text]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, text)])),
      element("form", {method: "dialog"}, element("button", {class: "copy"}, "close")));
    document.body.append(dialog);
  }
  if (!dialog.open) dialog.showModal();
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
