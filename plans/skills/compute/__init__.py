"""Programs that run in the sandbox: standard library, DuckDB, matplotlib, markdown-it, nh3, charset-normalizer; no Django."""
