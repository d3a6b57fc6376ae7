# Forethought: `make run` and `make test` are all a fresh machine needs; the rest is for people who change it.
BIN := .venv/bin

# Bytecode is wanted: every start would compile all packages again. The other two belong to another Python.
unexport PYTHONDONTWRITEBYTECODE PYTHONPATH PYTHONHOME

# Find a Python by running it (a name on PATH may be a shim for a version that is not there); one that can make a
# virtual environment is preferred. Then hand over to planner_site/bootstrap.py.
define BOOTSTRAP
@for modules in sys,venv,ensurepip sys; do \
  for python in $(PYTHON) python3.13 python3.12 python3.11 python3; do \
    "$$python" -I -c "import $$modules; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))" 2>/dev/null \
      && exec "$$python" -I planner_site/bootstrap.py
endef
define NO_PYTHON
; done; done; \
echo "Python 3.11, 3.12 or 3.13 is needed and none was found. Install one (Debian, Ubuntu: apt-get install python3 python3-venv) or name it: PYTHON=/path/to/python3 make $@" >&2; exit 1
endef

.PHONY: help run test lint format bench tour lock develop clean

help:
	@echo "make run     start the site (PLANS_PORT=8001 make run for another port)"
	@echo "make test    run the whole test suite (ARGS='-k name' for a part)"
	@echo "make lint    check style, types, imports, templates and migrations"
	@echo "make format  write Python and templates in the house style"
	@echo "make bench   measure the engine"
	@echo "make tour    write pictures of every page into tests/screenshots (needs a Chromium)"
	@echo "make lock    write the lock files anew from pyproject.toml"
	@echo "make develop install the packages for development and tests"
	@echo "make clean   remove .venv and caches, never your data"

run:
	$(BOOTSTRAP) run $(ARGS) $(NO_PYTHON)

test:
	$(BOOTSTRAP) test $(ARGS) $(NO_PYTHON)

develop:
	$(BOOTSTRAP) develop $(NO_PYTHON)

lint: develop
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	$(BIN)/python -m mypy
	$(BIN)/python $(BIN)/lint-imports
	$(BIN)/python -m djlint templates --lint --quiet
	$(BIN)/python -m djlint templates --check --quiet
	DJANGO_SETTINGS_MODULE=planner_site.settings_test $(BIN)/python manage.py makemigrations --check --dry-run
	DJANGO_SETTINGS_MODULE=planner_site.settings_test $(BIN)/python manage.py check

format: develop
	$(BIN)/python -m ruff check --fix
	$(BIN)/python -m ruff format
	$(BIN)/python -m djlint templates --reformat --quiet

bench: develop
	$(BIN)/python manage.py bench engine $(ARGS)

tour: develop
	$(BIN)/python -m tests.tour $(ARGS)

LOCK := --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --no-annotate

lock:
	@uv="$(BIN)/uv"; [ -x "$$uv" ] || uv=uv; "$$uv" --version >/dev/null 2>&1 \
	  || { echo "uv is needed to write the lock files: .venv/bin/python -m pip install uv" >&2; exit 1; }; \
	"$$uv" pip compile --quiet $(LOCK) -o requirements.lock pyproject.toml && \
	"$$uv" pip compile --quiet $(LOCK) --extra dev -c requirements.lock -o requirements-dev.lock pyproject.toml

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
