"""PTX as text: parsed into nodes, printed from them, and each instruction held against the table of the instruction
set."""
