"""Pure planning and graph logic: no Django, no clock, no I/O."""
