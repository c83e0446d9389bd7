"""Sharding of tensor programs: docs/python.md."""
import os
from typing import Any, Callable, Final, Iterator, Mapping, Optional, Sequence, TextIO, Union

import numpy

__version__: str

Axes = Union[Mapping[str, int], Sequence[Sequence[Any]], str]
Words = Union[str, Sequence[Any], Mapping[str, Any]]
Set = Mapping[str, Union[None, Sharding, Words]]
Inputs = Union[None, Sequence[Any], Mapping[str, Any]]
Progress = Union[None, bool, Callable[[str, int, int], Any]]

class _Record:
    """A result of the library: named members that cannot be assigned."""
    def to_dict(self) -> dict[str, Any]: ...

class Error(ValueError):
    message: str
    location: str
    notes: list[str]
    code: str
    diagnostics: list[Diagnostic]

class Mesh:
    def __init__(self, axes: Union[Mesh, Axes], device_ids: Sequence[int] = ...) -> None: ...
    axes: Final[dict[str, int]]
    device_ids: Final[list[int]]
    num_devices: Final[int]
    def __getstate__(self) -> Any: ...
    def __setstate__(self, state: Any) -> None: ...

class Sharding:
    def __init__(self, mesh: Mesh, dims: Words, mesh_name: str = ...) -> None: ...
    mesh: Final[Mesh]
    mesh_name: Final[Optional[str]]
    rank: Final[int]
    dims: Final[list[Any]]
    spec: Final[tuple[Union[None, str, tuple[str, ...]], ...]]
    replicated: Final[list[str]]
    unreduced: Final[list[str]]
    def local_shape(self, shape: Sequence[int]) -> list[int]: ...
    def __getstate__(self) -> Any: ...
    def __setstate__(self, state: Any) -> None: ...

class Diagnostic(_Record):
    severity: Final[str]
    code: Final[str]
    message: Final[str]
    location: Final[str]
    notes: Final[list[str]]

class Total(_Record):
    name: Final[str]
    count: Final[int]
    bytes: Final[int]
    seconds: Final[float]
    messages: Final[int]

class Collective(_Record):
    kind: Final[str]
    axes: Final[str]
    type: Final[str]
    serves: Final[str]
    location: Final[str]
    times: Final[int]
    times_known: Final[bool]
    bytes: Final[int]
    messages: Final[int]
    seconds: Final[float]
    axis_bytes: Final[dict[str, int]]

class LiveValue(_Record):
    made_by: Final[str]
    type: Final[str]
    location: Final[str]
    bytes: Final[int]

class MemoryPeak(_Record):
    bytes: Final[int]
    op: Final[str]
    location: Final[str]
    live: Final[list[LiveValue]]

class ReportedValue(_Record):
    made_by: Final[str]
    location: Final[str]
    type: Final[str]
    sharding: Final[str]
    local_type: Final[str]
    local_bytes: Final[int]
    padding_bytes: Final[int]

class Report(_Record):
    devices: Final[int]
    bytes: Final[int]
    collectives_run: Final[int]
    seconds: Final[float]
    operations_once: Final[float]
    operations_per_device: Final[float]
    efficiency: Final[float]
    collectives: Final[list[Collective]]
    by_kind: Final[list[Total]]
    by_axis: Final[list[Total]]
    by_location: Final[list[Total]]
    peak: Final[MemoryPeak]
    values: Final[list[ReportedValue]]
    notes: Final[list[Diagnostic]]

class Check(_Record):
    equal: Final[bool]
    largest_difference: Final[float]
    exact: Final[bool]
    f64: Final[bool]
    num_values: Final[int]
    num_sharded_values: Final[int]
    def __bool__(self) -> bool: ...

class StrategyResult(_Record):
    name: Final[str]
    set: Final[dict[str, str]]
    errors: Final[list[Diagnostic]]
    seconds: Final[float]
    collective_seconds: Final[float]
    peak_bytes: Final[Union[int, float]]
    bytes: Final[Union[int, float]]
    operations: Final[float]
    by_kind: Final[list[Total]]
    equal: Final[Optional[bool]]
    shardings: Final[dict[str, str]]

class Decision(_Record):
    kind: Final[str]
    step: Final[int]
    op: Final[str]
    location: Final[str]
    factor: Final[str]
    axis: Final[str]
    value: Final[str]
    direction: Final[str]
    user_priority: Final[int]
    level: Final[int]
    strategy: Final[str]

class AbsentAxis(_Record):
    reason: Final[str]
    axis: Final[str]
    op: Final[str]
    location: Final[str]
    holder: Final[str]
    dim: Final[int]
    factor: Final[str]

class AxisChain(_Record):
    dim: Final[int]
    axis: Final[str]
    decisions: Final[list[Decision]]

class ExplainedValue(_Record):
    name: Final[str]
    type: Final[str]
    op: Final[str]
    location: Final[str]
    function: Final[str]
    before: Final[Optional[str]]
    after: Final[Optional[str]]
    axes: Final[list[AxisChain]]
    absent: Final[list[AbsentAxis]]

class Conflict(_Record):
    op: Final[str]
    location: Final[str]
    function: Final[str]
    factor: Final[str]
    axis: Final[str]
    kept: Final[Optional[str]]
    reason: Final[str]
    tensor: Final[str]
    target: Final[Optional[str]]
    candidates: Final[list[str]]
    winner: Final[str]
    why: Final[str]
    needed: Final[str]
    results: Final[list[str]]

class MissingRule(_Record):
    op: Final[str]
    location: Final[str]
    einsum: Final[str]
    note: Final[str]

class Explanation(_Record):
    values: Final[list[ExplainedValue]]
    conflicts: Final[list[Conflict]]
    missing_rules: Final[list[MissingRule]]

class Cost(_Record):
    bytes: Final[int]
    collectives: Final[int]
    peak_bytes: Final[int]
    seconds: Final[float]
    operations: Final[float]

class CollectiveChange(_Record):
    kind: Final[str]
    axes: Final[str]
    type: Final[str]
    serves: Final[str]
    count_before: Final[int]
    count_after: Final[int]
    bytes_before: Final[int]
    bytes_after: Final[int]

class ShardingChange(_Record):
    made_by: Final[str]
    location: Final[str]
    type: Final[str]
    before: Final[str]
    after: Final[str]

class Difference(_Record):
    before: Final[Cost]
    after: Final[Cost]
    shardings: Final[list[ShardingChange]]
    collectives: Final[list[CollectiveChange]]
    values_before: Final[int]
    values_after: Final[int]
    def is_worse(self, tolerance: float = ...) -> bool: ...

class Edit(_Record):
    value: Final[str]
    location: Final[str]
    before: Final[Optional[str]]
    after: Final[Optional[str]]

class Hint(_Record):
    edits: Final[list[Edit]]
    cost: Final[Cost]
    seconds: Final[float]
    collectives: Final[list[CollectiveChange]]
    annotations: Final[dict[str, Optional[str]]]

class Hints(_Record):
    before: Final[Cost]
    seconds: Final[float]
    hints: Final[list[Hint]]
    tried: Final[int]
    refused: Final[int]
    parted: Final[int]
    left_out: Final[int]
    layers: Final[int]
    kept_layers: Final[int]
    compiled_whole: Final[int]
    diagnostics: Final[list[Diagnostic]]

class Price(_Record):
    cost: Final[Cost]
    seconds: Final[float]

class Plan(_Record):
    steps: Final[list[Step]]
    proven: Final[bool]
    bytes: Final[int]
    messages: Final[int]
    seconds: Final[float]
    live_bytes: Final[int]

class Reshard(_Record):
    reference: Final[Plan]
    best: Final[Plan]
    least_bytes: Final[int]
    least_seconds: Final[float]

class Port(_Record):
    name: Final[str]
    type: Final[str]
    shape: Final[tuple[int, ...]]
    dtype: Final[str]
    sharding: Final[Optional[Sharding]]

class Step(_Record):
    def __init__(self, kind: str, out: Sharding, *, dim_axes: Sequence[Optional[Sequence[str]]] = ...,
                 moves: Sequence[tuple[Sequence[str], int, int]] = ..., axes: Optional[Sequence[str]] = ..., reduction: str = ...) -> None: ...
    __hash__: None  # type: ignore[assignment]
    kind: Final[str]
    dim_axes: Final[list[list[str]]]
    moves: Final[list[tuple[list[str], int, int]]]
    axes: Final[list[str]]
    reduction: Final[str]
    out: Final[Sharding]

class Factor:
    size: Final[int]
    kind: Final[str]

class Rule:
    factors: Final[list[Factor]]
    num_operands: Final[int]
    tensors: Final[list[list[list[int]]]]

class AxesQuery:
    rule: Final[Rule]
    mesh: Final[Mesh]
    factor: Final[int]
    direction: Final[str]
    tensors: Final[list[Optional[list[str]]]]
    default: Final[list[str]]

class OrderQuery:
    rule: Final[Rule]
    shards: Final[list[int]]
    is_elementwise: Final[bool]
    default: Final[list[int]]

class DirectionQuery:
    rule: Final[Rule]
    factor: Final[int]
    level: Final[int]
    has_multi_use_operand: Final[bool]
    default: Final[str]

class QueryTensor:
    sharding: Final[Sharding]
    shape: Final[list[int]]
    element_bytes: Final[int]

class CommonAxesQuery:
    rule: Final[Rule]
    tensors: Final[list[QueryTensor]]
    bound: Final[list[str]]
    default: Final[list[list[str]]]

class PlanQuery:
    shape: Final[list[int]]
    element_bytes: Final[int]
    source: Final[Sharding]
    target: Final[Sharding]
    bound: Final[list[str]]
    default: Final[list[Step]]

class Op:
    name: Final[str]
    location: Final[str]
    symbol: Final[str]
    operands: Final[list[Value]]
    results: Final[list[Value]]
    attributes: Final[dict[str, Any]]
    body: Final[list[Op]]
    parent: Final[Optional[Op]]

class Value:
    name: Final[str]
    type: Final[str]
    shape: Final[tuple[int, ...]]
    dtype: Final[str]
    sharding: Final[Optional[Sharding]]
    op: Final[Optional[Op]]
    users: Final[list[Op]]

class Autoshard:
    before: Final[Price]
    after: Final[Price]
    changed: Final[bool]
    fits: Final[bool]
    stopped: Final[bool]
    status: Final[str]
    bound_seconds: Final[float]
    num_programs: Final[int]
    edits: Final[list[Edit]]
    program: Final[Program]
    annotations: Final[dict[str, Optional[str]]]

class Solution(_Record):
    choice: Final[list[int]]
    price: Final[int]
    bound: Final[int]
    peak: Final[int]
    status: Final[str]

class Context:
    def __init__(self, *, compatible_axes: Optional[Callable[[AxesQuery], Sequence[str]]] = ...,
                 resolve_conflicts: Optional[Callable[[OrderQuery], Sequence[int]]] = ...,
                 op_direction: Optional[Callable[[DirectionQuery], str]] = ..., op_levels: int = ...,
                 user_priorities: Optional[Callable[[list[int]], Sequence[int]]] = ...,
                 common_axes: Optional[Callable[[CommonAxesQuery], Sequence[Sequence[str]]]] = ...,
                 plan_reshard: Optional[Callable[[PlanQuery], Sequence[Step]]] = ...,
                 strategy: Optional[Callable[[Program], Set]] = ...) -> None: ...

class ProgressBar:
    def __init__(self, stream: Optional[TextIO] = ..., width: int = ...) -> None: ...
    def __call__(self, stage: str, done: int, total: int) -> None: ...
    def close(self) -> None: ...

class Program:
    meshes: Final[dict[str, Mesh]]
    arguments: Final[list[Port]]
    results: Final[list[Port]]
    ops: Final[list[Op]]
    values: Final[list[Value]]
    diagnostics: Final[list[Diagnostic]]
    def __iter__(self) -> Iterator[Op]: ...
    def __getstate__(self) -> Any: ...
    def __setstate__(self, state: Any) -> None: ...
    def to_mlir(self) -> str: ...
    def to_json(self) -> str: ...
    def annotate(self, shardings: Set) -> Program: ...
    def random_strategies(self, count: int, seed: int = ...) -> dict[str, dict[str, str]]: ...
    def sweep(self, strategies: Union[Sequence[Set], Mapping[str, Set]], *, check: bool = ..., shardings: bool = ..., seed: int = ...,
              threads: int = ..., operations_per_second: float = ..., progress: Progress = ..., axis_cost: str = ...,
              strict: bool = ..., context: Optional[Context] = ...) -> list[StrategyResult]: ...
    def propagate(self, *, context: Optional[Context] = ...) -> Program: ...
    def partition(self, *, collectives: str = ..., replica_groups: str = ..., chlo: str = ..., axis_cost: str = ..., strict: bool = ...,
                  context: Optional[Context] = ...) -> Program: ...
    def report(self, *, axis_cost: str = ..., strict: bool = ..., context: Optional[Context] = ...) -> Report: ...
    def explain(self, value: Optional[str] = ..., *, context: Optional[Context] = ...) -> Explanation: ...
    def diff(self, other: Program, *, axis_cost: str = ..., context: Optional[Context] = ...) -> Difference: ...
    def hints(self, *, top: int = ..., max_tries: int = ..., tie: bool = ..., memory: Optional[int] = ..., operations_per_second: float = ...,
              threads: int = ..., progress: Progress = ..., axis_cost: str = ..., context: Optional[Context] = ...) -> Hints: ...
    def autoshard(self, *, memory: Optional[int] = ..., fix: Set = ..., free: Sequence[str] = ..., ignore_annotations: bool = ...,
                  effort: int = ..., candidates: int = ..., uneven: float = ..., operations_per_second: float = ...,
                  memory_bytes_per_second: float = ..., progress: Progress = ..., axis_cost: str = ...,
                  context: Optional[Context] = ...) -> Autoshard: ...
    def autoshard_front(self, count: int, *, fix: Set = ..., free: Sequence[str] = ..., ignore_annotations: bool = ...,
                        effort: int = ..., candidates: int = ..., uneven: float = ..., operations_per_second: float = ...,
                        memory_bytes_per_second: float = ..., progress: Progress = ..., axis_cost: str = ...,
                        context: Optional[Context] = ...) -> list[Autoshard]: ...
    def run(self, inputs: Inputs = ..., *, seed: int = ..., threads: int = ..., axis_cost: str = ..., strict: bool = ...,
            context: Optional[Context] = ...) -> list[numpy.ndarray[Any, Any]]: ...
    def check(self, inputs: Inputs = ..., *, seed: int = ..., exact: bool = ..., f64: bool = ..., tolerance: Optional[float] = ...,
              axis_cost: str = ..., strict: bool = ..., context: Optional[Context] = ...) -> Check: ...
    def view(self, *, title: str = ..., axis_cost: str = ..., hints: bool = ...) -> View: ...
    def random_inputs(self, seed: int = ...) -> list[numpy.ndarray[Any, Any]]: ...

def solve(problem: Union[str, bytes, Mapping[str, Any]], *, memory: Optional[int] = ..., effort: int = ...) -> Solution: ...
def records(rows: Sequence[Any]) -> list[dict[str, Any]]: ...
def reshard(shape: Sequence[int], source: Sharding, target: Sharding, *, dtype: str = ..., axis_cost: str = ...,
            max_live_bytes: int = ...) -> Reshard: ...
class View(_Record):
    """A page that shows a program; a notebook displays it."""
    html: Final[str]  # The page, one self-contained file.
    def save(self, path: Union[str, os.PathLike[str]]) -> None: ...
    def _repr_html_(self) -> str: ...

class Picture(_Record):
    """A device picture; a notebook displays it."""
    svg: Final[str]  # The picture, one SVG document.
    def save(self, path: Union[str, os.PathLike[str]]) -> None: ...
    def _repr_svg_(self) -> str: ...

def show(value: Union[Sharding, Port], shape: Optional[Sequence[int]] = ...) -> Picture: ...
def pareto_front(results: Sequence[StrategyResult]) -> list[StrategyResult]: ...
def parse(text: Union[str, bytes], name: str = ..., *, form: str = ...) -> Program: ...
def load(path: Union[str, os.PathLike[str]], *, form: str = "auto") -> Program: ...
def from_lowered(lowered: Any, *, name: str = "", form: str = "auto") -> Program: ...
