"""Threads, forks, signals, and memory over many calls."""

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import eigpack
import numpy as np
import pytest
from conftest import hermitian, made


def test_threads_at_the_same_time(rng):
    a = made(rng, float, 8, 200, 12, 12)
    expected = [eigpack.eigvals(x) for x in a]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            for w, of in zip(pool.map(eigpack.eigvals, a), expected):
                assert np.array_equal(w, of)


def test_all_functions_at_the_same_time(rng):
    """Eight threads in turns of all functions, failures, and changes of the number of threads; the arrays are shared."""
    a, h, d = made(rng, float, 40, 6, 6), hermitian(rng, complex, 40, 6, 6), rng.uniform(size=60)
    calls = [
        lambda: eigpack.eigvals(a),
        lambda: np.concatenate([x.ravel() for x in eigpack.eigh(h)]),
        lambda: eigpack.eigvalsh(h.swapaxes(-1, -2), "U"),
        lambda: eigpack.eigvals_affine(a[:3], a[0, :, :2], "radius"),
        lambda: eigpack.eigvalsh_tridiagonal(d, d[1:], "v", (0.0, 1.0), bounds=True).upper,
        lambda: eigpack.eigh_tridiagonal(d, d[1:]).eigenvectors,
        lambda: eigpack.sturm_count(d, d[1:], d),
    ]
    expected = [call() for call in calls]
    ready = threading.Barrier(8)

    def work(first):
        ready.wait()
        for turn in range(40):
            k = (first + turn) % len(calls)
            assert np.array_equal(calls[k](), expected[k])
            eigpack.set_threads(turn % 3)
            with pytest.raises(eigpack.LinAlgError):
                eigpack.eigvals([[np.nan]])

    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
    finally:
        eigpack.set_threads(0)


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="a Python with the GIL")
def test_the_gil_stays_off():
    program = "import sys, numpy; before = sys._is_gil_enabled(); import eigpack; assert sys._is_gil_enabled() == before"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_gil_is_released(rng):
    a = hermitian(rng, float, 4000, 30, 30)
    turns, done = 0, threading.Event()

    def compute():
        eigpack.eigh(a)
        done.set()

    before = time.perf_counter()
    eigpack.eigh(a)
    alone = time.perf_counter() - before
    thread = threading.Thread(target=compute)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # nobody else may run unless the GIL is given away
    try:
        thread.start()
        while not done.is_set() and turns < 10**7:
            time.sleep(alone / 50)
            turns += 1
    finally:
        sys.setswitchinterval(interval)
    thread.join()
    assert turns >= 5


def test_number_of_threads(rng):
    a = made(rng, float, 300, 10, 10)
    w = eigpack.eigvals(a)
    try:
        eigpack.set_threads(1)
        assert np.array_equal(eigpack.eigvals(a), w)
        assert "1 thread" in eigpack.describe("cpu")
    finally:
        eigpack.set_threads(0)


def child(connection, a):
    connection.send(eigpack.eigvals(a))
    connection.close()


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_children(rng, method):
    a = made(rng, float, 2000, 10, 10)
    expected = eigpack.eigvals(a)  # the parent has its team of threads
    context = multiprocessing.get_context(method)
    here, there = context.Pipe()
    process = context.Process(target=child, args=(there, a))
    process.start()
    assert here.poll(60), "the child hangs"
    assert np.array_equal(here.recv(), expected)
    process.join()
    assert process.exitcode == 0
    assert np.array_equal(eigpack.eigvals(a), expected)


SUBINTERPRETER = """
try:
    import _interpreters as interpreters  # Python 3.13
    kinds = [("legacy",), ("isolated",)]
except ImportError:
    import _xxsubinterpreters as interpreters
    kinds = [()]

def refused():
    for kind in kinds:
        one = interpreters.create(*kind)
        try:
            failed = interpreters.run_string(one, "import eigpack; eigpack.eigvals([[1.0]])")
        except interpreters.RunFailedError as error:
            failed = error
        interpreters.destroy(one)
        text = getattr(failed, "formatted", str(failed))
        assert "ImportError" in text and "eigpack" in text and "subinterpreter" in text, text

def works():
    import eigpack
    assert eigpack.eigvals([[1.0, 0.0], [0.0, 2.0]]).tolist() == [1, 2]

"""


@pytest.mark.parametrize("order", ["refused(); works(); refused(); works()", "works(); refused(); works()"])
def test_a_subinterpreter_is_refused(order):
    """By an ImportError, where the first call would hang; the main interpreter has the package before and after."""
    program = [sys.executable, "-W", "ignore", "-c", SUBINTERPRETER + order]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


LONG = {  # shape of random numbers a, and what takes long with them
    "eigvalsh_tridiagonal": ("400_000", "eigpack.eigvalsh_tridiagonal(a, a[1:])"),
    "eigh_tridiagonal": ("6_000", "while True: eigpack.eigh_tridiagonal(a, a[1:])"),
    "eigvals": ("2000, 2000", "eigpack.eigvals(a)"),
    "eigh": ("4000, 4000", "eigpack.eigh(a)"),
    "batch": ("400_000, 10, 10", "while True: eigpack.eigvals(a)"),
    "sturm_count": ("200_000", "eigpack.sturm_count(a, a[1:], a)"),
}


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c(name):
    shape, call = LONG[name]
    program = f"""
import eigpack, numpy as np, sys, time
a = np.random.default_rng(0).uniform(size=({shape}))
eigpack.eigvals(np.eye(2))
try:
    print("begin", flush=True)
    {call}
    print("not interrupted")
except KeyboardInterrupt:
    assert eigpack.eigvalsh(np.eye(2)).tolist() == [1, 1]
    print("usable", flush=True)
"""
    # A shell lets the commands that it puts in the background ignore Ctrl-C, and Python keeps what it inherits.
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        assert process.stdout.readline() == "begin\n"
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        sent = time.perf_counter()
        rest, _ = process.communicate(timeout=60)
    finally:
        process.kill()  # one that did not heed would run for ever
    assert rest == "usable\n" and process.returncode == 0
    assert time.perf_counter() - sent < 3


def test_a_handler_may_call(rng):
    """A signal handler runs inside the callback of a long call, and calls the library itself."""
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(eigpack.eigvalsh(np.eye(2))))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        d = rng.uniform(size=15_000)
        begin = time.perf_counter()
        while not seen and time.perf_counter() - begin < 30:
            w = eigpack.eigvalsh_tridiagonal(d, d[1:])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen[0].tolist() == [1, 1] and np.all(np.diff(w) >= 0)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_no_growth(rng):
    a, h, d = made(rng, float, 6, 8, 8), hermitian(rng, complex, 6, 8, 8), rng.uniform(size=16)

    def turn():
        eigpack.eigvals(a)
        eigpack.eigh(h)
        eigpack.eigh_tridiagonal(d, d[1:])
        with pytest.raises(eigpack.LinAlgError):
            eigpack.eigvals([[np.nan]])

    for _ in range(300):
        turn()
    before = resident()
    for _ in range(2500):
        turn()
    assert resident() - before < 2_000_000


def test_threads_give_their_memory_back(rng):
    a = hermitian(rng, float, 64, 40, 40)

    def once():
        thread = threading.Thread(target=eigpack.eigh, args=(a,))
        thread.start()
        thread.join()

    for _ in range(20):
        once()
    before = resident()
    for _ in range(100):
        once()
    assert resident() - before < 20_000_000
