"""The IR: types, nodes, ops, builder, text, verifier. Importing it defines the ops."""

from avelang.ir import ops as ops
