"use strict";

// Helpers that create page elements. `element` and `shape` add every text of a program as a text node, so it is never interpreted as HTML.

const kSvgNamespace = "http://www.w3.org/2000/svg";

/// Sets attributes. Functions such as `onclick` become listeners; undefined and false omit the attribute.
function set_attributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "style" && typeof value === "object") for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else node.setAttribute(name, value === true ? "" : value);
  }
  return node;
}

function append_all(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/// Returns an HTML element with attributes and children; children that are not nodes become text nodes.
function element(tag, attributes = {}, ...children) {
  return append_all(set_attributes(document.createElement(tag), attributes), children);
}

/// Returns an SVG element, as `element` does.
function shape(tag, attributes = {}, ...children) {
  return append_all(set_attributes(document.createElementNS(kSvgNamespace, tag), attributes), children);
}

function replace_children(node, ...children) {
  node.replaceChildren();
  return append_all(node, children);
}

const kLongestName = 240;
const kInvisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/// Returns the first `longest` characters of a name, with control characters and direction marks escaped.
function visible(text, longest = kLongestName) {
  const whole = String(text ?? "");
  const start = whole.length > longest ? whole.slice(0, longest) + "\u2026" : whole;
  return start.replace(kInvisible, (mark) => "\\u" + mark.charCodeAt(0).toString(16).padStart(4, "0"));
}

const text_widths = {};

/// Returns the width of a text in the font of the page, in a size in pixels.
function text_width(text, size) {
  const context = text_widths.context ??= document.createElement("canvas").getContext("2d");
  text_widths.family ??= getComputedStyle(document.body).fontFamily;
  context.font = `${size}px ${text_widths.family}`;
  return context.measureText(text).width;
}

/// Returns the beginning of a text that fits into a width in pixels, with an ellipsis.
function fitted(text, size, width) {
  const whole = visible(text, 120);
  if (text_width(whole, size) <= width) return whole;
  let [fits, longer] = [0, whole.length];
  while (fits + 1 < longer) {
    const middle = (fits + longer) >> 1;
    if (text_width(whole.slice(0, middle) + "\u2026", size) <= width) fits = middle;
    else longer = middle;
  }
  return whole.slice(0, fits) + "\u2026";
}

/// Returns a name of the program as an element whose direction does not leak into its neighbours.
function name_of(text, attributes = {}, longest = kLongestName) {
  return element("bdi", attributes, visible(text, longest));
}

/// Returns a place such as `layer_3/attn` as an element that breaks its line after a slash.
function place_element(text, longest = 80, attributes = {class: "quiet"}) {
  return element("bdi", attributes, visible(text, longest).split(/(?<=\/)/).flatMap((part, at) => (at ? [element("wbr"), part] : [part])));
}

/// Returns a legend of phrases. Where the room is too small, the last phrases are hidden.
function legend_of(phrases) {
  return element("span", {class: "legend", title: phrases.join(", ")}, phrases.map((phrase) => element("span", {}, phrase)));
}

/// Returns the line in an empty panel: what the panel shows, and which action fills it.
function empty_line(...text) {
  return element("p", {class: "empty"}, text);
}

/// Copies a text and reports success on the button. Works for pages in local files, too, where browsers may deny access to the clipboard.
async function copy_text(text, button) {
  const label = button.textContent;
  let copied = false;
  try {
    await navigator.clipboard.writeText(text);
    copied = true;
  } catch {
    const area = element("textarea", {"aria-hidden": "true", class: "offscreen"});
    area.value = text;
    document.body.append(area);
    area.select();
    copied = document.execCommand("copy");
    area.remove();
  }
  button.textContent = copied ? "copied" : "press Ctrl+C";
  announce(copied ? "copied" : "not copied");
  setTimeout(() => { button.textContent = label; }, 1200);
}

/// Reports a change to screen readers.
function announce(text) {
  document.getElementById("announcement").textContent = text;
}

// ---- Lists --------------------------------------------------------------------------------------
// A list that draws only the visible rows, so that 100,000 rows scroll as fast as ten.

const kTallest = 8000000;  // in pixels; browsers limit the height of elements to about four times this number

/// A scrolling box with rows of equal height. `draw(index)` returns the element of a row.
class VirtualList {
  constructor(box, row_height, draw) {
    this.box = box;
    this.row_height = row_height;
    this.draw = draw;
    this.count = 0;
    this.drawn = new Map();
    this.space = element("div", {class: "space", role: "presentation"});
    box.replaceChildren(this.space);
    this.waiting = false;
    box.addEventListener("scroll", () => this.schedule(), {passive: true});
    new ResizeObserver(() => this.schedule()).observe(box);
  }

  schedule() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  /// Sets the number of rows and redraws all visible rows.
  reset(count) {
    this.count = count;
    this.height = Math.min(count * this.row_height, kTallest);
    this.space.style.height = this.height + "px";
    this.refresh();
  }

  /// Redraws the visible rows.
  refresh() {
    for (const row of this.drawn.values()) row.remove();
    this.drawn.clear();
    this.paint();
  }

  /// Returns the offset of the first row in pixels. In very long lists, the scroll position is scaled, because the height of the box is limited.
  top_row() {
    const whole = this.count * this.row_height;
    const range = Math.max(1, this.height - this.box.clientHeight);
    if (whole <= this.height) return this.box.scrollTop;
    return (this.box.scrollTop / range) * (whole - this.box.clientHeight);
  }

  paint() {
    const offset = this.top_row();
    const first = Math.max(0, Math.floor(offset / this.row_height) - 4);
    const last = Math.min(this.count, Math.ceil((offset + this.box.clientHeight) / this.row_height) + 4);
    for (const [index, row] of this.drawn) {
      if (index >= first && index < last) continue;
      row.remove();
      this.drawn.delete(index);
    }
    const shift = this.box.scrollTop - offset;
    for (let index = first; index < last; ++index) {
      let row = this.drawn.get(index);
      if (!row) {
        row = this.draw(index);
        row.style.position = "absolute";
        row.style.height = this.row_height + "px";
        this.drawn.set(index, row);
        this.space.append(row);
      }
      row.style.transform = `translateY(${Math.round(index * this.row_height + shift)}px)`;
    }
  }

  /// Scrolls a row into view; to the middle if it is far away.
  reveal(index) {
    const height = this.box.clientHeight;
    const at = index * this.row_height;
    const offset = this.top_row();
    if (at >= offset && at + this.row_height <= offset + height) return;
    const whole = this.count * this.row_height;
    const target = Math.max(0, Math.min(at - height / 2, whole - height));
    const range = Math.max(1, this.height - height);
    this.box.scrollTop = whole <= this.height ? target : (target / Math.max(1, whole - height)) * range;
    this.paint();
  }
}
