"use strict";

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
