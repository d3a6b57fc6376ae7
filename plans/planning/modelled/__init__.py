"""Plans written by a model: prompts, the wire form of a plan, and the stages from a goal to a compiled plan."""
