#!/bin/sh
# Stands for an independent verifier: runs what it judges, in a copy that it cannot change.
receipt=$(grep -o 'receipt-[0-9]*-[0-9]*' | head -1)
verdict=fail
./tides.sh | grep -q "^low " && verdict=pass
cat <<REPORT
\`\`\`json
{"artifact_type": "verification-report", "waypoint_id": "F010", "unresolved_doubts": [],
 "criterion_verdicts": [{"criterion": "says-low-tide", "verdict": "$verdict", "evidence": ["$receipt"]}]}
\`\`\`
REPORT
