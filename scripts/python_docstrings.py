"""Extracts the comments of the public headers, for the docstrings of the module.

    python_docstrings.py <folder of headers> <output>

A comment of `///` lines stands before what it describes, `///<` behind it. Names are written as in C++: "World::add". Of
functions with one name the first that is described counts.
"""

import pathlib
import re
import sys

SCOPE = re.compile(r"^\s*(?:template\s*<.*>\s*)?(?:struct|class|enum(?:\s+class)?|namespace)\s+(?:\[\[.*?\]\]\s*)?(\w+)?[^;(]*\{")
FUNCTION = re.compile(r"([~\w]+|operator\S+)\s*\((?!\*)")
FIELD = re.compile(r"(\w+)\s*(?:=[^,;]*|\{[^,;]*\})?\s*(?:[,;{]|$)")


def names_of(code):
    """What a line declares: a scope, a function, or one or more fields."""
    scope = SCOPE.match(code)
    if scope or re.match(r"^\s*(?:struct|class|enum(?:\s+class)?)\s+(\w+)", code):
        return [re.match(r"^\s*(?:template\s*<.*>\s*)?(?:struct|class|enum(?:\s+class)?|namespace)\s+(\w+)", code).group(1)]
    without_templates = re.sub(r"<[^<>()]*>", "", re.sub(r"<[^<>()]*>", "", code))
    function = FUNCTION.search(without_templates)
    if function and "=" not in without_templates[: function.start()]:
        return [function.group(1)]
    declaration = re.match(r"^\s*(?:(?:static|constexpr|inline|const|mutable)\s+)*[\w:]+[&*]?\s+(.*)$", without_templates)
    if not declaration:
        enumerator = re.match(r"^\s*(\w+)\s*(?:=[^,]*)?[,;]?\s*$", without_templates)
        return [enumerator.group(1)] if enumerator else []
    depth_free = re.sub(r"\{[^{}]*\}|\([^()]*\)", "", declaration.group(1))
    return [part.split("=")[0].strip().strip(";") for part in depth_free.split(",") if re.match(r"^\s*\w+\s*(=|;|$)", part)]


def tidy(text):
    text = re.sub(r"\s*@throws Error\b", " Raises Error", text)
    text = re.sub(r"\s*@(?:param) (\w+)", r" \1:", text)
    text = re.sub(r"\s*@returns\b", " Returns", text)
    text = re.sub(r"\s*@pre\b", " Needs:", text).strip()
    text = re.sub(r"(\w)::(\w)", r"\1.\2", text)
    return text[:1].upper() + text[1:]


def comments(header):
    """Yields (name, text) of a header."""
    scopes, pending, depth, carried = [], [], 0, ""
    for line in header.read_text(encoding="utf-8").splitlines():
        before = re.match(r"^\s*///(?!<)\s?(.*)$", line)
        if before:
            pending.append(before.group(1))
            continue
        code, _, behind = line.partition("///<")
        continued = not code.strip() and behind
        code = carried + re.sub(r"//.*", "", code)
        carried = ""
        if re.search(r"[=>]\s*$", code) and not behind and not code.lstrip().startswith("template"):
            carried = code.rstrip() + " "   # a declaration that goes on
            continue
        text = "\n".join(pending) or behind.strip()
        inside = [name for name, _ in scopes if name]
        if text and code.strip() and not continued:
            for name in names_of(code):
                yield "::".join(inside + [name]), tidy(text)
        scope = SCOPE.match(code)
        is_namespace = re.match(r"^\s*(?:inline\s+)?namespace\b", code)
        opened, closed = code.count("{"), code.count("}")
        if scope and opened > closed:
            scopes.append((None if is_namespace else scope.group(1), depth))
        depth += opened - closed
        while scopes and depth <= scopes[-1][1]:
            scopes.pop()
        if code.strip():
            pending = []


def main(folder, output):
    found = {}
    for header in sorted(pathlib.Path(folder).rglob("*.h")):
        for name, text in comments(header):
            found.setdefault(name, text)
    lines = ["// Generated from the public headers by scripts/python_docstrings.py.", "#pragma once", "#include <string_view>", "",
             "namespace stickslip::python {", "", "struct Docstring {", "  std::string_view name;", "  const char* text;", "};", "",
             "inline constexpr Docstring kDocstrings[] = {"]
    lines += [f'    {{"{name}", R"doc({found[name]})doc"}},' for name in sorted(found, key=lambda n: n.encode())]
    lines += ["};", "", "}   // namespace stickslip::python", ""]
    text = "\n".join(lines)
    path = pathlib.Path(output)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
