"""A model of a compute unit: the instruction streams of the waves on it come in; clocks, and what the waves waited for,
go out. Nothing here is a time on a card: every figure is a model's (docs/cu_model.md says what is in it)."""
