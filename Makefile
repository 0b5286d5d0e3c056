# Two commands: `make` sets Ave up in .venv and runs the main job; `make test` runs the tests, and `make test ALL=--all` the long ones too.
PYTHON ?= python3

.DEFAULT_GOAL := demo
.PHONY: demo test clean

demo:
	@$(PYTHON) tools/environment.py
	@.venv/bin/ave demo

test:
	@$(PYTHON) tools/environment.py --extra test
	@.venv/bin/python dev test $(ALL)

clean:
	rm -rf .venv build dist .pytest_cache .ruff_cache .hypothesis
