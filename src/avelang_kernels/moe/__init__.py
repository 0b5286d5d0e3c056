"""Mixtures of experts: products in groups of rows, and the layer that is made of them."""
