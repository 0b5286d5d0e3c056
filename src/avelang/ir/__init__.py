"""The IR: types, nodes, ops, builder, text, verifier."""
