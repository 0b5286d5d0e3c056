"""Losses of rows of logits."""
