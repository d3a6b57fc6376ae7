"""What pages show, as values: words, icons and texts made from rows, so that templates only place them."""
