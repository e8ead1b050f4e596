#!/usr/bin/env python3
"""Lays out the pages of the book for Sphinx, and checks the site that comes of them.

    docs/book.py lay PROGRAM FOLDER REPOSITORY     the pages of docs, CONTRIBUTING, CHANGELOG and the faults' README, the header by
                                                   sections, the help of PROGRAM's commands, into FOLDER
    docs/book.py check FOLDER                      every link and anchor within the built site leads somewhere

Links that leave docs become links into the REPOSITORY; one to a file that does not exist is an error."""

import html.parser
import os
import re
import shutil
import subprocess
import sys
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Pages from elsewhere, and their places in the book.
OTHERS = {"CONTRIBUTING.md": "maintainers/contributing.md", "tests/faults/README.md": "maintainers/faults.md", "CHANGELOG.md": "maintainers/changelog.md"}
# What is linked to on the pages, and the page that the book makes of it.
MADE = {"include/eigpack.h": "reference/index.md", "cli/commands": "reference/program.md"}
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")
SECTION = re.compile(r"^/\* -+ (.*?) \*/$", re.MULTILINE)


def place_in_book(path):
    """Where a file of the repository is in the book, or None."""
    name = path.relative_to(ROOT).as_posix()
    for table in (OTHERS, MADE):
        if name in table:
            return table[name]
    return name[len("docs/") :] if name.startswith("docs/") and not path.is_dir() and "/gallery/" not in name else None


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
        inside = place_in_book(full)
        if inside is None:
            to = f"{repository}/{'tree' if full.is_dir() else 'blob'}/main/{full.relative_to(ROOT).as_posix()}"
        else:
            to = os.path.relpath(inside, os.path.dirname(place) or ".")
        return match[1] + to + ("#" + anchor if anchor else "") + match[3]

    pieces = re.split(r"(^```(?s:.*?)^```$|^ {4}.*$)", text, flags=re.MULTILINE)  # code stays as it is
    return "".join(piece if k % 2 else LINK.sub(link, piece) for k, piece in enumerate(pieces))


def header_pages(folder):
    """A page for each section of eigpack.h, and an index of the functions."""
    text = (ROOT / "include/eigpack.h").read_text(encoding="utf-8")
    parts = SECTION.split(text)
    preamble = parts[0]
    titles = {"status and info": "Status and info", "types": "Types and layouts", "context": "Context"}
    rows, names = [], []
    for title, body in zip(parts[1::2], parts[2::2]):
        body = body.split("#ifdef __cplusplus")[0].strip()
        name = "c-" + re.sub(r"\W+", "-", title)
        names.append(name)
        functions = sorted({re.sub(r"^eig_[sdcz](?=(stebz|stemr|syev|heev|geev))", "eig_?", f) for f in re.findall(r"EIG_API [\w *]*?(eig_\w+)\(", body)})
        rows.append(f"| [{titles.get(title, title)}]({name}.md) | {', '.join(f'`{f}`' for f in functions)} |")
        (folder / f"{name}.md").write_text(f"# {titles.get(title, title)}\n\n```c\n{body}\n```\n", encoding="utf-8")
    about = preamble[preamble.index("/*") + 2 : preamble.index("*/")]
    about = "\n".join(re.sub(r"^ \* ?", "", line) for line in about.splitlines()).strip()
    page = ["# The header", "", "`?` stands for a type: s, d, c or z, as in LAPACK. Each section's comments are the contract.", "", "| section | functions |", "|---|---|", *rows, ""]
    page += ["## What holds for all functions", "", "```text", about, "```", "", "```{toctree}", ":hidden:", *names, "```", ""]
    (folder / "index.md").write_text("\n".join(page), encoding="utf-8")


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
    header_pages(folder / "reference")
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
    print("\n".join(broken + [f"{len(pages)} pages, {links} links within the site, {len(broken)} broken"]))
    return 1 if broken or not links else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["lay"] and len(sys.argv) == 5:
        lay(sys.argv[2], Path(sys.argv[3]), sys.argv[4])
    elif sys.argv[1:2] == ["check"] and len(sys.argv) == 3:
        sys.exit(check(Path(sys.argv[2])))
    else:
        sys.exit(__doc__)
