# SPDX-License-Identifier: Apache-2.0
"""nvidia-smi -q -x of other people's GPUs: every value that is held is the source's, and what is no value is a reason.
The source is read apart, with Python's own XML. TAP; skipped where the files are not."""
import datetime
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = os.environ.get("TARE_SOURCE_ROOT") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
TARE = os.environ.get("TARE_BINARY") or os.path.join(ROOT, "build/src/tare")
FOLDER = os.path.join(os.environ.get("TARE_SHARED") or os.path.join(ROOT, "../shared"), "data/nvidia-smi-xml")
PATHS = {
    "gpu_util": ["utilization/gpu_util"], "mem_util": ["utilization/memory_util"],
    "encoder": ["utilization/encoder_util"], "decoder": ["utilization/decoder_util"],
    "mem_size": ["fb_memory_usage/total"], "mem_free": ["fb_memory_usage/free"], "power_instant": ["gpu_power_readings/instant_power_draw"], "fan": ["fan_speed"],
    "power": ["gpu_power_readings/average_power_draw", "gpu_power_readings/power_draw", "power_readings/power_draw",
              "gpu_power_readings/instant_power_draw"],
    "power_limit": ["gpu_power_readings/current_power_limit", "power_readings/enforced_power_limit", "power_readings/power_limit"],
    "sm_clock": ["clocks/sm_clock"], "sm_clock_max": ["max_clocks/sm_clock"],
    "mem_clock": ["clocks/mem_clock"], "mem_clock_max": ["max_clocks/mem_clock"],
    "temperature": ["temperature/gpu_temp"], "mem_temperature": ["temperature/memory_temp"],
}

SLICES = {"14": 1, "42": 3}  # of an A100, by its multiprocessors (NVIDIA's MIG user guide)


def number(text):
    found = re.fullmatch(r"\s*([0-9.]+)\s*(%|W|MiB|MHz|C)?\s*", text or "")
    return float(found.group(1)) if found else None


def first(gpu, paths):
    texts = [gpu.findtext(p) for p in paths]
    known = [number(t) for t in texts if number(t) is not None]
    return known[0] if known else None, any(t and t.strip() for t in texts)


def check_gpu(gpu, sample, when):
    stamp = datetime.datetime.strptime(when, "%a %b %d %H:%M:%S %Y").replace(tzinfo=datetime.timezone.utc)
    assert sample["device"] == gpu.findtext("uuid"), sample["device"]
    assert sample["t"] == stamp.timestamp() * 1000, "time %s" % sample["t"]
    for name, paths in PATHS.items():
        (want, said), got = first(gpu, paths), sample["r"].get(name)
        if want is not None:
            assert got == want, "%s: %s, the source says %s" % (name, got, want)
        else:
            assert not isinstance(got, (int, float)) and (isinstance(got, str) or not said), "%s: %r is no reason" % (name, got)
    idle = [e.text for e in gpu.iter() if e.tag.endswith("reason_gpu_idle")]
    if idle and idle[0] in ("Active", "Not Active"):
        assert sample["r"]["idle_reason"] == (idle[0] == "Active"), "idle reason"
    pids = ["pid " + e.text for e in gpu.findall("processes/process_info/pid")]
    if pids:
        assert sample["procs"] == pids, sample["procs"]
    used, reserved = number(gpu.findtext("fb_memory_usage/used")), number(gpu.findtext("fb_memory_usage/reserved")) or 0
    if used is not None:
        assert used <= sample["r"]["mem_used"] <= used + reserved + 1, "memory %s" % sample["r"]["mem_used"]


def check_parts(gpu, device, samples, when):
    """MIG devices: each value of an instance is its own, none its GPU's."""
    parts = gpu.findall("mig_devices/mig_device")
    assert device.get("mig") is not None and len(device["mig"]) == len(samples) == len(parts), "%d instances" % len(samples)
    for part, sample, instance in zip(parts, samples, device["mig"]):
        name = "%s/%s" % (device["id"], part.findtext("gpu_instance_id"))
        assert sample["device"] == instance["id"] == name, sample["device"]
        assert sample["t"] == when, "time %s" % sample["t"]
        assert instance["slices"] == SLICES[part.findtext("device_attributes/shared/multiprocessor_count")], instance
        for key, path in (("mem_size", "total"), ("mem_used", "used"), ("mem_reserve", "reserved"), ("mem_free", "free")):
            assert sample["r"].pop(key) == number(part.findtext("fb_memory_usage/" + path)), key
        assert sample["procs"] == [] and not sample["r"], sample


def at(document, second, change=None):
    """The document as if it had been read SECOND seconds later."""
    found = re.search("<timestamp>(.*)</timestamp>", document)
    when = datetime.datetime.strptime(found.group(1), "%a %b %d %H:%M:%S %Y") + datetime.timedelta(seconds=second)
    document = document.replace(found.group(1), when.strftime("%a %b %d %H:%M:%S %Y"))
    return change(document) if change else document


def without_second(document):
    parts = re.split(r"(?=<mig_device>)|(?<=</mig_device>)", document)
    return "".join(p for p in parts if "<gpu_instance_id>2</gpu_instance_id>\n                <compute" not in p)


def busy(document):
    """A program on instance 1, in the form that drivers print."""
    document = document.replace("<used>19 MiB</used>", "<used>9000 MiB</used>", 1)
    process = ("<processes><process_info><gpu_instance_id>1</gpu_instance_id><compute_instance_id>0</compute_instance_id>"
               "<pid>77</pid><type>C</type></process_info></processes>")
    return re.sub("<processes>\\s*</processes>", process, document)


def check_layouts():
    """3g and 3g for 30 s, of which the first has a program, then 3g alone: 1/7 and then 4/7 are stranded."""
    with open(os.path.join(FOLDER, "netdata", "a100-sxm4-mig.xml"), encoding="utf-8") as file:
        text = file.read()
    log = "".join(at(text, s, busy) for s in range(0, 31)) + "".join(at(text, s, lambda d: without_second(busy(d))) for s in range(31, 61))
    begin = datetime.datetime(2023, 1, 27, 11, 32, 31, tzinfo=datetime.timezone.utc).timestamp() * 1000
    device = "GPU-27b94a00-ed54-5c24-b1fd-1054085de32a"
    jobs = {"jobs": [{"id": "a", "start": begin, "end": begin + 60000, "outcome": "completed"}, {"id": "b", "start": begin, "end": begin + 30000, "outcome": "completed"}],
            "allocations": [{"job": "a", "instance": device + "/1"}, {"job": "b", "instance": device + "/2"}], "scheduler": [[begin, begin + 60000]],
            "capacity": [{"device": device, "from": begin, "to": begin + 60000}], "options": {"setup_max": 0}}
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("smi.xml", "jobs.json")]
        for path, body in zip(paths, (log, json.dumps(jobs))):
            with open(path, "w", encoding="utf-8") as file:
                file.write(body)
        done = subprocess.run([TARE, "report", "--format", "json", *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr
    accounts = {k: v["gpu_seconds"] for k, v in json.loads(done.stdout)["accounts"].items() if v["gpu_seconds"]}
    sevenths = {k: round(v * 7, 2) for k, v in accounts.items()}
    # nothing in nvidia-smi says how busy an instance is; that nobody is on the second one is known
    assert sevenths == {"unobserved": 180, "vacant": 90, "free.stranded": 150}, sevenths


def check(path):
    root = ElementTree.parse(path).getroot()
    done = subprocess.run([TARE, "export", "--format", "facts", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    facts = json.loads(done.stdout) if done.stdout else {}
    samples = facts.get("samples", [])
    when, gpus = root.findtext("timestamp"), root.findall("gpu")
    if when is None:
        assert not samples and b"no <timestamp>" in done.stderr, done.stderr
        return
    assert done.returncode == 0 and not done.stderr, done.stderr
    names = [gpu.findtext("uuid") for gpu in gpus]
    parts = [s for s in samples if s["device"] not in names]
    samples = [s for s in samples if s["device"] in names]
    assert len(samples) == len(gpus), "%d samples of %d GPUs" % (len(samples), len(gpus))
    for gpu, sample in zip(gpus, samples):
        check_gpu(gpu, sample, when)
    divided = [(gpu, d) for gpu, d in zip(gpus, facts["devices"]) if gpu.findtext("mig_mode/current_mig") == "Enabled"]
    for gpu, device in divided:
        check_parts(gpu, device, [p for p in parts if p["device"].startswith(device["id"] + "/")], samples[0]["t"])
    assert divided or not (parts or any("mig" in d for d in facts["devices"])), parts


def main():
    paths = sorted(glob.glob(os.path.join(FOLDER, "*", "*.xml")))
    if not paths:
        print("1..0 # SKIP the shared data are not here")
        return 0
    failed = 0
    for i, path in enumerate([*paths, check_layouts], 1):
        name = "layouts of MIG" if path is check_layouts else os.path.relpath(path, FOLDER)
        try:
            path() if path is check_layouts else check(path)
            print("ok %d - %s" % (i, name))
        except AssertionError as e:
            failed += 1
            print("not ok %d - %s\n# %s" % (i, name, e))
    print("1..%d" % (len(paths) + 1))
    return failed > 0


sys.exit(main())
