#!/bin/sh
# All tests on a fresh machine: installs what they need, builds, runs them. What needs a .NET SDK or Mono's tools
# says that it was skipped where these cannot be had. The last line has the totals.
set -eu
cd "$(dirname "$0")"
./setup.sh test
make -j2 all
exec make -s check
