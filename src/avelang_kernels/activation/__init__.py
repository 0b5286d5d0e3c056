"""Activations: functions of single elements, of one array or of two."""
