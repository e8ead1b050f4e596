#!/usr/bin/env python3
"""Finds words of words.txt in comments, messages and pages.

    tests/style/words.py             fails where a file has one, or where waiting.txt names a file that has none
    tests/style/words.py --all       names those in the files of waiting.txt too
    tests/style/words.py --clean     takes files that have none off waiting.txt

waiting.txt lists files and folders that are still to be mended."""

import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

C = r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\""
HASH = r"(?<!\S)#[^\n]*"
# What a reader reads of a file, by the ending of its name; "": all but code.
READ = {
    **dict.fromkeys((".c", ".h", ".hpp", ".cpp", ".inc", ".cu", ".cuh"), C),
    ".m": r"^\s*%(?!!)[^\n]*|(?<=error\()[^\n]*",
    ".py": r'"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|' + HASH,
    ".jl": r'"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|' + HASH,
    ".f90": r"![^\n]*",
    ".sh": HASH,
    ".cmake": HASH,
    ".txt": HASH,
    ".md": "",
}
CODE = re.compile(r"^ *```[\s\S]*?^ *```|`[^`\n]*`|\]\([^)\n]*\)", re.MULTILINE)
GAP = r"[\s*/#%\"\\]+"  # between two words, over a line's end too
PRIVATE = ("src/", "tests/", "docs/maintainers/", "bench/", "tools/", "CONTRIBUTING.md", "CHANGELOG.md")
NOT_READ = ("bench/results/", "tests/style/", "data/", "docs/words.txt", "tests/bits/", "CITATION")


def rules():
    """(words that a text with the phrase has, regular expression, plain word, whether for users' texts alone)"""
    users = False
    for line in (HERE / "words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            users = line == "[what users read]"
        elif " -> " in line:
            phrase, plain = line.split(" -> ")
            start = phrase.startswith("^")
            words = GAP.join(phrase.removeprefix("^").split(" "))
            pattern = rf"(?:(?<=\.\s)|(?<=/\* )|(?<=\.\s\s)){words}\b" if start else rf"(?<![\w-]){words}(?![\w-])"
            fixed = re.findall(r"[a-z]+", re.sub(r"\([^)]*\)\??|[a-z]\?|\\.", " ", phrase.lower()))
            yield fixed, re.compile(pattern, 0 if start else re.IGNORECASE), plain, users


def readable(path):
    """The text of the file with all else replaced by spaces."""
    form = READ.get(path.suffix, HASH)
    text = path.read_text(encoding="utf-8")
    blank = lambda part: re.sub(r"[^\n]", " ", part)
    if form == "":
        return CODE.sub(lambda code: blank(code.group()), text)
    kept, at = [], 0
    for part in re.finditer(form, text, re.DOTALL | re.MULTILINE):
        kept += [blank(text[at : part.start()]), part.group()]
        at = part.end()
    return "".join(kept) + blank(text[at:])


def sources():
    """Names of the files to read; a copy of the sources need not know git."""
    for folder, folders, files in os.walk(ROOT):
        made = ("build", "dist", ".git") if folder == str(ROOT) else ("__pycache__",)
        folders[:] = sorted(name for name in folders if name != "build" and not name.startswith(made))
        for path in (Path(folder, name) for name in sorted(files)):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in (*READ, "") and not name.startswith(NOT_READ):
                yield name


def main():
    lines = (HERE / "waiting.txt").read_text(encoding="utf-8").splitlines()
    waiting = [line for line in lines if line and not line.startswith("#")]
    found, patterns = {name: 0 for name in waiting}, list(rules())
    status = 0
    for name in sources():
        text = readable(ROOT / name)
        lower = text.lower()
        for fixed, pattern, plain, users in patterns:
            if not all(word in lower for word in fixed) or users and name.startswith(PRIVATE):
                continue
            for hit in pattern.finditer(text):
                waits = next((one for one in waiting if name == one or one.endswith("/") and name.startswith(one)), None)
                if waits is not None:
                    found[waits] += 1
                if waits is None or "--all" in sys.argv:
                    status |= waits is None
                    line = text.count("\n", 0, hit.start()) + 1
                    print(f"{name}:{line}: {re.sub(GAP, ' ', hit.group())!r}: say {plain!r}")
    clean = [name for name, count in found.items() if count == 0]
    if clean and "--clean" in sys.argv:
        (HERE / "waiting.txt").write_text("".join(f"{line}\n" for line in lines if line not in clean), encoding="utf-8")
    elif clean:
        print(f"tests/style/waiting.txt: these have no such word and come off the list (--clean): {', '.join(clean)}")
        status = 1
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
