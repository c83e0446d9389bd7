"""Sharding of tensor programs: docs/python.md."""
import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy

Axes = Union[Mapping[str, int], Sequence[Sequence[Any]], str]
Words = Union[str, Sequence[Any], Mapping[str, Any]]
Set = Mapping[str, Union[None, Sharding, Words]]
Inputs = Union[None, Sequence[Any], Mapping[str, Any]]

class Diagnostic:
    message: str
    location: str
    notes: list[str]
    code: str
    severity: str

class Error(ValueError):
    message: str
    location: str
    notes: list[str]
    code: str
    diagnostics: list[Diagnostic]

class Mesh:
    def __init__(self, axes: Union[Mesh, Axes], device_ids: Sequence[int] = ...) -> None: ...
    @property
    def axes(self) -> dict[str, int]: ...
    @property
    def device_ids(self) -> list[int]: ...
    @property
    def num_devices(self) -> int: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...

class Sharding:
    def __init__(self, mesh: Mesh, dims: Words, mesh_name: str = "mesh") -> None: ...
    @property
    def mesh(self) -> Mesh: ...
    @property
    def mesh_name(self) -> Optional[str]: ...
    @property
    def rank(self) -> int: ...
    @property
    def dims(self) -> list[Any]: ...
    @property
    def replicated(self) -> list[str]: ...
    @property
    def unreduced(self) -> list[str]: ...
    def local_shape(self, shape: Sequence[int]) -> list[int]: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...

class Port:
    name: str
    type: str
    shape: tuple[int, ...]
    dtype: str
    sharding: Optional[Sharding]

class Total:
    name: str
    count: int
    bytes: int
    messages: int
    seconds: float

class Collective:
    kind: str
    axes: str
    type: str
    serves: str
    location: str
    times: int
    times_known: bool
    bytes: int
    messages: int
    seconds: float
    axis_bytes: dict[str, int]

class LiveValue:
    made_by: str
    type: str
    location: str
    bytes: int

class MemoryPeak:
    bytes: int
    op: str
    location: str
    live: list[LiveValue]

class ReportedValue:
    made_by: str
    location: str
    type: str
    sharding: str
    local_type: str
    local_bytes: int
    padding_bytes: int

class Report:
    devices: int
    bytes: int
    collectives_run: int
    seconds: float
    operations_once: float
    operations_per_device: float
    efficiency: float
    collectives: list[Collective]
    by_kind: list[Total]
    by_axis: list[Total]
    by_location: list[Total]
    peak: MemoryPeak
    values: list[ReportedValue]
    notes: list[Diagnostic]

class Check:
    equal: bool
    largest_difference: float
    exact: bool
    f64: bool
    num_values: int
    num_sharded_values: int
    def __bool__(self) -> bool: ...

class StrategyResult:
    name: str
    set: dict[str, str]
    errors: list[Diagnostic]
    seconds: float
    collective_seconds: float
    peak_bytes: Union[int, float]
    bytes: Union[int, float]
    operations: float
    by_kind: list[Total]
    equal: Optional[bool]
    shardings: dict[str, str]

class Program:
    @property
    def meshes(self) -> dict[str, Mesh]: ...
    @property
    def arguments(self) -> list[Port]: ...
    @property
    def results(self) -> list[Port]: ...
    @property
    def diagnostics(self) -> list[Diagnostic]: ...
    def to_mlir(self) -> str: ...
    def to_json(self) -> str: ...
    def annotate(self, shardings: Set) -> Program: ...
    def random_strategies(self, count: int, seed: int = 0) -> dict[str, dict[str, str]]: ...
    def sweep(self, strategies: Union[Sequence[Set], Mapping[str, Set]], *, check: bool = False, shardings: bool = False, seed: int = 0,
              threads: int = 0, operations_per_second: float = 1e14, axis_cost: str = "",
              strict: bool = False) -> list[StrategyResult]: ...
    def propagate(self) -> Program: ...
    def partition(self, *, axis_cost: str = "", strict: bool = False) -> Program: ...
    def report(self, *, axis_cost: str = "", strict: bool = False) -> Report: ...
    def run(self, inputs: Inputs = None, *, seed: int = 0, workers: int = 0, axis_cost: str = "",
            strict: bool = False) -> list[numpy.ndarray[Any, Any]]: ...
    def check(self, inputs: Inputs = None, *, seed: int = 0, exact: bool = True, f64: bool = True,
              tolerance: Optional[float] = None, axis_cost: str = "", strict: bool = False) -> Check: ...
    def view(self, *, title: str = "program", axis_cost: str = "", hints: bool = False) -> View: ...
    def random_inputs(self, seed: int = 0) -> list[numpy.ndarray[Any, Any]]: ...

class View:
    @property
    def html(self) -> str: ...
    def save(self, path: Union[str, os.PathLike[str]]) -> None: ...
    def _repr_html_(self) -> str: ...

class Picture:
    @property
    def svg(self) -> str: ...
    def save(self, path: Union[str, os.PathLike[str]]) -> None: ...
    def _repr_svg_(self) -> str: ...

def show(value: Union[Sharding, Port], shape: Optional[Sequence[int]] = None) -> Picture: ...
def pareto_front(results: Sequence[StrategyResult]) -> list[StrategyResult]: ...
def parse(text: Union[str, bytes], name: str = "", *, form: str = "auto") -> Program: ...
def load(path: Union[str, os.PathLike[str]], *, form: str = "auto") -> Program: ...
