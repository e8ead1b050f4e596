"""An option's sentence: the comment of its field in include/eigpack.h, up to the first full stop.  The copies in the program's help
and in the bindings' texts are made from it (scripts/interface)."""

import re
import textwrap

PYTHON = "bindings/python/eigpack/__init__.py"
JULIA = "bindings/julia/src/Eigpack.jl"
OCTAVE = "bindings/octave/inst/pageeig.m"
PROGRAM = "cli/run/option_help.h"

# Of the program's help: the macro's name, structure and field.
HELP = (
    ("STEBZ_TOLERANCE", "stebz", "abstol"),
    ("STEBZ_RELATIVE", "stebz", "reltol"),
    ("SAME_BITS", "heev", "same_bits_in_batches"),
    ("HEEV_UPLO", "heev", "uplo"),
    ("HEEV_RELATIVE", "heev", "relative"),
    ("HEEV_MAX_SWEEPS", "heev", "max_sweeps"),
    ("GEEV_NO_BALANCE", "geev", "no_balance"),
    ("GEEV_THREADS", "geev", "threads_per_matrix"),
)

# Copies inside other text, each up to a full stop: the file, the text before it (of each place), structure and field.  What the header
# says of the default ("; 0 = ...") is left out.
COPIES = (
    (PYTHON, 'UPLO : {"L", "U"}, default "L"\n', "heev", "uplo"),
    (PYTHON, "relative : bool, default False\nTrue: ", "heev", "relative"),
    (PYTHON, "same_bits_in_batches : bool, default False\nTrue: ", "heev", "same_bits_in_batches"),
    (PYTHON, "balance : bool, default True\nFalse: ", "geev", "no_balance"),
    (PYTHON, "max_steps : int or None, default None\n", "geev", "max_steps"),
    (PYTHON, "tol : float, default 0.0, which is eps*||T||\n", "stebz", "abstol"),
    (JULIA, "`same_bits_in_batches = true`: ", "heev", "same_bits_in_batches"),
    (OCTAVE, "PAGEEIG(..., 'same_bits', true): ", "heev", "same_bits_in_batches"),
)


def sentences(header):
    """{(structure, field): (sentence, default or None)} of every field with a comment."""
    found = {}
    for family, body in re.findall(r"typedef struct eig_(\w+)_options \{(.*?)\} eig_\w+;", header, re.DOTALL):
        for field, comment in re.findall(r"(\w+); +/\*(.*?)\*/", body, re.DOTALL):
            text = re.sub(r"^[01]: ", "", " ".join(comment.split()).split(". ")[0])
            sentence, _, default = text.partition("; 0 = ")
            found[family, field] = sentence, default
    same = {found[family, "same_bits_in_batches"] for family in ("stemr", "heev", "geev")}
    if len(same) > 1:
        raise SystemExit(f"include/eigpack.h has several sentences for same_bits_in_batches: {same}")
    return found


def program(found):
    lines = []
    for name, *key in HELP:
        sentence, default = found[tuple(key)]
        text = sentence + (f" (default: {default})" if default else "")
        strings = textwrap.wrap(text, 100, drop_whitespace=False)
        lines.append(f"#define HELP_{name} \\\n" + " \\\n".join(f'    "{string}"' for string in strings) + "\n")
    return (
        "/* What --help says of options that the library has too.  Made by scripts/interface from the comments of eigpack.h. */\n"
        "#ifndef EIG_CLI_OPTION_HELP_H\n#define EIG_CLI_OPTION_HELP_H\n\n#include \"run/options.h\"\n\n/* clang-format off */\n" + "".join(lines) + "/* clang-format on */\n\n#endif\n"
    )


def put(text, before, sentence, where):
    """text with the sentence at each place behind `before`, and its paragraph filled again."""
    text = text.replace('"""', "\n\0")  # a quote ends a paragraph
    gap = r"[\s%]+"
    places = list(re.finditer(gap.join(re.escape(word) for word in before.split()) + gap, text))
    if not places:
        raise SystemExit(f"{where}: there is no {before!r}")
    for place in reversed(places):
        start, first, last = paragraph(text, place.end())
        end = re.compile(r"\.(?=\s|$)").search(text, place.end()).end()
        lines = (text[first : place.end()] + sentence + "." + text[end:last]).split("\n")
        words = " ".join(line.removeprefix(start) for line in lines)
        filler = textwrap.TextWrapper(width=120, initial_indent=start, subsequent_indent=start, break_long_words=False, break_on_hyphens=False)
        text = text[:first] + filler.fill(words) + text[last:]
    return text.replace("\n\0", '"""')


def paragraph(text, at):
    """How the lines around this place begin, and where the run of lines that begin so starts and ends."""
    lines, row = text.split("\n"), text.count("\n", 0, at)
    start = re.match(r"%?\s*", lines[row]).group()
    first = last = row
    while re.match(r"%?\s*", lines[first - 1]).group() == start and lines[first - 1].strip():
        first -= 1
    while re.match(r"%?\s*", lines[last + 1]).group() == start and lines[last + 1].strip():
        last += 1
    ends = [0]
    for line in lines:
        ends.append(ends[-1] + len(line) + 1)
    return start, ends[first], ends[last + 1] - 1


def copies(root):
    """{path: text} of the files that repeat sentences, as the header makes them."""
    found = sentences((root / "include/eigpack.h").read_text(encoding="utf-8"))
    made = {root / PROGRAM: program(found)}
    for path, before, *key in COPIES:
        file = root / path
        text = made.get(file) or file.read_text(encoding="utf-8")
        sentence = found[tuple(key)][0]
        if not before.endswith(": "):
            sentence = sentence[0].upper() + sentence[1:]
        made[file] = put(text, before, sentence, path)
    return made
