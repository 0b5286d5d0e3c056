"""Models of other libraries: one comes in; the same, computing by Ave's operations, goes out."""
