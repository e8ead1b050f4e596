#!/usr/bin/env python3
"""Writes what others repeat of include/eigpack.h: constants, structures and functions for Fortran and Julia, and the sentences of
options (sentences.py) for the program, Python, Octave and Julia.

    bindings/generate.py            writes the files that differ
    bindings/generate.py --check    writes nothing; fails where one of them differs

The header is read by its form: `#define`, enum, `typedef struct`, `EIG_API` prototypes.  A form that is not known is an error."""

import re
import sys
from pathlib import Path

import sentences

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "include" / "eigpack.h"

# Pointers that name one number in the single forms of a family; all others are arrays.
ONE = {"stebz": ("m", "info"), "stebz_count": ("info",), "stemr": ("m", "orthogonality", "stats"), "heev": ("m", "info", "sweeps"), "geev": ("info",)}
ALWAYS_ONE = ("bytes", "stats", "options", "pass", "matrices", "vectors")

# C's words, in bytes and in the two languages.
SCALARS = {
    "int": (4, "integer(c_int)", "Cint"),
    "int64_t": (8, "integer(c_int64_t)", "Int64"),
    "size_t": (8, "integer(c_size_t)", "Csize_t"),
    "float": (4, "real(c_float)", "Cfloat"),
    "double": (8, "real(c_double)", "Cdouble"),
    "eig_c": (8, "complex(c_float_complex)", "ComplexF32"),
    "eig_z": (16, "complex(c_double_complex)", "ComplexF64"),
}


def plain(text):
    """The header without comments and continued lines."""
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).replace("\\\n", " ")


class Header:
    def __init__(self, text):
        text = plain(text)
        self.enums, self.constants, self.structures, self.functions = [], [], [], []
        for number in re.findall(r"X\((EIG_\w+), (\d+), \"", text):
            self.constants.append(number)
        for body, name in re.findall(r"enum(?: eig_\w+)? \{(.*?)\}( eig_\w+)?;", text, re.DOTALL):
            if name.strip():
                self.enums.append(name.strip())
            if "EIG_STATUS_LIST" not in body:
                self.constants += [(word, self.value(value)) for word, value in (item.split(" = ") for item in re.split(r",\s*", body.strip()) if item)]
        for name, body in re.findall(r"typedef struct (eig_\w+) \{(.*?)\} eig_\w+;", text, re.DOTALL):
            if name not in SCALARS:
                self.structures.append((name, self.fields(body)))
        for result, name, arguments in re.findall(r"EIG_API ([\w *]*?)(eig_\w+)\((.*?)\);", text, re.DOTALL):
            self.functions.append((result.strip(), name, [] if arguments == "void" else [self.declaration(" ".join(a.split())) for a in arguments.split(",")]))

    @staticmethod
    def value(word):
        word = word.strip()
        return str(ord(word[1])) if word.startswith("'") else str(int(word))

    @staticmethod
    def declaration(text):
        """('const double *', 'w') of "const double *w"."""
        type_, name = re.fullmatch(r"(.*?[ *])(\w+)", text).groups()
        return type_.strip(), name

    def fields(self, body):
        found = []
        for line in filter(None, (line.strip() for line in body.split(";"))):
            type_, first, *rest = re.fullmatch(r"((?:const )?\w+ ?\*?) ?(\w+(?:, \w+)*)", line).group(1, 2)
            found += [(type_.strip(), name) for name in first.split(", ")]
        return found

    def bytes(self, fields):
        """Of a structure, with natural alignment."""
        at = 0
        for type_, _ in fields:
            size = 8 if "*" in type_ else 4 if type_ in self.enums else SCALARS[type_][0]
            at = -(-at // size) * size + size
        return -(-at // 8) * 8


def family(name):
    """'stebz' of eig_dstebz and eig_stebz; 'heev' also of eig_dsyev; None of the forms of many."""
    word = re.fullmatch(r"eig_([sdcz]?)(stebz|stemr|heev|syev|geev)(_count)?", name)
    return word and word[2].replace("syev", "heev") + (word[3] or "")


# ------------------------------------------------------------------------------------------------------------- Fortran


def fortran_argument(header, function, type_, name):
    one = name in ALWAYS_ONE or name in ONE.get(family(function), ())
    if type_ == "eig_context **":
        return "type(c_ptr), intent(out)", name
    if type_ in ("eig_context *", "const eig_context *", "void *", "const void *"):
        return "type(c_ptr), value", name
    if type_ == "eig_progress":
        return "type(c_funptr), value", name
    if type_ == "const char *":
        return "character(kind=c_char), intent(in)", f"{name}(*)"
    base = type_.replace("const ", "").rstrip(" *")
    word = "integer(c_int)" if base in header.enums else SCALARS[base][1] if base in SCALARS else f"type({base})"
    if "*" not in type_:
        return f"{word}, value", name
    intent = "in" if type_.startswith("const ") else "inout"
    return f"{word}, intent({intent}), optional", name if one else f"{name}(*)"


def wrapped(text, indent):
    """Lines of at most 120 characters."""
    lines, line = [], ""
    for word in re.split(r"(?<=,) ", text):
        if line and len(indent) + len(line) + len(word) > 116:
            lines.append(line.rstrip() + " &")
            line = "    "
        line += word + " "
    return ("\n" + indent).join(lines + [line.rstrip()])


def fortran_function(header, result, name, arguments):
    names = [word for _, word in arguments]
    kind = "subroutine" if result == "void" else "function"
    out = [wrapped(f"{kind} {name}({', '.join(names)}) bind(C, name='{name}')" + (" result(answer)" if kind == "function" else ""), " " * 8)]
    out.append("    import")
    for type_, word in arguments:
        left, right = fortran_argument(header, name, type_, word)
        out.append(f"    {left} :: {right}")
    if kind == "function":
        out.append(f"    {'type(c_ptr)' if '*' in result else 'integer(c_int)' if result in header.enums else SCALARS[result][1]} :: answer")
    return "".join(f"        {line}\n" for line in out + [f"end {kind} {name}"])


def fortran_structure(header, name, fields):
    out = [f"    type, bind(C) :: {name}"]
    for type_, word in fields:
        if "*" in type_:
            out.append(f"        type(c_ptr) :: {word} = c_null_ptr")
        elif word == "size":
            out.append(f"        integer(c_size_t) :: size = {header.bytes(fields)}_c_size_t")
        else:
            of = SCALARS["int" if type_ in header.enums else type_][1]
            zero = "0.0" if of.startswith("real") else "0"
            out.append(f"        {of} :: {word} = {zero}_{of.split('(')[1][:-1]}")
    return "\n".join(out + [f"    end type {name}"]) + "\n"


FORTRAN = """! eigpack for Fortran 2018: the constants, structures and functions of eigpack.h; docs/guide/fortran.md tells how to call them.
! Made by bindings/generate.py from the header, whose comments are the reference.
!
! Every pointer is an optional argument: one that is left out is NULL.  A structure begins with all defaults.  A context is a
! type(c_ptr).  The forms without a letter (eig_stebz, ...) take addresses: of arrays on a GPU, or of one type at run time.
module eigpack
    use, intrinsic :: iso_c_binding
    implicit none
    public

@CONSTANTS@
@STRUCTURES@
    interface
@FUNCTIONS@    end interface

contains

    ! The text behind an address that eig_error_detail, eig_describe, eig_status_text and others give.
    function eig_string(address) result(text)
        type(c_ptr), intent(in) :: address
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer(c_size_t) :: length, k

        interface
            pure function strlen(s) bind(C, name='strlen') result(length)
                import :: c_ptr, c_size_t
                type(c_ptr), intent(in), value :: s
                integer(c_size_t) :: length
            end function strlen
        end interface

        text = ''
        if (.not. c_associated(address)) return
        length = strlen(address)
        call c_f_pointer(address, letters, [length])
        text = repeat(' ', int(length))
        do k = 1, length
            text(k:k) = letters(k)
        end do
    end function eig_string
end module eigpack
"""


def fortran(header):
    constants = "".join(f"    integer(c_int), parameter :: {name} = {value}\n" for name, value in header.constants)
    structures = "\n".join(fortran_structure(header, *structure) for structure in header.structures)
    functions = "\n".join(fortran_function(header, *function) for function in header.functions)
    return FORTRAN.replace("@CONSTANTS@", constants).replace("@STRUCTURES@", structures).replace("@FUNCTIONS@", functions)


# --------------------------------------------------------------------------------------------------------------- Julia


def julia_type(header, type_):
    if type_ == "eig_context **":
        return "Ptr{Ptr{Cvoid}}"
    if type_ == "const char *":
        return "Cstring"
    if "*" in type_:
        return "Ptr{Cvoid}"
    return "Cint" if type_ in header.enums else "Ptr{Cvoid}" if type_ == "eig_progress" else "Cvoid" if type_ == "void" else SCALARS[type_][2]


def julia_structure(header, name, fields):
    short = "".join(word.capitalize() for word in name.split("_")[1:])
    body = "".join(f"    {word}::{'Ptr{Cvoid}' if '*' in type_ else julia_type(header, type_)}\n" for type_, word in fields)
    values = ", ".join(f"sizeof({short})" if word == "size" else "C_NULL" if "*" in type_ else word for type_, word in fields)
    keywords = ", ".join(f"{word} = 0" for type_, word in fields if word != "size" and "*" not in type_)
    return f"struct {short}\n{body}end\n\n{short}(; {keywords}) =\n    {short}({values})\n"


def julia_function(header, result, name, arguments):
    names = ", ".join(word for _, word in arguments)
    types = ", ".join(julia_type(header, type_) for type_, _ in arguments) + ("," if len(arguments) == 1 else "")
    text = f"{name}({names}) =\n    ccall(symbol(:{name}), {julia_type(header, result)}, ({types}), {names})".replace("), )", "))").replace("(), )", "())")
    return text + "\n"


JULIA = '''"""
The C interface of eigpack as it is: constants, structures and functions of `eigpack.h`, whose comments are the reference.
Made by `bindings/generate.py` from the header.
"""
module LibEigpack

using Libdl

const library = Ref{Ptr{Cvoid}}(C_NULL)

"""
    symbol(name)

The address of a function; the library is opened at the first use: the one that the environment variable
`EIGPACK_LIBRARY` names, else `libeigpack` of the system.
"""
function symbol(name::Symbol)
    library[] == C_NULL && (library[] = dlopen(get(ENV, "EIGPACK_LIBRARY", "libeigpack")))
    return dlsym(library[], name)
end

@CONSTANTS@
@STRUCTURES@
@FUNCTIONS@end
'''


def julia(header):
    constants = "".join(f"const {name} = Cint({value})\n" for name, value in header.constants)
    structures = "\n".join(julia_structure(header, *structure) for structure in header.structures)
    functions = "\n".join(julia_function(header, *function) for function in header.functions)
    return JULIA.replace("@CONSTANTS@", constants).replace("@STRUCTURES@", structures).replace("@FUNCTIONS@", functions)


def main():
    header = Header(HEADER.read_text(encoding="utf-8"))
    status = 0
    made = {ROOT / "bindings/fortran/eigpack.f90": fortran(header), ROOT / "bindings/julia/src/LibEigpack.jl": julia(header)}
    for path, text in {**made, **sentences.copies(ROOT)}.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if sys.argv[1:] == ["--check"]:
            print(f"{path.relative_to(ROOT)} is not what include/eigpack.h makes of it: run bindings/generate.py", file=sys.stderr)
            status = 1
        else:
            path.write_text(text, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
