# The lit suite. Features a test may REQUIRE:
#   nvrtc   libnvrtc is installed, so CUDA C++ can be compiled to PTX
#   ptxas   the PTX assembler is installed
#   clang   clang is installed, which the fake driver counts loads with
#   plotly  plotly.min.js is installed, so HTML reports can be written
#   node    Node.js is installed, which runs the scripts of such reports
#   compilers  CMake and the compilers that built this are here
#   example-train  the C++ program of examples/train is built, which needs zlib
#   onnx    ONNX models can be imported, and the onnx package is installed
#   python-package  the package tandem is built, and numpy is installed
#   python-torch, python-jax  so are torch or jax (utils/torch.sh)
#   wheel-models  the models of Python packages that a test runs are here
#   asan    built with AddressSanitizer
#   mutants  built with TANDEM_MUTANTS
#   x86-64-v3, x86-64-v4  this machine has AVX2 and FMA, or AVX-512 as well

import glob
import os
import shutil
import subprocess

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import FindTool, ToolSubst

config.name = "Tandem"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["graphs", "Inputs", "Unit", "Fuzz"]
config.test_source_root = os.path.join(config.tandem_src_root, "test")
config.test_exec_root = os.path.join(config.tandem_obj_root, "test")
if config.variant:
    # The tests that execute graphs, on the device of test/Device, or on the
    # driver of test/FakeCUDA.
    config.name = "Tandem-" + config.variant
    config.test_source_root = os.path.join(config.test_source_root, "Execution")
    config.test_exec_root = os.path.join(config.test_exec_root, config.variant)
    config.available_features.add(config.variant)

# Environment -----------------------------------------------------------------

llvm_config.with_system_environment(["HOME", "TMPDIR", "XDG_CACHE_HOME"])
config.environment["FILECHECK_OPTS"] = "--dump-input=fail"
# What is chosen is the same on every machine.
config.environment["TANDEM_DEVICE"] = "generic"
config.environment["CUDAToolkit_ROOT"] = config.cuda_root
config.environment["TANDEM_FRAME_LOG"] = os.path.join(
    config.tandem_obj_root, "test", "results", "frames.txt")
# What processes keep for one another: modules of GPUs, and what the fake driver
# makes of them. Programs are compiled in each, for that is what is tested.
config.environment["TANDEM_DISK_CACHE"] = "off"
config.environment["TANDEM_CACHE_DIR"] = os.path.join(
    config.tandem_obj_root, "test", "cache")
config.environment["FAKE_CUDA_CACHE"] = os.path.join(
    config.tandem_obj_root, "test", "fake-cuda-cache")
fake_cuda = os.path.join(config.tandem_obj_root, "lib", "libTandemFakeCUDA.so")
if config.variant == "cuda":
    for library in ["LIBCUDA", "NVRTC", "CUDNN", "CUBLASLT"]:
        config.environment["TANDEM_" + library] = fake_cuda
for setting in config.sanitizer_environment.split(";"):
    name, _, value = setting.partition("=")
    config.environment[name] = value

# Features --------------------------------------------------------------------


def in_cuda(*patterns):
    return any(glob.glob(os.path.join(config.cuda_root, p)) for p in patterns)


if in_cuda("lib64/libnvrtc.so*", "lib/libnvrtc.so*",
           "targets/*/lib/libnvrtc.so*"):
    config.available_features.add("nvrtc")
ptxas = os.path.join(config.cuda_root, "bin", "ptxas")
if os.access(ptxas, os.X_OK):
    config.available_features.add("ptxas")
if shutil.which("clang++-22") or shutil.which("clang++"):
    config.available_features.add("clang")
if shutil.which("dpkg-query"):
    config.available_features.add("dpkg")
if shutil.which("strace") and subprocess.run(
        ["strace", "-o", os.devnull, "true"], stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("strace")
if shutil.which("node"):
    config.available_features.add("node")
if os.path.exists(config.plotly_js):
    config.available_features.add("plotly")
if os.path.exists(os.path.join(config.tandem_obj_root, "bin", "example-train")):
    config.available_features.add("example-train")
# utils/setup.sh installs the packages there.
cache = os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tandem")
onnx_packages = os.path.join(cache, "onnx-tests")
if config.onnx == "ON" and os.path.isdir(os.path.join(onnx_packages, "onnx")):
    config.available_features.add("onnx")
python_package = os.path.join(config.tandem_obj_root, "python")
if (glob.glob(os.path.join(python_package, "tandem", "_tandem*.so")) and
        os.path.isdir(os.path.join(onnx_packages, "numpy"))):
    config.available_features.add("python-package")
# Python packages that single tests need.
for package, name in [("mypy", "mypy"), ("notebook", "nbclient")]:
    if os.path.isdir(os.path.join(cache, package, name)):
        config.available_features.add(package)
# utils/torch.sh installs these; the script is copied when torch can be imported.
torch_packages = os.path.join(cache, "torch")
if os.path.exists(os.path.join(torch_packages, "make-cuda-stubs.py")):
    config.available_features.add("python-torch")
jax_packages = os.path.join(cache, "jax")
if os.path.isdir(os.path.join(jax_packages, "jaxlib")):
    config.available_features.add("python-jax")
if all(os.path.exists(os.path.join(cache, name))
       for name in ["silero_vad.onnx", "magika.onnx"]):
    config.available_features.add("wheel-models")
if config.mutants.upper() in ("ON", "1", "TRUE", "YES"):
    config.available_features.add("mutants")
if all(os.access(program, os.X_OK)
       for program in [config.cmake, config.ninja, config.cc, config.cxx]):
    config.available_features.add("compilers")
if "address" in config.sanitize:
    config.available_features.add("asan")



def cpu_flags():
    try:
        with open("/proc/cpuinfo") as info:
            for line in info:
                if line.startswith("flags"):
                    return set(line.split())
    except OSError:
        pass
    return set()


for level, flags in [
    ("x86-64-v3", {"avx2", "fma", "f16c", "bmi2"}),
    ("x86-64-v4", {"avx2", "fma", "avx512f", "avx512bw", "avx512cd",
                   "avx512dq", "avx512vl"}),
]:
    if flags <= cpu_flags():
        config.available_features.add(level)

# Substitutions ---------------------------------------------------------------


def python_with(*folders):
    """A command: Python with the package tandem, numpy, and packages of folders."""
    path = ":".join([python_package, onnx_packages, *folders])
    return f"env PYTHONPATH={path} {sanitizer_runtime()}{config.python}"


def sanitizer_runtime():
    """Settings with which a Python that has no sanitizer loads an extension that has
    one. Python keeps some memory until its end."""
    if "address" not in config.sanitize:
        return ""
    files = [subprocess.run([config.cxx, f"--print-file-name={name}"], check=True,
                            capture_output=True, text=True).stdout.strip()
             for name in ("libclang_rt.asan-x86_64.so", "libstdc++.so.6")]
    options = config.environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return (f"'LD_PRELOAD={' '.join(files)}' ASAN_OPTIONS={options} PYTHONMALLOC=malloc ")


config.substitutions += [
    ("%graphs", os.path.join(config.tandem_src_root, "test", "graphs")),
    ("%gpu-specs", os.path.join(config.tandem_src_root, "utils", "gpu-specs")),
    ("%src", config.tandem_src_root),
    ("%obj", config.tandem_obj_root),
    ("%ptxas", ptxas),
    # Before a command: the driver and libraries of test/FakeCUDA, on which
    # --device=cuda runs.
    ("%fake-cuda", "env TANDEM_LIBCUDA={0} TANDEM_NVRTC={0} TANDEM_CUDNN={0} "
     "TANDEM_CUBLASLT={0}".format(fake_cuda)),
    ("%cxx", config.cxx),
    # Before the source and build directories of a project that uses Tandem.
    ("%configure", "{0} -G Ninja -DCMAKE_MAKE_PROGRAM={1} -DCMAKE_C_COMPILER={2}"
     " -DCMAKE_CXX_COMPILER={3} '-DCMAKE_C_FLAGS={4}' '-DCMAKE_CXX_FLAGS={4}'"
     .format(config.cmake, config.ninja, config.cc, config.cxx,
             "-fsanitize=" + config.sanitize if config.sanitize else "")),
    ("%cmake", config.cmake),
    # Python with the onnx package.
    ("%onnx-packages", onnx_packages),
    ("%cache", cache),
    ("%interpreter", config.python),
    # Python with the package tandem and numpy.
    ("%tandem-python", python_with()),
    # The same with further packages.
    ("%jax-python", python_with(jax_packages)),
    ("%mypy-python", python_with(os.path.join(cache, "mypy"))),
    ("%notebook-python", python_with(os.path.join(cache, "notebook"))),
    ("%torch-python", python_with(torch_packages)),
    ("%onnx-python", "env PYTHONPATH=" + onnx_packages + " " + config.python),
]
llvm_config.use_default_substitutions()
llvm_config.add_tool_substitutions(
    [
        ToolSubst("%python", config.python, unresolved="ignore"),
        "tandem-opt",
        ToolSubst("tandem-translate", unresolved="ignore"),
        # A kernel that cannot be compiled is an error, but in tests of that.
        ToolSubst("tandem-run",
                  command=FindTool("tandem-run-guarded"
                                   if config.variant == "guarded"
                                   else "tandem-run"),
                  extra_args=["--no-fallback"] +
                  (["--device=cuda"] if config.variant == "cuda" else []),
                  unresolved="ignore"),
        ToolSubst("tandem-bench", unresolved="ignore"),
        ToolSubst("tandem-cache", unresolved="ignore"),
        ToolSubst("tandem-compile-helper", unresolved="ignore"),
        ToolSubst("tandem-fuzz", unresolved="ignore"),
        ToolSubst("tandem-lsp-server", unresolved="ignore"),
        ToolSubst("example-readme", unresolved="ignore"),
        ToolSubst("example-simplecnn", unresolved="ignore"),
        ToolSubst("example-train", unresolved="ignore"),
        "split-file",
    ],
    [os.path.join(config.tandem_obj_root, "bin"), config.llvm_tools_dir],
)
