"""The test suite; a package so that shared helpers are imported as `tests.processes`."""
