# RUN: %torch-python %src/utils/conformance/torch_ops.py --part=0/20 --jobs=2 \
# RUN:   | FileCheck %s
# REQUIRES: python-torch
# One in twenty of the samples of torch's own op tests. torch_ops.py fails if a sample that
# torch-ops.txt lists as passing does not pass.
# CHECK: eager: {{[1-9][0-9]+}} of {{[1-9][0-9]+}} samples pass
# CHECK: compile: {{[1-9][0-9]+}} of {{[1-9][0-9]+}} samples pass

# A list that says that a sample passes which does not:
# RUN: grep -v 'beyond the tensor' %src/utils/conformance/torch-ops.txt >%t.txt
# RUN: not %torch-python %src/utils/conformance/torch_ops.py --list=%t.txt --jobs=1 \
# RUN:   --ops='^as_strided.partial_views$' --dtype=bool 2>&1 | FileCheck --check-prefix=LOST %s
# LOST: error: as_strided.partial_views bool sample 1 passes no longer: left: aten.as_strided
