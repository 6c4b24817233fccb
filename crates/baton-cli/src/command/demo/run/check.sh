#!/bin/sh
./tides.sh | grep -q "^low " || { echo "no low tide is said"; exit 1; }
echo "1 test passed"
