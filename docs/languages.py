"""The page of the other languages' names, made from their sources; each name goes into the book's index."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def cpp():
    """[(name, what it takes)]: the methods of eigpack::context."""
    methods = re.findall(r"^ {4}(?:Result|result) (\w+)\(((?:[^{}]|\{\})*?)\)\s*\{", read("include/eigpack.hpp"), re.MULTILINE)
    found = {}
    for name, arguments in methods:
        found.setdefault(name, " ".join(arguments.split()))
    return [(name, f"``ctx.{name}({arguments})``") for name, arguments in sorted(found.items()) if name not in ("open", "done")]


def octave():
    """The functions of the package, by the first line of their help."""
    names = re.findall(r"^ (\w+)$", read("bindings/octave/INDEX"), re.MULTILINE)
    return [(name, re.search(r"^% \w+  (.*)$", read(f"bindings/octave/inst/{name}.m"), re.MULTILINE)[1].replace("*", r"\*") + ".") for name in names]


def julia():
    """The functions that have a docstring: their form, and the first sentence."""
    found = []
    for form, text in re.findall(r'^"""\n {4}(\w.*?)\n\n(.*?)"""', read("bindings/julia/src/Eigpack.jl"), re.MULTILINE | re.DOTALL):
        sentence = re.sub(r"`+", "``", re.split(r"(?<=[.:])\s", " ".join(text.split()))[0])
        found.append((re.match(r"[\w!]+", form)[0], f"``{form}``: {sentence}"))
    return found


def fortran():
    """All functions of C, by the same names."""
    return sorted(set(re.findall(r"^ +(?:function|subroutine) (eig_\w+)\(", read("bindings/fortran/eigpack.f90"), re.MULTILINE)))


def write(file):
    lines = ["Other languages", "===============", "", "Made from the sources of the bindings.  :doc:`index` and :doc:`python` have pages of their own.", ""]
    for language, guide, rows in (("C++", "cpp", cpp()), ("Octave", "octave", octave()), ("Julia", "julia", julia())):
        assert rows, language
        lines += [language, "-" * len(language), "", f":doc:`How to use it </guide/{guide}>`.", ""]
        for name, about in rows:
            lines += [f".. index:: single: {name} ({language})", "", f"``{name}``", f"   {about}", ""]
    lines += ["Fortran", "-------", "", ":doc:`How to use it </guide/fortran>`.  The names and the order of arguments are C's.", ""]
    names = fortran()
    assert names
    lines += [f".. index:: single: {name} (Fortran)" for name in names] + ["", ", ".join(f"``{name}``" for name in names) + ".", ""]
    file.write_text("\n".join(lines), encoding="utf-8")
