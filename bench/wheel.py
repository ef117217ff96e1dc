# Answers the statement argv[1] with argv[2] threads once for each line of standard input, as bench measures its engines.
import json
import resource
import sys
import time

import duckdb

db = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
db.execute(f"SET threads = {int(sys.argv[2])}")
db.execute("SET enable_progress_bar = false")  # it would be on standard output


def processor():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak():
    """Returns the largest resident set in MB. The system's ru_maxrss counts that of the process before exec, too."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 / 1e6 for line in status if line.startswith("VmHWM:"))


for _ in sys.stdin:
    report = {"version": duckdb.__version__}
    begin, used = time.monotonic(), processor()
    try:
        if not db.execute(sys.argv[1]).fetchall():
            report["error"] = "no rows"
    except duckdb.Error as error:
        report["error"] = str(error)
    report["seconds"], report["cpu_s"] = time.monotonic() - begin, processor() - used
    report["rss_mb"] = peak()
    print(json.dumps(report), flush=True)
