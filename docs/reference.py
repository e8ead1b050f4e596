#!/usr/bin/env python3
"""The C reference: a page a section of eigpack.h, and one of eigpack_mpi.h, made from the headers' own comments.

    docs/reference.py write FOLDER    pages for Sphinx, in FOLDER
    docs/reference.py names           every function, type, enumerator, macro and field: what the book's index must have
    docs/reference.py check           nothing in the headers is unread; each argument of a family's function is described

A header is a row of blocks: a comment, and the declarations below it up to the next comment or section.  The comment of a
function begins with a sentence; lines that are indented by two describe arguments; a word and a colon begin a paragraph."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECTION = re.compile(r"/\* -+ (.*?) \*/")
TITLES = {"status and info": "Status and info", "types": "Types and layouts", "context": "Context", "eigpack_mpi.h": "MPI"}
FAMILIES = ("stebz", "stemr", "heev", "geev", "eigpack_mpi.h")
HOST = re.compile(r"\b(char|size_t|eig_\w*(?:context|options|stats|pass|run|node)|void \*(?:stream|work|user))\b")
RETURNS = re.compile(r"(?:^|\. )Returns ", re.MULTILINE)
FULL = re.compile(r"eig_(mpi_)?[dz]|eig_heev_batched")
LEAD = re.compile(r"(?:[A-Z][\w ()]{1,28}|info\[b\] = [\w> ]+?|[A-Z_]+): |Returns |Same bits |Each ")


class Block:
    """A comment with what it speaks of."""

    def __init__(self, section, comment):
        self.section, self.comment, self.declarations = section, comment, []

    def functions(self):
        return [f for f in map(function_of, self.declarations) if f]


def comment_text(comment):
    """The text between the marks, without the stars at the left."""
    return "\n".join(re.sub(r"^ ?\* ?", "", line) for line in comment[2:-2].split("\n")).strip().removeprefix("* ")


def end_of_declaration(text, at):
    """The place after the semicolon that ends the declaration at `at`; comments and braces are skipped."""
    depth = 0
    while True:
        if text.startswith("/*", at):
            at = text.index("*/", at) + 2
            continue
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
        if text[at - 1] == ";" and depth == 0:
            return at


def blocks_of(name):
    """The first comment of a header, and its blocks."""
    text = (ROOT / "include" / name).read_text(encoding="utf-8")
    preamble = comment_text(text[: text.index("*/") + 2])
    text = re.sub(r'^(#(if|else|endif|include|undef).*|#define EIG\w*_H|extern "C" \{|\})$', "", text[len(preamble) :], flags=re.MULTILINE)
    at, section = text.index("*/") + 2, "status and info" if name == "eigpack.h" else name
    found = [Block(section, "")]
    while True:
        at += re.match(r"\s*", text[at:]).end()
        if at == len(text):
            return preamble, [b for b in found if b.comment or b.declarations]
        title = SECTION.match(text, at)
        if title:
            section, at = title[1], title.end()
            found.append(Block(section, ""))
        elif text.startswith("/*", at):
            end = text.index("*/", at) + 2
            found.append(Block(section, comment_text(text[at:end])))
            at = end
            if text.startswith("\n\n", at):
                found.append(Block(section, ""))
        elif text[at] == "#":
            end = re.compile(r"(?:.*\\\n)*.*").match(text, at).end()
            found[-1].declarations.append(text[at:end])
            at = end
        else:
            end = end_of_declaration(text, at)
            found[-1].declarations.append(text[at:end])
            at = end


def function_of(declaration):
    """(returned type and name, name, [(type with stars, name)]) of a function, or None."""
    match = re.fullmatch(r"EIG_API (.*?)(eig_\w+)\((.*)\);", " ".join(declaration.split()))
    if not match:
        return None
    arguments = [] if match[3] == "void" else [re.fullmatch(r"(.*?)(\w+)", a.strip()).groups() for a in match[3].split(",")]
    return (match[1] + match[2]).strip(), match[2], [(kind.strip(), name) for kind, name in arguments]


def members_of(body):
    """[[declaration, comment]] of a structure's or an enumeration's body; a declaration of "" is a heading."""
    found = []
    for comment, declaration in re.findall(r"(/\*.*?\*/)|([^\s/,;][^;,/]*(?:,[^;/]*;)?)", body, re.DOTALL):
        words = " ".join((comment_text(comment) if comment else declaration.rstrip(";")).split())
        if declaration:
            found.append([words, ""])
        elif found and found[-1][0] and not found[-1][1]:
            found[-1][1] = words
        else:
            found.append(["", words])
    return found


def fields_in(declaration):
    """("int64_t ", ["il", "iu"]) of "int64_t il, iu"."""
    kind, names = re.fullmatch(r"(.*?\W)((?:\w+, )*\w+)", declaration).groups()
    return kind, names.split(", ")


# ------------------------------------------------------------------- text

class Text:
    """Plain text of a comment as reStructuredText, with links to what has an entry of its own."""

    def __init__(self, kinds):
        self.kinds = kinds

    def __call__(self, text):
        def word(match):
            if match[0] in self.kinds:
                return rf"\ :c:{self.kinds[match[0]]}:`{match[0]}`\ "
            return rf"\ ``{match[0]}``\ " if re.search(r"\w_\w|->", match[0]) else re.sub(r"([\\*`|_])", r"\\\1", match[0])

        text = re.sub(r"(docs/[\w/-]+\.md)|[A-Za-z_][\w]*(?:->\w+)?|[\\*`|_]",
                      lambda m: page_link(m[1]) if m[1] else word(m), " ".join(text.split()))
        return re.sub(r"^\\ |\\ $", "", text)


def capital(text):
    """The text with a capital letter, where it begins with a word."""
    return text[:1].upper() + text[1:] if re.match(r"[a-z]{2,}[ ,;]", text) else text


def page_link(path):
    return rf"\ :doc:`/{path[5:-3]}`\ "


def pieces_of(comment, names):
    """The comment as [("text" | "code" | "argument", ...)]; arguments are those whose names are in `names`."""
    pieces, last = [], ""
    for line in comment.split("\n"):
        row = re.match(r" {2,3}((?:\w+)(?:, \w+)*)(?: +)(\S.*)", line)
        if row and set(row[1].split(", ")) <= names:
            pieces.append(["argument", row[1].split(", "), row[2]])
        elif not line.strip():
            pieces.append(["text", ""])
        elif line.startswith("    ") and pieces and pieces[-1][0] == "argument":
            pieces[-1][2] += " " + line.strip()
        elif line.startswith("  "):
            if pieces and pieces[-1][0] == "code":
                pieces[-1][1] += "\n" + line
            else:
                pieces.append(["code", line])
        elif pieces and pieces[-1][0] == "text" and not (LEAD.match(line) and last.endswith(".")):
            pieces[-1][1] += " " + line
        else:
            pieces.append(["text", line])
        last = line
    return [[p[0], p[1].strip()] if p[0] == "text" else p for p in pieces if p[0] == "argument" or p[1].strip()]


# ------------------------------------------------------------------- pages

class Page:
    def __init__(self, title, text):
        self.lines, self.text = [], text
        self.heading(title, "=")

    def heading(self, title, mark):
        self.lines += ["", title.replace("_", r"\_"), mark * (len(title) + title.count("_")), ""]

    def add(self, *lines, indent=0):
        self.lines += [(" " * indent + line) if line else "" for line in lines]

    def prose(self, piece, indent=0):
        lead = LEAD.match(piece)
        bold = lead and lead[0].endswith(": ")
        head = re.match(r"(\w[\w -]{1,30})\.  ", piece)
        if head:
            self.add(f"**{head[1]}.** {self.text(piece[head.end() :])}", "", indent=indent)
        elif bold:
            self.add(f"**{self.text(lead[0][:-2])}.** {self.text(capital(piece[lead.end() :]))}", "", indent=indent)
        else:
            self.add(self.text(piece), "", indent=indent)

    def pieces(self, pieces, indent=0):
        for piece in pieces:
            if piece[0] == "code":
                self.add(".. code-block:: text", "", *("   " + line.strip() for line in piece[1].split("\n")), "", indent=indent)
            elif piece[0] == "text":
                self.prose(piece[1], indent)

    def enumeration(self, name, body, comment):
        depth = 3 if name else 0
        self.add(*([f".. c:enum:: {name}", ""] if name else []))
        self.pieces(pieces_of(comment, set()), depth)
        listed = re.findall(r'X\((\w+), (\d+), "(.*?)"\)', body)
        for declaration, about in [(f"{word} = {number}", text) for word, number, text in listed] or members_of(body):
            self.add(f".. c:enumerator:: {declaration}", "", indent=depth)
            if about:
                self.add(self.text(capital(about)), "", indent=depth + 3)

    def structure(self, name, body, comment, defaults):
        self.add(f".. c:struct:: {name}", "")
        self.pieces(pieces_of(comment, set()), 3)
        at = 0
        for declaration, about in members_of(body):
            if not declaration:
                self.add(f"*{self.text(about)}*", "", indent=3)
                continue
            kind, names = fields_in(declaration)
            for member in names:
                default = defaults[at] if at < len(defaults) else ""
                at += 1
                self.add(f".. c:member:: {kind}{member}", "", indent=3)
                told = [self.text(capital(about)).rstrip(".") + "."] if about else []
                if default and member != "reserved":
                    told.append(f"Default: {self.text(default)}.")
                self.add(*([" ".join(told), ""] if told else []), indent=6)

    def macro(self, declaration):
        head = re.match(r"#define (\w+(?:\([^)]*\))?)", declaration)
        self.add(f".. c:macro:: {head[1]}", "")
        if head[1].endswith(("_OPTIONS", "_STATS", "_PASS", "_RUN")):
            self.add("Sets the size, and all defaults, of the structure above.", "", indent=3)

    def function(self, block, base, described):
        """A block's functions: one with its arguments, those of the other types folded below it."""
        functions = block.functions()
        shown = next((f for f in functions if FULL.match(f[1])), functions[0])
        self.add(f".. c:function:: {signature(shown)}", "")
        if base:
            since = re.search(r"[Ss]ince (\d\.\d)\.", block.comment)
            self.add(f":Since: {since[1] if since else '0.2'}", "", indent=3)
        pieces = pieces_of(block.comment, names_of(functions))
        self.pieces(pieces[:1], 3)
        self.arguments(shown, described)
        self.pieces(pieces[1:], 3)
        if base and base is not block and shown[0].startswith("eig_status") and not RETURNS.search(block.comment):
            of = next(f[1] for f in base.functions() if FULL.match(f[1]))
            self.add(f"**Errors, cost, bits.** As :c:func:`{of}`.", "", indent=3)
        others = [f for f in functions if f is not shown]
        if others:
            self.add(f".. dropdown:: {', '.join(f[1] for f in others)}", "")
        for f in others:
            self.add(f".. c:function:: {signature(f)}", "   :no-contents-entry:", "", indent=3)

    def arguments(self, function, described):
        for kind, name in function[2] if described else []:
            about = described[name]
            shape = re.match(r"(\[[^\]]*\])(?: |$)", about)
            about = capital(re.sub(r"^out(: |, (?=or))", "", about[shape.end() if shape else 0 :].strip()))
            words = [way_of(kind, name), side_of(kind, function[1])] + ([f"shape {shape[1]}"] if shape else [])
            self.add(f"``{name}`` : {' : '.join(self.text(w) for w in words if w)}", indent=3)
            self.add(self.text(about) or "See above", indent=6)
        self.add("")


# ------------------------------------------------------------------- names

def names_of(functions):
    return {name for f in functions for _, name in f[2]}


def way_of(kind, name):
    if "*" not in kind or kind.startswith("const"):
        return "in"
    return "in, out" if name in ("ctx", "user") else "out"


def side_of(kind, function):
    """Where an argument lies."""
    if "*" not in kind:
        return ""
    return "host" if HOST.search(kind) or "work_size" in function or "_mpi_" in function else "host or device"


def signature(function):
    return f"{function[0]}({', '.join(kind + (' ' if kind[-1] != '*' else '') + name for kind, name in function[2]) or 'void'})"


def declared(declaration):
    """("enum" | "struct" | "type" | "macro" | "function" | "", name, body) of a declaration."""
    if declaration.startswith("#"):
        match = re.match(r"#define (\w+)", declaration)
        return ("macro", match[1], declaration) if match else ("", "", "")
    for kind in ("enum", "struct"):
        match = re.fullmatch(rf"(?:typedef )?{kind}\s*(\w*)\s*\{{(.*)\}}\s*(\w*);", declaration, re.DOTALL)
        if match:
            return kind, match[3] or match[1], match[2]
    function = function_of(declaration)
    if function:
        return "function", function[1], declaration
    match = re.fullmatch(r"typedef struct \w+ (\w+);|typedef .*\(\*(\w+)\)\(.*\);", " ".join(declaration.split()))
    if not match:
        raise SystemExit(f"docs/reference.py cannot read: {declaration}")
    return "type", match[1] or match[2], " ".join(declaration.split())


class Headers:
    """What both headers declare."""

    def __init__(self):
        self.preamble, self.blocks = blocks_of("eigpack.h")
        self.about_mpi, mpi = blocks_of("eigpack_mpi.h")
        self.blocks += mpi
        rows = [(b, *declared(d)) for b in self.blocks for d in b.declarations]
        macros = {name: body for _, kind, name, body in rows if kind == "macro"}
        self.rows = []
        for block, kind, name, body in rows:
            if kind == "enum" and "_LIST(" in body:
                body = macros[re.search(r"(\w+_LIST)\(", body)[1]]
            if kind and not (kind == "macro" and re.search(r"_LIST$|_ENUM$|_API$|_QUOTED$|_JOINED$", name)):
                self.rows.append((block, kind, name, body))
        self.defaults = {}
        for body in macros.values():
            initial = re.search(r"sizeof\((\w+)\)((?:,\s*\\?\s*[\w.]+)*)", body)
            if initial:
                self.defaults[initial[1]] = ["", *re.findall(r"[\w.]+", initial[2])]

    def kinds(self):
        """Every name, with its role in Sphinx's C domain."""
        kinds = {}
        for _, kind, name, body in self.rows:
            if name:
                kinds[name] = {"function": "func"}.get(kind, kind)
            if kind == "enum":
                words = re.findall(r"X\((\w+),", body) or [row[0].split()[0] for row in members_of(body) if row[0]]
                kinds.update(dict.fromkeys(words, "enumerator"))
        return kinds

    def fields(self):
        """Every field, as structure.field."""
        for _, kind, name, body in self.rows:
            for declaration, _ in members_of(body) if kind == "struct" else []:
                yield from (f"{name}.{field}" for field in (fields_in(declaration)[1] if declaration else []))

    def described(self, block):
        """What each argument of the block's functions is: in the words of its own comment, else of the nearest block before it that
        has the argument in its section or, for MPI, in the family's; else of one after it."""
        functions = block.functions()
        own = [p for p in pieces_of(block.comment, names_of(functions)) if p[0] == "argument"]
        if not own and not re.match(r"The same|The type is|Bytes of workspace", block.comment):
            return {}
        at = self.blocks.index(block)
        family = re.search(r"stebz|stemr|heev|geev|$", functions[0][1])[0]
        found = {"ctx": "context", "type": "the type of the elements: s, d, c or z"}
        if "work_size" in functions[0][1]:
            found.update(bytes="the bytes", vectors="0 or 1, see below", batch="the number of matrices", m="the number of shifts")
        read, mentioned = [], set(re.findall(r"eig_\w+", block.comment))
        for other in self.blocks[: at + 1][::-1] + self.blocks[at:]:
            if other.section in (block.section, family) or mentioned & {f[1] for f in other.functions()}:
                for piece in pieces_of(other.comment, names_of(other.functions())):
                    for name in piece[1] if piece[0] == "argument" else []:
                        if name != "ctx":
                            found.setdefault(name, piece[2])
                            read.append((name, piece[2]))
        found.setdefault("batch", "the number of matrices")
        found.setdefault("points", "the number of points")
        for name in names_of(functions) - set(found):
            holder = next((k for k, about in read if re.search(rf"\b{name}\b", about)), None)
            found.update({name: f"see {holder}"} if holder else {})
        missing = names_of(functions) - set(found)
        if missing:
            raise SystemExit(f"{functions[0][1]}: nothing in its header describes {', '.join(sorted(missing))}")
        return found

    def page(self, section):
        """The page of a section."""
        page, base = Page(TITLES.get(section, section), Text(self.kinds())), None
        if section == "eigpack_mpi.h":
            page.pieces(pieces_of(self.about_mpi, set()))
        for block in (b for b in self.blocks if b.section == section):
            comment, functions = block.comment, block.functions()
            for _, kind, name, body in (row for row in self.rows if row[0] is block and row[1] != "function"):
                if kind == "enum":
                    page.enumeration(name, body, comment)
                elif kind == "struct":
                    page.structure(name, body, comment, self.defaults.get(name, []))
                elif kind == "macro":
                    page.macro(body)
                else:
                    page.add(f".. c:type:: {body[8:-1] if '(*' in body else name}", "")
                comment = ""
            if not block.declarations:
                page.pieces(pieces_of(comment, set()))
            if functions and section in FAMILIES:
                page.heading(re.sub(r"^eig_(mpi_)?[sdcz](?=stebz|stemr|syev|heev|geev)", r"eig_\1?", functions[0][1]), "-")
                base = base or (block if RETURNS.search(block.comment) else None)
            if functions:
                page.function(block, base if section in FAMILIES else None, self.described(block))
        return "\n".join(page.lines) + "\n"

    def index(self, pages):
        """The first page: what is where, and what holds for all functions."""
        page = Page("C", Text(self.kinds()))
        page.add("``?`` stands for a type: s, d, c or z, as in LAPACK.  These pages are made from the headers' comments, which are the contract.  "
                 "Every name is in the :ref:`genindex`.", "")
        page.add(".. list-table::", "   :header-rows: 1", "", "   * - page", "     - functions")
        for section, place in pages:
            names = dict.fromkeys(re.sub(r"^eig_(mpi_)?[sdcz](?=stebz|stemr|syev|heev|geev)", r"eig_\1?", f[1])
                                  for b in self.blocks if b.section == section for f in b.functions())
            page.add(f"   * - :doc:`{place}`", f"     - {', '.join(f'``{n}``' for n in names)}")
        page.heading("What holds for all functions", "-")
        page.pieces([p for p in pieces_of(self.preamble, set()) if p[0] == "text"][2:])
        page.add(".. toctree::", "   :hidden:", "", *(f"   {place}" for _, place in pages))
        return "\n".join(page.lines) + "\n"


def write(folder):
    headers = Headers()
    sections = list(dict.fromkeys(b.section for b in headers.blocks))
    pages = [(section, "c-" + re.sub(r"\W+", "-", section.removeprefix("eigpack_").removesuffix(".h"))) for section in sections]
    for section, place in pages:
        (folder / f"{place}.rst").write_text(headers.page(section), encoding="utf-8")
    (folder / "index.rst").write_text(headers.index(pages), encoding="utf-8")


def check():
    """Every exported function is read, and described where it belongs to a family."""
    headers = Headers()
    texts = [(ROOT / "include" / name).read_text(encoding="utf-8") for name in ("eigpack.h", "eigpack_mpi.h")]
    exported = {name for text in texts for name in re.findall(r"^EIG_API [^(]*\b(eig_\w+)\(", text, flags=re.M)}
    known = {name for name, kind in headers.kinds().items() if kind == "func"}
    wrong = [f"{name}: exported, and not in the reference" for name in sorted(exported - known)]
    wrong += [f"{block.functions()[0][1]}: no comment" for block in headers.blocks if block.functions() and not block.comment]
    tables = [headers.described(block) for block in headers.blocks if block.functions()]
    print("\n".join(wrong + [f"{len(known)} functions, {len(headers.kinds())} names, {sum(map(len, tables))} arguments described"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"] and len(sys.argv) == 3:
        write(Path(sys.argv[2]))
    elif sys.argv[1:] == ["names"]:
        print("\n".join([*Headers().kinds(), *Headers().fields()]))
    elif sys.argv[1:] == ["check"]:
        sys.exit(check())
    else:
        sys.exit(__doc__)
