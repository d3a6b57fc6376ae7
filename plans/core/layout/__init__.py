"""Layered, grouped, foldable pictures of plans: pure and deterministic."""

from plans.core.layout.folding import ASK_ABOVE, FOLD_ABOVE, Folding, default_folding, visible_count
from plans.core.layout.nested import lay_out
from plans.core.layout.text import clip, text_width
from plans.core.layout.values import Box, Geometry, Graph, Group, Node, Point, Route, Spacing

__all__ = [
    "ASK_ABOVE",
    "FOLD_ABOVE",
    "Box",
    "Folding",
    "Geometry",
    "Graph",
    "Group",
    "Node",
    "Point",
    "Route",
    "Spacing",
    "clip",
    "default_folding",
    "lay_out",
    "text_width",
    "visible_count",
]
