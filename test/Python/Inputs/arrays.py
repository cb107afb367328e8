"""Arrays that several tests use."""

import numpy as np


class DLPackArray:
    """An array of a library that has DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self):
        return self.array.__dlpack__()

    def __array_namespace__(self):
        return np
