"""Attention: softmax(scale Q K^T) V."""
