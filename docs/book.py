#!/usr/bin/env python3
"""Lays out the pages of the book for Sphinx, and checks the site that comes of them.

    docs/book.py lay PROGRAM FOLDER [REPOSITORY]   the pages of docs, CONTRIBUTING, CHANGELOG and the faults' README, the C reference
                                                   (docs/reference.py), the help of PROGRAM's commands, into FOLDER
    docs/book.py check FOLDER                      every link and anchor within the built site leads somewhere, and the index has every
                                                   name of the headers, of Python's __all__ and of Octave's package
    docs/book.py claims                            every test that a page names as FILE::TEST is there, and every message of
                                                   guide/faq.md is in the sources

Links that leave docs become links into the REPOSITORY, or, without one, paths in it.  A link to a file that does not exist is an error."""

import ast
import html.parser
import os
import re
import shutil
import subprocess
import sys
import urllib.parse
import zlib
from pathlib import Path

import languages
import reference

ROOT = Path(__file__).resolve().parent.parent
# Pages from elsewhere, and their places in the book.
OTHERS = {"CONTRIBUTING.md": "maintainers/contributing.md", "tests/faults/README.md": "maintainers/faults.md", "CHANGELOG.md": "maintainers/changelog.md"}
# What is linked to on the pages, and the page that the book makes of it.
MADE = {"include/eigpack.h": "reference/index.rst", "include/eigpack_mpi.h": "reference/c-mpi.rst", "cli/commands": "reference/program.md"}
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")


def place_in_book(path):
    """Where a file of the repository is in the book, or None."""
    name = path.relative_to(ROOT).as_posix()
    for table in (OTHERS, MADE):
        if name in table:
            return table[name]
    return name[len("docs/") :] if name.startswith("docs/") and not path.is_dir() and "/gallery/" not in name else None


def named(text, file):
    """A link's text, with the file that it would lead to where it does not say so."""
    bare = text.strip("`")
    return f"`{file}`" if bare in file or bare.endswith(file.rsplit("/", 1)[-1]) else f"{text} (`{file}`)"


def with_links(text, source, place, repository):
    """The page's text, with its links as they must be from its place in the book."""

    def link(match):
        target = match[2]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, _, anchor = target.partition("#")
        full = (source.parent / path).resolve()
        if not full.exists():
            raise SystemExit(f"{source.relative_to(ROOT)}: there is no {path}")
        inside, file = place_in_book(full), full.relative_to(ROOT).as_posix()
        if inside is None and not repository:
            return named(match[1][1:-2], file)
        if inside is None:
            to = f"{repository}/{'tree' if full.is_dir() else 'blob'}/main/{file}"
        else:
            to = os.path.relpath(inside, os.path.dirname(place) or ".")
        return match[1] + to + ("#" + anchor if anchor else "") + match[3]

    pieces = re.split(r"(^```(?s:.*?)^```$|^ {4}.*$)", text, flags=re.MULTILINE)  # code stays as it is
    return "".join(piece if k % 2 else LINK.sub(link, piece) for k, piece in enumerate(pieces))


def program_page(program, file):
    """The help of every command."""

    def said(*words):
        return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout.strip()

    usage = said("help")
    commands = re.findall(r"^  (\w+) +\S", usage, re.MULTILINE)
    pieces = ["# Command line", "", "```text", usage, "```", ""]
    for command in commands:
        pieces += [f"## {command}", "", "```text", said("help", command), "```", ""]
    file.write_text("\n".join(pieces), encoding="utf-8")


def lay(program, folder, repository):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns("book.py", "gallery", "__pycache__"))
    sources = [(path, path.relative_to(ROOT / "docs").as_posix()) for path in (ROOT / "docs").rglob("*.md")]
    for source, place in sources + [(ROOT / name, place) for name, place in OTHERS.items()]:
        target = folder / place
        target.write_text(with_links(source.read_text(encoding="utf-8"), source, place, repository), encoding="utf-8")
    reference.write(folder / "reference")
    languages.write(folder / "reference/languages.rst")
    program_page(program, folder / "reference/program.md")


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def names_wanted():
    """Every name that a user can write in C and Python."""
    headers = reference.Headers()
    module = ast.parse((ROOT / "bindings/python/eigpack/__init__.py").read_text(encoding="utf-8"))
    listed = next(n.value for n in module.body if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
    return [*headers.kinds(), *headers.fields(), *(f"eigpack.{name}" for name in ast.literal_eval(listed))]


def check(folder):
    pages = {path.resolve(): Page(path) for path in folder.rglob("*.html")}
    broken, links = [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or link == "#":
                continue
            links += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                broken.append(f"{path.relative_to(folder.resolve())}: no {link}")
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                broken.append(f"{path.relative_to(folder.resolve())}: no anchor {link}")
    inventory = (folder / "objects.inv").read_bytes().split(b"\n", 4)[4]
    known = {line.split(" ", 1)[0] for line in zlib.decompress(inventory).decode().splitlines()}
    broken += [f"the index has no {name}" for name in names_wanted() if name not in known]
    print("\n".join(broken + [f"{len(pages)} pages, {links} links within the site, {len(broken)} broken"]))
    return 1 if broken or not links else 0


def claims():
    wrong, tests, messages = [], 0, 0
    for page in (ROOT / "docs").rglob("*.md"):
        for file, name in re.findall(r"`([\w/.]+\.(?:c|cu|py|sh))::(\w+)`", page.read_text(encoding="utf-8")):
            tests += 1
            if not (ROOT / file).exists() or not re.search(rf"(def |void ){name}\(", (ROOT / file).read_text(encoding="utf-8")):
                wrong.append(f"{page.relative_to(ROOT)}: there is no {file}::{name}")
    files = [path for folder in ("src", "cli", "io", "bindings/python/eigpack") for path in (ROOT / folder).rglob("*.*") if path.suffix in (".c", ".h", ".cu", ".cuh", ".py")]
    source = "\n".join(re.sub(r'"\s*\n\s*f?"', "", path.read_text(encoding="utf-8")) for path in files)
    rows = (ROOT / "docs/guide/faq.md").read_text(encoding="utf-8").split("## Messages")[1]
    for message in re.findall(r"^\| `(.*?)` \|", rows, re.MULTILINE):
        messages += 1
        if message not in source:
            wrong.append(f"docs/guide/faq.md: no source says {message}")
    print("\n".join(wrong + [f"{tests} tests and {messages} messages are named, {len(wrong)} are not there"]))
    return 1 if wrong or not tests or not messages else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["lay"] and len(sys.argv) in (4, 5):
        lay(sys.argv[2], Path(sys.argv[3]), "".join(sys.argv[4:]))
    elif sys.argv[1:2] == ["check"] and len(sys.argv) == 3:
        sys.exit(check(Path(sys.argv[2])))
    elif sys.argv[1:] == ["claims"]:
        sys.exit(claims())
    else:
        sys.exit(__doc__)
