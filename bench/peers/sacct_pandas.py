# SPDX-License-Identifier: Apache-2.0
"""What sacct.sql computes, in pandas: sacct_pandas.py FILE. Prints "name<TAB>value" lines."""
import sys

import numpy as np
import pandas as pd

USED = ["JobID", "User", "Submit", "Eligible", "Start", "End", "Elapsed", "State", "AllocTRES"]
WORDS = {"User": "category", "State": "category", "AllocTRES": "category"}


def seconds(column):
    t = pd.to_datetime(column, format="%Y-%m-%dT%H:%M:%S", errors="coerce")
    return (t.astype("int64") // 10**9).where(t.notna())


def gpus_of(tres):
    untyped = tres.str.extract(r"gres/gpu=(\d+)", expand=False)
    typed = tres.str.extract(r"gres/gpu:[^=]*=(\d+)", expand=False)
    return untyped.fillna(typed).fillna(0).astype("int64")


def per_category(column, function):
    """FUNCTION once for each word instead of once a row."""
    words = pd.Series(column.cat.categories.astype(str))
    return pd.Series(function(words).to_numpy()[column.cat.codes], index=column.index)


def main():
    d = pd.read_csv(sys.argv[1], sep="|", usecols=USED, dtype={c: WORDS.get(c, str) for c in USED}, quoting=3,
                    keep_default_na=False, na_values={c: [] for c in USED}, engine="c")
    broken = d["Eligible"].isna() | (d["Eligible"] == "")
    rejects = int(broken.sum())
    d = d[~broken & ~d["JobID"].str.contains(".", regex=False)]
    d = pd.DataFrame({
        "user": d["User"], "submit": seconds(d["Submit"]), "eligible": seconds(d["Eligible"]), "start": seconds(d["Start"]),
        "end": seconds(d["End"]), "elapsed": d["Elapsed"], "gpus": per_category(d["AllocTRES"], gpus_of),
        "state": per_category(d["State"], lambda s: s.str.split(" ", n=1).str[0])})
    running = d[d["state"] == "RUNNING"]
    parts = running["elapsed"].str.extract(r"(?:(\d+)-)?(\d+):(\d+):(\d+)").fillna(0).astype("int64")
    seen = (running["start"] + parts[0] * 86400 + parts[1] * 3600 + parts[2] * 60 + parts[3]).max()
    as_of = np.nanmax([d["submit"].max(), d["start"].max(), d["end"].max(), seen])
    d["end"] = d["end"].fillna(as_of)
    out = [("rejects", rejects), ("jobs", len(d))]
    d = d[d["start"].notna()].astype({"start": "int64", "end": "int64", "eligible": "int64"})
    d["held"] = d["gpus"] * (d["end"] - d["start"])
    d["wait"] = d["start"] - d["eligible"]
    by_state = d.groupby("state")["held"].sum()
    out += [("paid", d["held"].sum())] + [("outcome " + k, v) for k, v in by_state.items()]
    out.append(("interrupted", by_state.get("NODE_FAIL", 0) + by_state.get("PREEMPTED", 0)))
    with_gpus = d[d["gpus"] > 0]
    quantiles = np.quantile(with_gpus["wait"].to_numpy(), [0.5, 0.95, 0.99, 1])
    out += zip(("wait p50", "wait p95", "wait p99", "wait max"), quantiles)
    out.append(("wait weighted", (d["wait"] * d["gpus"]).sum() / d["gpus"].sum()))
    running = with_gpus[with_gpus["start"] < with_gpus["end"]]
    t = np.concatenate([running["start"], running["end"]])
    change = np.concatenate([running["gpus"], -running["gpus"]])
    out.append(("concurrency max", change[np.lexsort((change, t))].cumsum().max()))
    by_user = d.groupby("user", observed=True)["held"].sum().reset_index()
    by_user["user"] = by_user["user"].astype(str)
    top = by_user.sort_values(["held", "user"], ascending=[False, True]).head(10)
    out += [("user " + u, v) for u, v in zip(top["user"], top["held"])]
    for name, value in out:
        print("%s\t%.15g" % (name, value))


main()
