"""Benchmarks: a value beside a floor measured in the same run, as ratios that mean something on another machine."""
