#!/usr/bin/env python3
"""Small matrices from file to file beside cp of the same bytes, in turns; prints CSV.

    bench/files.py EIGPACK COMMIT FOLDER [MATRICES [ROUNDS]]

EIGPACK: the program.  FOLDER: where the files go, some 0.5 GB for 3 million matrices; it must be empty or absent.  A row is the median of
the rounds.  Rivals: cp of the two outputs to new files; cp and then sync of these, since eigpack's outputs are on the disk when it ends;
the same and the solve by itself, as `eigpack bench heev` times it on matrices in memory.
"""
import csv
import os
import shutil
import statistics
import subprocess
import sys
import time

COLUMNS = "family,type,n,batch,device,method,threads,time_ms,limit_ms,rival,rival_ms,ratio,error,check,machine,commit"
N = 3


def milliseconds(command):
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return 1e3 * (time.perf_counter() - begin)


def solve_ms(program, matrices):
    """What the solve of matrices in memory takes: a row of `eigpack bench heev`."""
    subprocess.run([program, "bench", "heev", "--device", "cpu", "--type", "f64", "--n", str(N), "--batch", str(matrices), "--budget", "0.5",
                    "--csv", "solve.csv"], check=True, stdout=subprocess.DEVNULL)
    with open("solve.csv", encoding="utf-8") as file:
        return next(csv.DictReader(file))


def main():
    program, commit, folder = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    matrices = int(sys.argv[4]) if len(sys.argv) > 4 else 3000000
    rounds = int(sys.argv[5]) if len(sys.argv) > 5 else 9
    os.makedirs(folder, exist_ok=True)
    if os.listdir(folder):
        sys.exit(f"{folder} is not empty")
    os.chdir(folder)
    subprocess.run([program, "generate", "ensemble", "-n", str(N), "--batch", str(matrices), "-o", "A.npy"], check=True)
    taken = {"eigpack": [], "cp": [], "cp, sync": []}
    solve = []
    for _ in range(rounds):
        for name, command in (("eigpack", [program, "heev", "A.npy", "--device", "cpu", "--values", "w.npy", "--vectors", "v.npy", "-q"]),
                              ("cp", ["sh", "-c", "cp v.npy v2.npy && cp w.npy w2.npy"]),
                              ("cp, sync", ["sh", "-c", "cp v.npy v2.npy && cp w.npy w2.npy && sync v2.npy w2.npy"])):
            taken[name].append(milliseconds(command))
            for copy in ("v2.npy", "w2.npy"):
                if os.path.exists(copy):
                    os.remove(copy)
        row = solve_ms(program, matrices)
        solve.append(float(row["time_ms"]))
        os.remove("v.npy"), os.remove("w.npy")
        if len(solve) < rounds:
            subprocess.run(["sync"], check=True)
    ours, alone = statistics.median(taken["eigpack"]), statistics.median(solve)
    rivals = {"cp": statistics.median(taken["cp"]), "cp, sync": statistics.median(taken["cp, sync"])}
    rivals["1.2 cp, solve"] = 1.2 * rivals["cp"] + alone
    rivals["1.2 cp, sync, solve"] = 1.2 * rivals["cp, sync"] + alone
    print(COLUMNS)
    for rival, ms in rivals.items():
        limit = f"{ms:.6g}" if "solve" in rival else ""
        print(f'files,f64,{N},{matrices},{row["device"]},heev npy to npy,{row["threads"]},{ours:.6g},{limit},"{rival}",{ms:.6g},{ms / ours:.4g},'
              f'{row["error"]},{row["check"]},"{row["machine"]}",{commit}')
    os.chdir("..")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
