"use strict";

// The state of the page: the tab, the selection, the step, the filter. The hash of the address holds all of it, so that a link restores the view and
// the back button returns to the previous one.

const kDefaults = {tab: "graph", value: null, node: null, scope: null, step: null, query: "", sort: "order", side: "after", syntax: "mlir",
    point: null};
const kNumbers = new Set(["value", "node", "scope", "step", "point"]);
// Members whose change is a new entry of the history; changes of the others replace the current entry.
const kVisited = new Set(["tab", "value", "node", "scope", "side", "syntax"]);

const state = {...kDefaults};
const state_listeners = [];

/// Calls `listener(changed)` after each change, with the set of members that changed.
function on_change(listener) {
  state_listeners.push(listener);
}

/// Returns the hash of the state, or of the state with other members.
function hash_of_state(next = {}) {
  const shown = {...state, ...next};
  const parts = Object.keys(kDefaults).filter((key) => shown[key] !== kDefaults[key]).map((key) => key + "=" + encodeURIComponent(shown[key]));
  return parts.length ? "#" + parts.join("&") : "#";
}

/// Reads the members of a hash; unknown members and numbers out of the program are ignored by the readers of the state.
function state_of_hash(hash) {
  const read = {...kDefaults};
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [key, text] = part.split("=");
    if (!(key in kDefaults) || text === undefined) continue;
    let value = "";
    try {
      value = decodeURIComponent(text);
    } catch {
      continue;
    }
    if (!kNumbers.has(key)) read[key] = value;
    else if (/^-?\d+$/.test(value)) read[key] = Number(value);
  }
  return read;
}

function apply_state(next) {
  const changed = new Set(Object.keys(kDefaults).filter((key) => next[key] !== undefined && next[key] !== state[key]));
  for (const key of changed) state[key] = next[key];
  return changed;
}

function notify(changed) {
  for (const listener of state_listeners) listener(changed);
}

/// Changes members of the state, the address, and all views that show them.
function change_state(next) {
  const changed = apply_state(next);
  if (changed.size === 0) return;
  const visited = [...changed].some((key) => kVisited.has(key));
  try {
    history[visited ? "pushState" : "replaceState"](null, "", hash_of_state());
  } catch {
    // A browser limits changes of the address per second; the view changes without it.
  }
  notify(changed);
}

/// Follows the back button and links to other hashes.
function follow_address() {
  const read = () => notify(apply_state(state_of_hash(location.hash)));
  addEventListener("popstate", read);
  apply_state(state_of_hash(location.hash));
}
