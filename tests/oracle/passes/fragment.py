# SPDX-License-Identifier: Apache-2.0
"""FGD fragmentation of free GPUs under the window's mix of tasks (decisions L)."""

from types import SimpleNamespace

from . import GRID, free
from .room import wanted

CLASSES = ("q1", "q2", "q3", "q4", "na")


def classify(left, has_room, accepts, each, share):
    """L.3: of a node with LEFT units on each device, how much is in each class for one task."""
    idle = sum(left)
    if not accepts:
        return {"na": idle}
    has_gpus = sum(1 for v in left if v >= share) >= each
    if has_gpus and has_room:
        small = sum(v for v in left if v < share)
        return {"q2": small, "q3": idle - small}
    return {"q4" if has_gpus else "q2" if has_room else "q1": idle}


def whole_and_rest(units):
    return [GRID] * (units // GRID) + ([units % GRID] if units % GRID else [])


class Fragment:
    def __init__(self, facts, window):
        self.facts = facts
        self.tasks, self.idle = [], 0
        self.sums = dict.fromkeys(CLASSES, 0)
        for job in facts.jobs.values() if facts.capacity else ():
            since = next((t for t in (job.submit, job.eligible, job.start) if t is not None), None)
            gpus, share = int(free.gpus_wanted(job)), free.share_units(job)
            if since is None or not window[0] <= since < window[1] or not gpus * share:
                continue
            each = int(job.per_node or 1)
            self.tasks.append(SimpleNamespace(count=-(-gpus // each), each=each, share=share, wants=wanted(job, gpus, each),
                                              models=job.models, pools=job.pools))

    def add(self, groups, spread, a, b):
        """GROUPS: [(group, [(slot, free units)])] with a node."""
        for group, parts in groups:
            devices = [units for slot, units in parts if slot.kind == "device"]
            left = whole_and_rest(sum(devices)) if group.node in spread else devices
            left = left + [units for slot, units in parts if slot.kind != "device"]
            self.idle += sum(left) * (b - a)
            for task in self.tasks:
                accepts = free.accepts(task.models, task.pools, group)
                times = self.facts.room.times(group.node, task.wants, a)
                for name, units in classify(left, times is None or times >= 1, accepts, task.each, task.share).items():
                    self.sums[name] += task.count * units * (b - a)

    def document(self):
        return [sum(t.count for t in self.tasks), self.idle, *self.sums.values()]
