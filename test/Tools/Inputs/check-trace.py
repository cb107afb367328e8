"""Checks a trace as viewers read it: an object with "traceEvents", complete
events (ph X), instants (i) and names (M) with the fields that "Trace Event
Format" (Google, 2016) requires of them.
In nanoseconds, to which Perfetto rounds, each event of a thread is within
another one, or apart from it; those that overlap in part are dropped there.

usage: check-trace.py TRACE.json
"""

import json
import sys

NUMBER = (int, float)
COMMON = {"name": str, "ph": str, "pid": int, "tid": int, "args": dict}
FIELDS = {"X": COMMON | {"ts": NUMBER, "dur": NUMBER},
          "i": COMMON | {"ts": NUMBER, "s": str}, "M": COMMON}


def nanoseconds(event):
    start = round(event["ts"] * 1000)
    return start, start + round(event["dur"] * 1000)


def check_nesting(events):
    open_ends = []
    for start, end in sorted(map(nanoseconds, events),
                             key=lambda span: (span[0], -span[1])):
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1], (start, end)
        open_ends.append(end)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        trace = json.load(file)
    events = trace["traceEvents"]
    assert trace["displayTimeUnit"] in ("ms", "ns")
    for event in events:
        for field, kind in FIELDS[event["ph"]].items():
            assert isinstance(event[field], kind), (field, event)
        assert event.get("ts", 0) >= 0 and event.get("dur", 0) >= 0
    slices = [event for event in events if event["ph"] == "X"]
    for thread in {(event["pid"], event["tid"]) for event in slices}:
        check_nesting([event for event in slices
                       if (event["pid"], event["tid"]) == thread])
    print(f"{len(events)} events of a trace")


if __name__ == "__main__":
    main()
