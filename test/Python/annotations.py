# RUN: %mypy-python -m mypy --config-file=%src/pyproject.toml --cache-dir=%t.mypy -p tandem
# RUN: %mypy-python -m mypy.stubtest --mypy-config-file=%src/pyproject.toml \
# RUN:   --allowlist=%S/Inputs/stubtest-allowlist.txt tandem._tandem
# REQUIRES: mypy
# The annotations of the package are consistent, and the stubs of the extension, which
# the build writes, describe it.
