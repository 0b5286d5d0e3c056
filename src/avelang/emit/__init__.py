"""IR in phase "addresses" comes in; text of a target (LLVM IR, PTX) goes out."""
