"""The drawn plan: rows or a revision -> a small value -> geometry (cached) -> SVG with the states of the moment."""
