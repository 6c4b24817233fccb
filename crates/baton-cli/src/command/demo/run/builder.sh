#!/bin/sh
# Stands for a coding agent: reads its prompt, writes files, hands over. The first time it lies.
prompt=$(cat)
case "$prompt" in
*"did not pass"*) printf '#!/bin/sh\necho "high 00:04"\necho "low 06:12"\n' > tides.sh ;;
*) printf '#!/bin/sh\necho "high 00:04"\necho "tide 06:12"\n' > tides.sh ;;
esac
cat <<'HANDOFF'
All tests pass.

```yaml
outcome: completed
summary: The low tide is said
```
HANDOFF
