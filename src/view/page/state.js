"use strict";

// The state of the page: tab, selection, step, filter. The hash of the address contains the state, so that a link restores the view and the back
// button returns to the previous view.

const kDefaults = {tab: "graph", value: null, node: null, scope: null, step: null, query: "", sort: "order", side: "after", syntax: "mlir",
    point: null};
const kNumbers = new Set(["value", "node", "scope", "step", "point"]);
// A change of these members adds an entry to the browser's history. Changes of other members replace the current entry.
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

/// Parses a hash. Readers of the state ignore unknown members and numbers that the program does not have.
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

/// Changes members of the state, updates the address, and notifies all views of these members.
function change_state(next) {
  const changed = apply_state(next);
  if (changed.size === 0) return;
  const visited = [...changed].some((key) => kVisited.has(key));
  try {
    history[visited ? "pushState" : "replaceState"](null, "", hash_of_state());
  } catch {
    // A browser limits the number of address changes per second. Without the change of the address, the view is still updated.
  }
  notify(changed);
}

/// Handles the back button and links to other hashes.
function follow_address() {
  const read = () => notify(apply_state(state_of_hash(location.hash)));
  addEventListener("popstate", read);
  apply_state(state_of_hash(location.hash));
}
