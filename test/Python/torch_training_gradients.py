# RUN: %torch-python %src/utils/conformance/torch_ops.py --gradients --part=0/40 --jobs=2 \
# RUN:   | FileCheck %s
# REQUIRES: python-torch
# One in forty of the samples of torch's own op tests, with gradients. torch_ops.py fails if
# a sample that torch-gradients.txt lists as passing does not pass.
# CHECK: eager: {{[1-9][0-9]+}} of {{[1-9][0-9]+}} samples pass
# CHECK: compile: {{[1-9][0-9]+}} of {{[1-9][0-9]+}} samples pass
