"use strict";

// The layout of a graph by dagre. It runs in a worker, so that the page stays responsive, or on the page itself if workers are not allowed.

/// Computes the layout. Runs in the worker, so it uses only its argument and `dagre`.
function layout_graph(graph) {
  const made = new dagre.graphlib.Graph({multigraph: true});
  made.setGraph({rankdir: "TB", nodesep: 22, ranksep: 34, edgesep: 12, marginx: 16, marginy: 16});
  made.setDefaultEdgeLabel(() => ({}));
  for (const [id, box] of graph.boxes.entries()) made.setNode(String(id), {width: box[0], height: box[1]});
  for (const [id, edge] of graph.edges.entries()) made.setEdge(String(edge[0]), String(edge[1]), {width: edge[2], height: edge[3], labelpos: "c"},
      String(id));
  dagre.layout(made);
  return {
    boxes: graph.boxes.map((_, id) => [made.node(String(id)).x, made.node(String(id)).y]),
    edges: graph.edges.map((edge, id) => {
      const {points, x, y} = made.edge(String(edge[0]), String(edge[1]), String(id));
      return {points, x, y};
    }),
    width: made.graph().width,
    height: made.graph().height,
  };
}

let layout_worker = null;
const layout_waiting = new Map();
let layout_number = 0;

function begin_worker() {
  const library = document.querySelector('script[data-library="dagre"]');
  if (!library) return null;
  try {
    const source = `${library.textContent}\n${layout_graph}\nonmessage = ({data}) => postMessage([data[0], layout_graph(data[1])]);`;
    const address = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
    const worker = new Worker(address);
    worker.onmessage = ({data}) => { layout_waiting.get(data[0])?.resolve(data[1]); layout_waiting.delete(data[0]); };
    worker.onerror = (event) => {
      event.preventDefault();
      layout_worker = false;
      for (const {resolve, graph} of layout_waiting.values()) resolve(layout_graph(graph));
      layout_waiting.clear();
    };
    return worker;
  } catch {
    return null;
  }
}

/// Returns a promise of the positions of boxes [width, height] and of edges [from, to, label width, label height].
function graph_layout(graph) {
  if (layout_worker === null) layout_worker = begin_worker() ?? false;
  if (!layout_worker) return Promise.resolve(layout_graph(graph));
  const number = ++layout_number;
  return new Promise((resolve) => {
    layout_waiting.set(number, {resolve, graph});
    layout_worker.postMessage([number, graph]);
  });
}
