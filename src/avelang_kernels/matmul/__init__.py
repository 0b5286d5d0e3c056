"""Matrix products: large ones, those of few rows, those of inference, and those of the tutorials."""
