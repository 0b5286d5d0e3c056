"""Norms and softmax: functions of the rows of a matrix."""
