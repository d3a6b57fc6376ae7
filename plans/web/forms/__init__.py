"""Forms: they check and tidy what people send; services do the work."""
