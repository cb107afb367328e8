#!/usr/bin/env python3
"""Writes a version script that exports what public headers declare.

usage: public-symbols.py VERSION HEADER...

Exported are the members, the virtual table and the type information of each
class of a namespace, the functions of a namespace, and C functions that begin
with `tandem`. All else is local to the library. Names are written as the
Itanium C++ ABI mangles them, in which they are unambiguous: each has its length
before it.
"""

import re
import sys

OPERATORS = {"==": "eq", "!=": "ne", "<<": "ls"}

TOKEN = re.compile(r"operator\s*(?:==|!=|<<)|\w+|::|[{}();<>=\[\]:,&*~]|\S")


def strip(text):
    """Without comments, strings and preprocessor lines."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', text)


def mangle(names):
    return "".join(OPERATORS.get(name, str(len(name)) + name) for name in names)


def class_name(head):
    """Of `class A final : B`, "A"; None for anything else."""
    words = head[head.index(">") + 1:] if head[:1] == ["template"] else head
    if words[:1] not in (["class"], ["struct"]) or "(" in words:
        return None
    return words[1]


def function_name(head):
    """The name of a function with external linkage that `head` declares."""
    if "(" not in head or {"inline", "constexpr", "static", "using",
                           "friend", "static_assert"} & set(head):
        return None
    if head[0] == "template" and head[:3] != ["template", "<", ">"]:
        return None
    name = head[head.index("(") - 1]
    return name.replace("operator", "").strip()


def patterns(text):
    """Of what is declared in the namespaces of a header."""
    scopes, head, depth = [], [], 0
    for token in TOKEN.findall(strip(text)):
        if depth:  # In a body that declares nothing.
            depth += (token == "{") - (token == "}")
            if not depth:
                head = []
            continue
        if token == "}":
            scopes.pop()
            head = []
        elif token in "{;":
            outer = sum(scopes, [])
            name = class_name(head) if head else None
            function = function_name(head) if head and not name else None
            if name and token == "{":
                inner = mangle(outer + [name])
                yield from (f"_Z{kind}N{inner}*" for kind in
                            ("", "TV", "TI", "TS"))
                yield f"_ZNK{inner}*"
            elif function:
                inner = mangle(outer + [function])
                suffix = "I*" if head[0] == "template" else "E*"
                yield "_ZN" + inner + suffix
            if token == "{":
                if head[:1] == ["namespace"]:
                    scopes.append([part for part in head[1:] if part != "::"])
                else:
                    depth = 1
            head = []
        else:
            head.append(token)


def main():
    version, headers = sys.argv[1], sys.argv[2:]
    found = {"tandem[A-Z]*"}
    for header in headers:
        with open(header, encoding="utf-8") as file:
            text = file.read()
        if "/tandem-c/" not in header and header.endswith(".h"):
            found.update(patterns(text))
    print(version + " {\n  global:")
    for pattern in sorted(found):
        print("    " + pattern + ";")
    print("  local:\n    *;\n};")


if __name__ == "__main__":
    main()
