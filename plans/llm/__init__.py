"""The model client: the only import of anthropic. Built from plain values; settings and rows are handed in."""
