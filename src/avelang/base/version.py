"""Ave's version: read by the package's metadata, the command line and the cache's key."""

VERSION = "0.1.0"
