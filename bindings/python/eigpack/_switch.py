"""What routes the calls of another library to eigpack: on and off, a count of the calls, and how a script is run with it."""

import contextlib
import runpy
import sys
import threading

from ._errors import LinAlgError  # a ValueError from NumPy 1.25 on


class Kept(Exception):
    """Why a call stays with the other library."""


class Switch:
    """put() replaces the other library's functions, take() restores them; what was routed is counted by name and by outcome."""

    def __init__(self, put, take):
        self.put, self.take = put, take
        self.always, self.inside, self.counts, self.lock = False, 0, {}, threading.Lock()

    @property
    def is_on(self):
        return self.always or self.inside > 0

    def change(self, always=None, inside=0):
        with self.lock:
            before = self.is_on
            if not before and (always or inside > 0):
                self.put()
            self.always = self.always if always is None else always
            self.inside += inside
            if before and not self.is_on:
                self.take()

    @contextlib.contextmanager
    def scope(self):
        self.change(inside=1)
        try:
            yield
        finally:
            self.change(inside=-1)

    def attempt(self, name, ours, theirs):
        """ours(), or theirs() where eigpack does not serve the call or finds no result; either is counted."""
        try:
            result, outcome = ours(), "eigpack"
        except Kept as reason:
            outcome = str(reason)
        except (TypeError, ValueError, RuntimeError, LinAlgError) as error:  # theirs says it in its own words, or knows better
            outcome = type(error).__name__
        with self.lock:
            outcomes = self.counts.setdefault(name, {})
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
        return result if outcome == "eigpack" else theirs()

    def routed(self):
        with self.lock:
            return {name: dict(outcomes) for name, outcomes in sorted(self.counts.items())}


def lines_of(routed):
    """What was routed, for people."""
    for name, outcomes in routed.items():
        for outcome, count in sorted(outcomes.items(), key=lambda item: -item[1]):
            yield f"{name}: {count} by eigpack" if outcome == "eigpack" else f"{name}: {count} kept ({outcome})"


def run(program, arguments, enable, routed):
    """python -m PROGRAM [--routed] SCRIPT [ARGUMENTS], or -m MODULE: the script as Python runs it, after enable()."""
    usage = f"usage: python -m {program} [--routed] SCRIPT [ARGUMENTS]\n       python -m {program} [--routed] -m MODULE [ARGUMENTS]\n"
    tell = arguments[:1] == ["--routed"]
    arguments = arguments[tell:]
    is_module = arguments[:1] == ["-m"]
    rest = arguments[is_module:]
    if not rest or rest[0].startswith("-"):
        sys.stderr.write(usage)
        return 2
    enable()
    try:
        if is_module:
            sys.argv = rest  # runpy sets the first one
            sys.path[0] = ""
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        else:
            sys.argv = rest
            sys.path[0] = rest[0].rpartition("/")[0]
            runpy.run_path(rest[0], run_name="__main__")
    finally:
        if tell:
            sys.stderr.writelines(f"{line}\n" for line in lines_of(routed()))
    return 0
