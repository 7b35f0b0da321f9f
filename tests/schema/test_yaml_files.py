#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Maps, price lists and policies: the schemas take what the program takes, and refuse what it refuses."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.environ.get("TARE_SOURCE_ROOT", os.path.join(os.path.dirname(__file__), "../.."))
TARE = os.environ.get("TARE_BINARY", os.path.join(ROOT, "build/src/tare"))
GOOD = {
    "map": ["map: x\njobs: {id: a}\nskip-if: {column: a, empty: true}\n",
            "map: x\ncsv: {header: false, quote: none}\nrecognise: {fields: 3}\nnodes: {id: 1, gpus: 2}\n",
            "map: x\ntime: {pattern: '%Y', zone: '+01:00'}\ntotals: {time: a, every: 1m, counts: nodes}\n",
            "map: x\njobs: {id: a, gpus: {column: b, parse: tres}, labels: {l: c}, kind: {constant: ci}}\n",
            "map: x\nsamples: {kind: point, time: a, device: {columns: [b, c], join: '/'}, power: {column: c, unit: mW}}\n",
            "map: x\nrecognise: {header: [a, b], in-order: true, match: {a: '^x'}}\nsamples: {time: a, job: b, gpu_util: {column: c, unit: ratio}}\n",
            "map: x\nsamples: {time: a, metric: {column: b, values: {u: gpu_util, m: mem_used bytes}, else: unknown}, value: c}\n"],
    "prices": ["currency: USD\nprice:\n- {pool: p, amount: 1.5, per: month, gpus: 8}\n",
               "price:\n- {node: n, basis: owned, purchase: 9, life_years: 3, currency: EUR}\n",
               "currency: USD\ncredits:\n- {what: x, amount: 1, per: once, from: 2026-01-01, to: 2026-02-01}\n"],
    "policy": ["reserve:\n- {spares: 1}\n- {reservation: r, gpus: 2, jobs: [a]}\n", "headroom: {a: 0}\n",
               "count: {timeout: lost}\n", "kept: saved\nskew: 5s\n"],
}
WRONG = {
    "map": ["jobs: {id: a}\n", "map: x\n", "map: x\njobs: {user: a}\n", "map: x\njobs: {id: a}\nnodes: {id: a, gpus: b}\n",
            "map: x\njobs: {id: a, ram: b}\n", "map: x\njobs: {id: {}}\n", "map: x\njobs: {id: {column: a, constant: b}}\n",
            "map: x\njobs: {id: {column: a, unit: s}}\n", "map: x\njobs: {id: a, elapsed: {column: b, unit: milli}}\n",
            "map: x\njobs: {id: a, outcome: {column: b, values: {OK: done}}}\n", "map: x\njobs: {id: {column: a, else: b}}\n",
            "map: x\ntime: {since: epoch, pattern: '%Y'}\njobs: {id: a}\n", "map: x\ntime: {unit: s}\njobs: {id: a}\n",
            "map: x\ntime: {pattern: '%Q'}\njobs: {id: a}\n", "map: x\ntime: {zone: Mars}\njobs: {id: a}\n",
            "map: x\ncsv: {delimiter: ''}\njobs: {id: a}\n", "map: x\njobs: {id: a}\nskip-if: {column: a}\n",
            "map: x\nrecognise: {header: [a], fields: 3}\njobs: {id: a}\n", "map: x\ntotals: {time: a, every: 1m, counts: jobs}\n",
            "map: x\njobs: {id: a, cpus: {column: b, round: near}}\n", "map: x\nnodes: {gpus: a}\n",
            "map: x\ncsv: {wide: {name: a, value: b}}\njobs: {id: a}\n",
            "map: x\nsamples: {time: a}\n", "map: x\nsamples: {power: a}\n", "map: x\nsamples: {time: a, power: {column: b, unit: J}}\n",
            "map: x\nsamples: {time: a, metric: b}\n", "map: x\nsamples: {time: a, power: b, kind: mean}\n",
            "map: x\nsamples: {time: a, power: {columns: [b]}}\n", "map: x\nsamples: {time: a, heat: b}\n",
            "map: x\nsamples: {time: a, metric: {column: b, values: {u: power J}}, value: c}\n",
            "map: x\nrecognise: {fields: 3, in-order: true}\nsamples: {time: a, power: b}\n"],
    "prices": ["prices: []\n", "currency: USD\nprice:\n- {pool: p, amount: 1}\n", "currency: USD\nprice:\n- {amount: 1, per: hour}\n",
               "currency: USD\nprice:\n- {pool: p, amount: -1, per: hour}\n", "currency: usd\nprice: []\n",
               "currency: USD\nprice:\n- {pool: p, amount: 1, per: hour, gpus: 0}\n",
               "currency: USD\nprice:\n- {pool: p, amount: '0,5', per: hour}\n",
               "currency: USD\nprice:\n- {pool: p, amount: 1, per: week}\n",
               "currency: USD\nprice:\n- {pool: p, basis: owned, purchase: 1}\n",
               "currency: USD\nprice:\n- {pool: p, basis: owned, purchase: 1, life_years: 1, power_w: 1}\n",
               "currency: USD\nother:\n- {amount: 1, per: hour}\n", "currency: USD\nother:\n- {what: x, amount: 1, per: once}\n"],
    "policy": ["kept: all\n", "reserve:\n- {pool: p}\n", "reserve:\n- {spares: 1, warm: 1}\n", "reserve:\n- {spares: 0}\n",
               "reserve:\n- {reservation: x}\n", "reserve:\n- {spares: 1, jobs: [a]}\n", "count: {late: lost}\n",
               "count: {timeout: gone}\n", "headroom: {a: -1}\n", "kept: saved\nignore: [a]\n"],
}


def load(text):
    """YAML as the 1.2 core schema has it: dates stay text, and only true and false are truths."""
    import yaml

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = {
            c: [(tag, r) for tag, r in v if not tag.endswith((":timestamp", ":bool", ":merge"))]
            for c, v in yaml.SafeLoader.yaml_implicit_resolvers.items()}

    Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), list("tf"))
    return yaml.load(text, Loader)


def program_says(kind, text):
    """The exit status of the program for a file with this text."""
    with tempfile.TemporaryDirectory() as folder:
        path, table = os.path.join(folder, "x.yaml"), os.path.join(folder, "x.csv")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        with open(table, "w", encoding="utf-8") as f:
            f.write("a,b,c\n")
        args = ["--map", path, "--as", "csv_map", table] if kind == "map" else ["--as", kind, path]
        got = subprocess.run([TARE, "export", *args], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        return got.returncode, got.stderr.decode()


def keys_of_table():
    """The names that csv_map.def gives each kind of row."""
    with open(os.path.join(ROOT, "src/read/csv_map.def"), encoding="utf-8") as f:
        rows = re.findall(r'^PROP\(\w+, "(\w+)", (\w+),', f.read(), re.M)
    keys = {kind: {name for name, k in rows if k == kind.upper()} for kind in ("jobs", "nodes", "totals", "samples")}
    with open(os.path.join(ROOT, "src/facts/metrics.def"), encoding="utf-8") as f:
        keys["samples"] |= set(re.findall(r"^METRIC\(\d+, (\w+),", f.read(), re.M))
    return keys


def checks(schemas, jsonschema):
    validators = {k: jsonschema.Draft202012Validator(s) for k, s in schemas.items()}
    for kind, schema in schemas.items():
        yield "the schema of a %s is one" % kind, lambda s=schema: jsonschema.Draft202012Validator.check_schema(s)
    more = {"jobs": {"labels", "slurm", "sample"}, "nodes": {"every"}, "totals": {"every", "counts"}, "samples": {"kind"}}
    for kind, keys in keys_of_table().items():
        have = set(schemas["map"]["properties"][kind]["properties"])
        yield "the schema knows the keys of %s" % kind, lambda h=have, k=keys | more[kind]: equal(h, k)
    files = [("map", p) for p in sorted(glob.glob(os.path.join(ROOT, "examples/maps/*.yaml")))]
    for kind, path in files + [(k, os.path.join(ROOT, "examples/%s.yaml" % k)) for k in ("prices", "policy")]:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        yield "schema: %s" % os.path.basename(path), lambda v=validators[kind], t=text: v.validate(load(t))
    for kind, texts in GOOD.items():
        for text in texts:
            yield "taken: %r" % text, lambda k=kind, t=text: takes(validators[k], k, t)
    for kind, texts in WRONG.items():
        for text in texts:
            yield "refused: %r" % text, lambda k=kind, t=text: refuses(validators[k], k, t)


def equal(have, want):
    if have != want:
        raise AssertionError("more: %s, missing: %s" % (have - want, want - have))


def takes(validator, kind, text):
    validator.validate(load(text))
    status, said = program_says(kind, text)
    # a good map for another table is no mistake of the map
    if status != 0 and not (kind == "map" and ("x.yaml:" not in said or "asks for" in said)):
        raise AssertionError(said)


def refuses(validator, kind, text):
    if validator.is_valid(load(text)):
        raise AssertionError("the schema takes it")
    status, said = program_says(kind, text)
    if status != 3 or not re.search(r"x\.yaml:? ?\d+:\d+: ", said):
        raise AssertionError("the program says: %d %s" % (status, said))


def main():
    try:
        import jsonschema
        import yaml  # noqa: F401
    except ImportError as why:
        print("1..0 # SKIP %s" % why)
        return 0
    schemas = {}
    for kind in ("map", "prices", "policy"):
        with open(os.path.join(ROOT, "docs/reference/schema", kind + ".json"), encoding="utf-8") as f:
            schemas[kind] = json.load(f)
    n = failed = 0
    for name, check in checks(schemas, jsonschema):
        n += 1
        try:
            check()
            print("ok %d - %s" % (n, name.replace("#", "")))
        except Exception as why:  # whatever is wrong with one file, the others are judged too
            failed += 1
            print("not ok %d - %s" % (n, name.replace("#", "")))
            print("\n".join("# " + line for line in str(why).splitlines()[:12]))
    print("1..%d" % n)
    return failed > 0


sys.exit(main())
