"""The CEL binding without its command line, whose imports (typer, prompt_toolkit) cost each process a quarter of a second."""

from __future__ import annotations

import sys
from types import ModuleType

if "cel" not in sys.modules:
    sys.modules["cel.cli"] = ModuleType("cel.cli")
from cel import Context, compile, evaluate

# Whoever wants the command line later gets the real one.
if not hasattr(sys.modules.get("cel.cli"), "__file__"):
    sys.modules.pop("cel.cli", None)

__all__ = ["Context", "compile", "evaluate"]
