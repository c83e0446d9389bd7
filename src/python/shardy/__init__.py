"""Sharding of tensor programs: docs/python.md."""
from shardy._shardy import (Check, Collective, Diagnostic, Error, LiveValue, MemoryPeak, Mesh, Port, Program, Report,
                            Picture, ReportedValue, Sharding, StrategyResult, Total, View, pareto_front, parse, show)

__all__ = ["Check", "Collective", "Diagnostic", "Error", "LiveValue", "MemoryPeak", "Mesh", "Port", "Program", "Report",
           "Picture", "ReportedValue", "Sharding", "StrategyResult", "Total", "View", "load", "pareto_front", "parse", "show"]

for _name in __all__:
    if _name in globals():
        globals()[_name].__module__ = "shardy"


def load(path, *, form="auto"):
    """The program that a file holds."""
    with open(path, "rb") as file:
        return parse(file.read(), str(path), form=form)
