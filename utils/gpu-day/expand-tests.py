#!/usr/bin/env python3
"""Writes lit tests as shell scripts that need neither lit nor Python.

  utils/gpu-day/expand-tests.py BUILD/test/cuda OUTPUT

Each test becomes OUTPUT/NAME.sh, its RUN lines after lit's substitutions, with
$BUNDLE in place of the folders of source and build, $WORK of that for temporary
files, and $UNDER before tandem-run. Tests that run Python are left out, and named in
OUTPUT/left-out.txt.
"""

import argparse
import pathlib
import re
import shlex
import sys

sys.dont_write_bytecode = True

PYTHON = re.compile(r"/python[0-9.]*[\"' ]")
HEADER = """\
# {name}
set -e -o pipefail
"""


def import_lit(site_config):
    """lit of the LLVM that the build was configured with."""
    text = site_config.read_text(encoding="utf-8")
    tools = re.search(r'config.llvm_tools_dir = r?"(.*)"', text).group(1)
    sys.path.insert(0, str(pathlib.Path(tools).parent / "utils/lit"))
    import lit.discovery
    import lit.LitConfig
    import lit.TestRunner
    return lit


def discover(lit, suite):
    config = lit.LitConfig.LitConfig(
        progname="lit", path=[], diagnostic_level="error", useValgrind=False,
        valgrindLeakCheck=False, valgrindArgs=[], noExecute=False, debug=False,
        isWindows=False, order="lexical", params={})
    return config, lit.discovery.find_tests_for_inputs(config, [str(suite)])


def expand(lit, config, test):
    """The commands of a test, or none where it cannot run here."""
    captured = []

    def capture(test, config, external, script, temporary):
        captured.extend(str(command) for command in script)
        return lit.Test.Result(lit.Test.PASS)

    lit.TestRunner._runShTest = capture
    test.config.test_format.execute(test, config)
    return captured


def relocate(command, places):
    """`%dbg(RUN: at line 8) tandem-run …` as a comment and a command."""
    for place, name in places:
        command = command.replace(place, name)
    return re.sub(r"^%dbg\((.*?)\) *", r"# \1\n", command) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("suite", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    options = parser.parse_args()
    suite = options.suite.resolve()
    lit = import_lit(suite / "lit.site.cfg.py")
    config, tests = discover(lit, suite)
    options.output.mkdir(parents=True, exist_ok=True)
    left_out = []
    for test in tests:
        name = "/".join(test.path_in_suite)
        lines = expand(lit, config, test)
        if not lines or any(PYTHON.search(line) for line in lines):
            left_out.append(name)
            continue
        places = [
            (test.config.test_exec_root, "$WORK"),
            (test.config.tandem_obj_root, "$BUNDLE"),
            (test.config.tandem_src_root, "$BUNDLE"),
            (test.config.llvm_tools_dir, "$BUNDLE/bin"),
            ("$BUNDLE/bin/tandem-run", "$UNDER $BUNDLE/bin/tandem-run"),
        ]
        script = HEADER.format(name=name)
        script += "".join(relocate(line, places) for line in lines)
        path = options.output / (name.replace("/", "_") + ".sh")
        path.write_text(script, encoding="utf-8")
    (options.output / "left-out.txt").write_text(
        "".join(name + "\n" for name in left_out), encoding="utf-8")
    print(f"{len(tests) - len(left_out)} tests, {len(left_out)} left out")


if __name__ == "__main__":
    main()
