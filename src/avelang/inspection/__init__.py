"""Looking at kernels: a kernel or a launch comes in; its code at each stage, linked by line, what it takes, and
pictures of what it does go out, as one HTML page or as JSON values (`ave inspect`)."""
