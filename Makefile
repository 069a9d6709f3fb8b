# make lab   set up, run the eight checks on the solution, print the ledger
# make test  set up, run everything that CI runs
# A second run of either sets nothing up again.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := PYTHONUTF8=1 $(BIN)/python

.PHONY: lab test notebooks clean

lab: $(VENV)/lab.stamp
	@$(RUN) -m querylab kernels
	@echo
	@$(RUN) -m checks solution
	@echo
	@$(RUN) -m querylab ledger
	@echo
	@echo "Open the lab:  $(BIN)/jupyter lab --ServerApp.root_dir=. notebooks/00_baseline.ipynb"

test: $(VENV)/test.stamp
	@$(RUN) -m querylab kernels
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(RUN) -m pytest -n 2 --dist loadfile

$(VENV)/lab.stamp: requirements.txt constraints.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt -c constraints.txt
	@touch $@

$(VENV)/test.stamp: $(VENV)/lab.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]" -c constraints.txt
	@touch $@

# Write starter/, the exercise cells and the stored outputs of all notebooks again.
notebooks: $(VENV)/test.stamp
	$(RUN) -m checks.handout
	$(RUN) -m checks.run_notebooks

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis *.egg-info notebooks/*.egg-info
