# RUN: %torch-python %src/utils/conformance/torch_ops.py \
# RUN:   --list=%src/utils/conformance/torch-ops.txt --part=20 | FileCheck %s
# REQUIRES: python-torch
# One in twenty of the ops of torch's own tests passes the samples that it is listed with.
# CHECK: {{^[1-9][0-9]+}} passed, 0 wrong
