"""AMD machine code as files and text: assembly is parsed, objects are linked, code objects are read, taken apart and
reported on."""
