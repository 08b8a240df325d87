#!/usr/bin/env python3
"""Which files may include which headers of the system: what belongs to one platform is within functions of src/base and host/,
so that a second platform has few files to write. A name that ends in "/" means all files below it."""
import os
import re
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FOLDERS = ["include", "src", "elt", "host", "profiler", "tools"]
# The checks of elt/contract.c wrap what may wait, so they name all of it.
ALLOWED = {
    # Names of a folder are folder.c's; the others look into folders by descriptor, safe from renames and in signal handlers.
    "dirent.h": ["host/folder.c", "host/local_socket.c", "host/temporary_system.c"],
    "dlfcn.h": ["src/base/library.c"],
    # Files that are not replaced as a whole (file_io): shared, appended to, locked, in a child.
    "fcntl.h": [
        "host/control.c", "host/file_io.c", "host/file_lock.c", "host/file_map.c", "host/folder_lock.c", "host/journal.c", "host/line_output.c", "host/line_ring.c",
        "host/local_socket.c", "host/own_file.c",
        "host/process.c", "host/process_files.c", "host/shared_counters.c", "host/temporary_system.c", "profiler/hooks/clock.c", "profiler/hooks/spool_file.c",
        "profiler/output.c", "profiler/partial_report.c", "profiler/process_report.c", "profiler/status.c", "tools/ilpatch.c",
        "tools/launch/attach.c", "tools/launch/child.c", "tools/launch/left_lines.c", "tools/launch/recorded.c", "tools/pager.c",
    ],
    "link.h": ["src/base/library.c"],
    "linux/openat2.h": ["host/process_files.c"],
    "pwd.h": ["host/other_process.c"],
    "poll.h": [
        "elt/contract.c", "host/folder_lock.c", "host/local_socket.c", "profiler/attached.c", "profiler/output.c",
        "tools/launch/attach.c",
    ],
    # Locks and threads: of the profiler, and of the library, which has one file for them.
    "pthread.h": [
        "elt/contract.c", "profiler/clr/loaded.c", "profiler/hooks/switch.c", "profiler/hooks/threads.c",
        "profiler/line_buffer.c",
        "profiler/own_thread.h",
        "profiler/profiler.h",
        "profiler/unmanaged.c",
        "profiler/thread_list.h",
        "src/base/thread.h",
    ],
    "sched.h": ["host/held_signals.c"],
    "semaphore.h": ["elt/contract.c", "profiler/hooks/switch.c", "profiler/line_buffer.c"],
    # What a signal ends, and threads that leave signals to the program.
    "signal.h": [
        "host/held_signals.h", "profiler/cut_off.c", "profiler/file_limit.h", "profiler/hooks/switch.c",
        "src/base/thread.c", "tools/cmd/cmd_inspect.c", "tools/ilpatch.c", "tools/launch/attach.c", "tools/launch/child.c", "tools/pager.c", "tools/tool.c",
    ],
    "spawn.h": ["tools/launch/child.c", "tools/pager.c"],
    "stdio_ext.h": ["tools/export/convert.c"],
    "sys/auxv.h": ["profiler/clr/class_factory.c"],
    "sys/file.h": ["host/folder_lock.c", "host/temporary_system.c"],
    "sys/ioctl.h": ["tools/diff/diff_out.c"],
    "sys/mman.h": ["src/base/pages.c", "host/file_map.c"],
    "sys/random.h": ["host/temporary_system.c"],
    "sys/resource.h": ["elt/contract.c", "profiler/file_limit.c"],
    "sys/socket.h": ["host/local_socket.c"],
    # Kinds, owners and sizes of files.
    "sys/stat.h": [
        "host/bundle_file.c", "host/file_copy.c", "host/file_io.c", "host/file_tree.c", "host/file_view.c", "host/folder_lock.c", "host/journal.c", "host/line_output.c", "host/line_ring.c",
        "host/local_socket.c",
        "host/own_file.c", "host/path.c", "host/process.c", "host/process_files.c", "host/process_read.c", "host/request_rules.c", "host/resolve/image_cache.c",
        "host/shared_counters.c", "host/temporary.c", "host/temporary_system.c", "profiler/hooks/spool_file.c", "profiler/line_buffer.c",
        "profiler/output.c",
        "tools/cmd/cmd_run.c", "tools/launch/attach.c", "tools/launch/left_lines.c",
        "tools/launch/preflight.c",
        "tools/launch/recorded.c", "tools/patch/left_alone.c", "tools/patch/patch_files.c", "tools/patch/patch_job.c", "tools/patch/report_place.c",
    ],
    "sys/statvfs.h": ["host/process_files.c"],
    "sys/syscall.h": ["host/process.c", "host/process_files.c"],
    "sys/time.h": [],
    "sys/types.h": ["elt/contract.c", "host/"],
    "sys/uio.h": ["profiler/hooks/spool_file.c", "profiler/precode.c"],
    "sys/un.h": ["host/local_socket.c"],
    "sys/utsname.h": ["host/resolve/dotnet_places.c"],
    "sys/xattr.h": ["tools/launch/preflight.c"],
    "sys/wait.h": ["elt/contract.c", "tools/launch/child.c", "tools/pager.c"],
    # The clock of the profiler is hooks/clock.h.
    "time.h": [
        "elt/contract.c", "host/deadline.c", "host/process.c", "profiler/file_limit.c", "profiler/hooks/clock.h",
    ],
    # Descriptors: close, read, write; and what is a terminal.
    "unistd.h": [
        "elt/contract.c", "host/color.c", "host/control.c", "host/file_copy.c", "host/file_io.c", "host/file_lock.c", "host/file_map.c", "host/folder_lock.c", "host/journal.c", "host/line_output.c",
        "host/line_ring.c",
        "host/local_socket.c", "host/own_file.c", "host/path.c", "host/process.c", "host/process_files.c", "host/process_read.c", "host/shared_counters.c",
        "host/standard_streams.c", "host/temporary.c", "host/temporary_system.c", "host/transaction.c", "profiler/attached.c", "profiler/hooks/clock.c",
        "profiler/hooks/spool_file.c", "profiler/line_buffer.c", "profiler/output.c", "profiler/partial_report.c",
        "profiler/precode.c", "profiler/process_report.c", "profiler/status.c", "tools/build_messages.c", "tools/cmd/cmd_attach.c",
        "tools/cmd/cmd_bundle.c", "tools/cmd/cmd_inspect.c", "tools/cmd/cmd_run.c", "tools/cmd/command_line.c", "tools/diff/diff_out.c", "tools/doctor/process_assemblies.c",
        "tools/export/convert.c", "tools/export/values_text.c", "tools/launch/attach.c", "tools/launch/child.c", "tools/launch/diagnostics.c", "tools/launch/diagnostics_find.c",
        "tools/launch/dotnet_process.c", "tools/launch/launch.c", "tools/launch/left_lines.c", "tools/launch/obstacle.c",
        "tools/launch/preflight.c", "tools/launch/recorded.c", "tools/launch/find_program.c", "tools/launch/seen_files.c", "tools/pager.c", "tools/patch/patch_job.c",
        "tools/patch/report_place.c",
    ],
    "unwind.h": ["profiler/hooks/seed.c"],
}
# Standard C and what every libc has beside it.
ANYWHERE = set("""assert ctype errno getopt inttypes limits locale math setjmp stdalign stdarg stdatomic stdbool stddef stdint stdio
stdlib string strings threads uchar wchar""".split())
# Libraries, each with one user (but for what comes with it).
LIBRARIES = ("cpuid.h", "jansson.h", "libdeflate.h", "libxml/", "openssl/", "pcre2.h", "zlib.h", "xxhash.h", "ilpatch")
# What only few may name.
WORDS = {
    "uid_t": ["host/"],
    "pid_t": ["elt/contract.def", "host/", "tools/launch/child.c", "tools/pager.c"],
    "fork": [],
    "/proc/": ["host/"],
    # What differs on Windows is ports/windows's, but for the stubs, which are chosen by elt/stubs.h.
    "_WIN32": ["elt/"],
    "_WIN64": [],
    "__MINGW32__": ["src/base/error.h"], # which of two forms of printf
    "__CYGWIN__": [],
}


def is_among(path, places):
    return any(path == place or (place.endswith("/") and path.startswith(place)) for place in places)


def code_of(text):
    """Without comments."""
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def check(path):
    code = code_of(open(path).read())
    for header in re.findall(r"^\s*#\s*include\s+<([^>]+)>", code, re.M):
        if header in ALLOWED:
            if not is_among(path, ALLOWED[header]):
                yield f"{path} includes <{header}>: only {', '.join(ALLOWED[header]) or 'none'} may"
        elif header.removesuffix(".h") not in ANYWHERE and not header.startswith(LIBRARIES):
            yield f"{path} includes <{header}>, which tests/headers.py does not know"
    for word, places in WORDS.items():
        pattern = r"\bfork\s*\(" if word == "fork" else re.escape(word) if "/" in word else rf"\b{word}\b"
        if re.search(pattern, code) and not is_among(path, places):
            yield f"{path} names {word}: only {', '.join(places)} may"


def main():
    bad = []
    for folder in FOLDERS:
        for where, _, names in os.walk(folder):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".def", ".S")):
                    bad += check(os.path.join(where, name))
    print("\n".join(sorted(bad)), end="\n" if bad else "")
    sys.exit(1 if bad else 0)


main()
