"use strict";

// The device picture shows which device has which part of a tensor. Cells are shards, in a tint per pair of coordinates along the first two axes.
// Tints are grey, because hues mean mesh axes. The mesh is below. Hovering over a cell highlights its devices, and hovering over a device highlights
// its cell.

const kPictureWidth = 360;
const kMostReplicasNamed = 6;
const kMostMeshDevices = 1024;
const kMostTints = 7;  // of an axis in the legend

/// Returns the tint of a cell: darker for larger coordinates along the first sharding axis and, within them, along the next.
function cell_color(layout, major, minor) {
  const [first, last] = is_dark() ? ["#3a3d43", "#8b919a"] : ["#dcdfe3", "#8f959e"];
  const [rows, columns] = [layout.hue, layout.light].map((axis) => (axis ? Number(axis.size) : 1));
  return mixed(first, last, rows * columns > 1 ? (major * columns + minor) / (rows * columns - 1) : 0);
}

class DevicePicture {
  constructor(program, layout, value) {
    this.program = program;
    this.layout = layout;
    this.value = value;
    this.mesh = program.head.meshes[layout.mesh];
    this.is_grouped = layout.dims.some((dim) => dim.shards_per_cell > 1);  // a cell is a block of shards
    this.slices = layout.dims.slice(0, -2).map(() => 0);
    this.drawing = element("div");
    this.under = element("p", {class: "under", role: "status"});
    this.box = element("div", {class: "devices_box"}, this.sliders(), this.drawing, this.under);
    this.draw();
  }

  /// Returns a slider for each dim before the last two.
  sliders() {
    return this.layout.dims.slice(0, -2).map((dim, at) => {
      const label = element("span", {class: "quiet"});
      const write = () => { label.textContent = `dim ${at}: ${this.range(dim, this.slices[at])}`; };
      write();
      if (dim.cells < 2) return element("div", {class: "slice"}, label);
      return element("label", {class: "slice"}, label, " ", element("input", {type: "range", min: 0, max: dim.cells - 1, value: 0,
          "aria-label": `slice of dim ${at}`, oninput: (event) => {
        this.slices[at] = Number(event.target.value);
        write();
        this.draw();
      }}));
    });
  }

  range(dim, index) {
    return `${grouped(dim.begin[index])}:${grouped(dim.end[index])}` + (dim.padding[index] ? ` +${grouped(dim.padding[index])}` : "");
  }

  device(position) {
    return this.mesh?.device_ids ? this.mesh.device_ids[position] : position;
  }

  /// Returns the logical positions of the devices of a cell: [replica][partial value].
  positions(index) {
    const {dims, replica_at, summand_at} = this.layout;
    const first = index.reduce((sum, cell, dim) => sum + dims[dim].at[cell], 0);
    return replica_at.map((replica) => summand_at.map((summand) => first + replica + summand));
  }

  coordinates(position) {
    const found = [];
    let rest = position;
    for (const axis of (this.mesh?.axes ?? []).slice().reverse()) {
      found.unshift(`${axis.name}=${rest % Number(axis.size)}`);
      rest = Math.floor(rest / Number(axis.size));
    }
    return found.join(", ");
  }

  /// Returns a cell's devices as text, such as "5", "0,2", "0+1" (partial values) or "64 devices".
  cell_text(index) {
    const {layout} = this;
    if (this.is_grouped) return grouped(layout.devices_per_cell) + " devices";
    const copies = this.positions(index).slice(0, kMostReplicasNamed).map((summands) => summands.slice(0,
        8).map((position) => this.device(position)).join("+"));
    return copies.join(",") + (layout.replicas > kMostReplicasNamed ? ",\u2026" : "");
  }

  draw() {
    const {layout} = this;
    const rank = layout.dims.length;
    const single = {cells: 1, begin: [0], end: [1], padding: [0], at: [0], major: [0], minor: [0]};
    this.rows = rank > 1 ? layout.dims[rank - 2] : single;
    this.columns = rank > 0 ? layout.dims[rank - 1] : single;
    this.lines_of_cells = [];
    const left = rank > 1 ? 12 + 6.2 * Math.max(...this.rows.begin.map((_, at) => this.range(this.rows, at).length)) : 4;
    const width = (kPictureWidth - left - 10) / this.columns.cells;
    const height = Math.max(5, Math.min(width * 0.75, 44, 300 / this.rows.cells));
    const depth = Math.min(3, layout.replicas - 1) * 3;
    const bottom = 22 + this.rows.cells * height + depth;
    this.svg = shape("svg", {class: "device_picture", role: "img", "aria-label": this.describe(), viewBox: `0 0 ${kPictureWidth} ${bottom}`});
    this.defs = shape("defs", {}, shape("pattern", {id: "padding", width: 5, height: 5, patternUnits: "userSpaceOnUse"},
                                        shape("path", {d: "M-1,1L1,-1M0,5L5,0M4,6L6,4", stroke: is_dark() ? "#000" : "#333", "stroke-width": 1})));
    this.svg.append(this.defs);
    this.draw_ranges(rank, left, width, height);
    for (let row = 0; row < this.rows.cells; ++row) {
      for (let column = 0; column < this.columns.cells; ++column) this.svg.append(this.draw_cell(row, column, left + column * width,
          18 + row * height, width, height, depth));
    }
    replace_children(this.drawing, this.svg, this.legend(), this.draw_mesh());
    this.rest();
  }

  describe() {
    return visible(`tensor of ${this.layout.shape.join("x")}, ${this.layout.lines.join(", ")}`, 400);
  }

  /// Writes the element ranges along both dims, as many as fit.
  draw_ranges(rank, left, width, height) {
    const longest = Math.max(...this.columns.begin.map((_, at) => this.range(this.columns, at).length));
    const column_step = Math.ceil(Math.max(52, 6.2 * longest + 10) / width);
    for (let at = 0; rank > 0 && at < this.columns.cells; at += column_step) {
      const text = this.range(this.columns, at);
      if (at && left + at * width + 6.2 * text.length > kPictureWidth) break;
      this.svg.append(shape("text", {x: left + at * width, y: 11, class: "axis_text"}, text));
    }
    const row_step = Math.ceil(13 / height);
    if (rank > 1) for (let at = 0; at < this.rows.cells; at += row_step) this.svg.append(shape("text",
        {x: left - 6, y: 18 + at * height + Math.min(height / 2 + 4, 11 + height / 4), "text-anchor": "end", class: "axis_text"},
        this.range(this.rows, at)));
  }

  index_of(row, column) {
    const rank = this.layout.dims.length;
    return [...this.slices, ...(rank > 1 ? [row] : []), ...(rank > 0 ? [column] : [])];
  }

  draw_cell(row, column, x, y, width, height, depth) {
    const {layout} = this;
    const index = this.index_of(row, column);
    const sum = (key) => index.reduce((total, cell, dim) => total + layout.dims[dim][key][cell], 0);
    const color = cell_color(layout, sum("major"), sum("minor"));
    const cell = shape("g", {class: "cell", "data-row": row, "data-column": column, "data-devices": this.cell_text(index),
        "data-elements": index.map((at, dim) => `${layout.dims[dim].begin[at]}:${layout.dims[dim].end[at]}`).join(" "),
                             onmouseenter: () => this.light_cell(index, cell), onmouseleave: () => this.rest()});
    for (let back = depth; back > 0; back -= 3) cell.append(shape("rect", {x: x + back, y: y + back, width: width - 1, height: height - 1,
        fill: mixed(color, "#808080", 0.35), class: "face"}));
    const gap = Math.min(width, height) < 8 ? 0 : 1;
    cell.append(shape("rect", {x, y, width: width - gap, height: height - gap, fill: color, class: gap ? "face" : "face small"}));
    this.draw_padding(cell, row, column, x, y, width, height);
    const text = this.cell_text(index);
    const short = layout.summands > 1 && text.length * 6.4 > width - 6 ? "+" : layout.replicas > 1 && text.length * 6.4 > width - 6
        ? "\u00d7" + grouped(layout.replicas) : text;
    if (short.length * 6.4 <= width - 4 && height >= 11) cell.append(shape("text",
        {x: x + width / 2, y: y + height / 2 + 4, "text-anchor": "middle", style: {fill: ink_on(color)}}, short));
    this.lines_of_cells.push([index, cell]);
    return cell;
  }

  /// Hatches the part of a cell that is padding.
  draw_padding(cell, row, column, x, y, width, height) {
    const share = (dim, at) => (dim.padding[at] ? dim.padding[at] / (dim.end[at] - dim.begin[at] + dim.padding[at]) : 0);
    const [down, across] = [share(this.rows, row) * (height - 1), share(this.columns, column) * (width - 1)];
    if (across > 0) cell.append(shape("rect", {x: x + width - 1 - across, y, width: across, height: height - 1, fill: "url(#padding)"}));
    if (down > 0) cell.append(shape("rect", {x, y: y + height - 1 - down, width: width - 1, height: down, fill: "url(#padding)"}));
  }

  /// Returns the lines of `show` above its grid, with the names of the colours.
  legend() {
    const {layout} = this;
    const by = this.is_grouped ? [`a cell is a block of ${grouped(layout.devices_per_cell)} devices`] : [];
    this.resting = layout.lines.slice(1).concat(by).filter((line) => line).join("\n");
    if (!layout.hue) return null;
    return element("p", {class: "quiet cell_colors"}, [[layout.hue, (at) => [at, 0]], [layout.light, (at) => [0, at]]].map(([ref, cell]) => (ref
        ? element("span", {}, axis_chip(this.program.axis_named(this.mesh.axes[ref.axis].name), this.ref_text(ref)), " ", this.tints(Number(ref.size), cell)) : null)));
  }

  /// Returns the tints of the coordinates along an axis; of a long axis only the tints of its ends.
  tints(size, cell) {
    const shown = size > kMostTints ? [0, size - 1] : d3.range(size);
    return shown.map((at, index) => [index && size > shown.length ? "\u2026 " : null, element("i", {class: "square",
        style: {"background-color": cell_color(this.layout, ...cell(at))}}), ` ${grouped(at)} `]);
  }

  ref_text(ref) {
    const axis = this.mesh.axes[ref.axis];
    return Number(ref.size) === Number(axis.size) ? axis.name : `${axis.name}:(${ref.pre})${ref.size}`;
  }

  /// Draws the devices of the mesh. The last axis is along the rows.
  draw_mesh() {
    const count = Number(this.mesh?.devices ?? 0);
    this.devices = new Map();
    if (count < 2 || count > kMostMeshDevices) return null;
    const last = Number(this.mesh.axes[this.mesh.axes.length - 1]?.size ?? count);
    const per_row = last >= 4 && last <= 64 ? last * Math.max(1, Math.floor(16 / last)) : Math.min(count, 32);
    const size = Math.min(30, (kPictureWidth - 8) / per_row);
    const rows = Math.ceil(count / per_row);
    const height = Math.min(size, 20);
    const drawing = shape("svg", {class: "device_picture mesh_picture", role: "img", "aria-label": "devices of the mesh",
        viewBox: `0 0 ${kPictureWidth} ${rows * height + 20}`},
                          shape("text", {x: 4, y: 11, class: "axis_text"}, `the ${grouped(count)} devices: point at one to see its part`));
    for (let position = 0; position < count; ++position) {
      const [x, y] = [4 + (position % per_row) * size, 17 + Math.floor(position / per_row) * height];
      const box = shape("g", {class: "device", "data-device": this.device(position), onmouseenter: () => this.light_device(position),
          onmouseleave: () => this.rest()},
                        shape("rect", {x, y, width: size - 1, height: height - 1, rx: 2, fill: is_dark() ? "#3a3d42" : "#e3e5e8"}));
      if (size >= 16) box.append(shape("text", {x: x + size / 2, y: y + height / 2 + 4, "text-anchor": "middle"}, this.device(position)));
      this.devices.set(position, box);
      drawing.append(box);
    }
    return drawing;
  }

  cell_line(index) {
    const {layout, program} = this;
    const ranges = "[" + index.map((at, dim) => this.range(layout.dims[dim], at)).join(", ") + "]";
    return `${ranges} \u00b7 ${bytes_text(program.values.bytes[this.value])} per device`;
  }

  light_cell(index, cell) {
    this.clear();
    cell.classList.add("lit");
    const positions = this.positions(index).flat();
    if (!this.is_grouped) for (const position of positions) this.devices.get(position)?.classList.add("lit");
    const [first] = positions;
    const whom = positions.length === 1 && !this.is_grouped ? `device ${this.device(first)} \u00b7 ${this.coordinates(first)}`
        : `devices ${this.cell_text(index)}`;
    this.under.textContent = visible(`${whom}\n${this.cell_line(index)}`, 400);
  }

  light_device(position) {
    this.clear();
    this.devices.get(position)?.classList.add("lit");
    const found = this.lines_of_cells.find(([index]) => this.positions(index).some((summands) => summands.includes(position)));
    if (found) found[1].classList.add("lit");
    const where = `device ${this.device(position)} \u00b7 ${this.coordinates(position)}`;
    this.under.textContent = visible(found ? `${where}\n${this.cell_line(found[0])}` : `${where}\nits part is in another slice`, 400);
  }

  clear() {
    for (const lit of this.box.querySelectorAll(".lit")) lit.classList.remove("lit");
  }

  rest() {
    this.clear();
    this.under.textContent = visible(this.resting, 600);
  }
}
