"""System checks: settings under which the engine would not keep its promises are errors."""
