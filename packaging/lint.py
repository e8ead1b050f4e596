#!/usr/bin/env python3
"""Reads recipes, workflows and Julia's files with parsers of their languages: what can be checked without the packagers' own tools.

    packaging/lint.py RECIPES WORKFLOWS JULIA"""

import ast
import json
import re
import sys
from pathlib import Path

import jinja2
import tree_sitter
import tree_sitter_julia
import yaml

recipes, workflows, julia = map(Path, sys.argv[1:])
checked = 0


def demand(condition, sentence):
    global checked
    checked += 1
    if not condition:
        sys.exit(sentence)


# Spack: the class, its version with a checksum, its licence.
tree = ast.parse((recipes / "spack/package.py").read_text())
classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
demand([c.name for c in classes] == ["Eigpack"], "spack: one class Eigpack")
calls = {node.value.func.id: node.value for node in classes[0].body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)}
demand(len(calls["version"].keywords[0].value.value) == 64, "spack: the version has no SHA-256")
demand({"version", "license", "variant", "depends_on"} <= set(calls), "spack: version, license, variant, depends_on")

# conda-forge: the recipe as conda-build renders it.
functions = {"compiler": "compiler_{}".format, "stdlib": "stdlib_{}".format, "pin_subpackage": lambda name, **_: name}
text = (recipes / "conda-forge/meta.yaml").read_text()
meta = yaml.safe_load(jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(text).render(**functions))
demand(set(meta) == {"package", "source", "build", "requirements", "test", "about", "extra"}, f"conda-forge: sections {sorted(meta)}")
demand(len(meta["source"]["sha256"]) == 64 and meta["about"]["license_file"] == "LICENSE", "conda-forge: checksum and licence")

# vcpkg: the manifest.
port = json.loads((recipes / "vcpkg/vcpkg.json").read_text())
demand({"name", "version", "description", "license"} <= set(port) and port["name"] == "eigpack", "vcpkg: name, version, description, license")

# Workflows: jobs with steps, actions by the hash of a commit, whose version stands beside it.
for path in sorted(workflows.glob("*.yml")):
    flow = yaml.safe_load(path.read_text())
    demand(flow["jobs"] and True in flow, f"{path}: no jobs, or nothing starts it")  # YAML 1.1 reads `on` as True
    for job in flow["jobs"].values():
        demand(job["steps"] and job["runs-on"], f"{path}: a job without steps or machine")
        for step in job["steps"]:
            demand(("run" in step) != ("uses" in step), f"{path}: {step}")
    for line in re.findall(r"^.*\buses:.*$", path.read_text(), re.MULTILINE):
        demand(re.search(r"uses: [\w/.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+\b", line), f"{path}: no hash, or no version:{line}")

# Julia: no error in the syntax.
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_julia.language()))
for path in sorted(julia.rglob("*.jl")) + [recipes / "binarybuilder/build_tarballs.jl"]:
    demand(not parser.parse(path.read_bytes()).root_node.has_error, f"{path}: Julia's grammar finds an error")
print(f"{checked} looks at recipes, workflows and Julia's files")
