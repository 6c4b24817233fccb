#!/bin/sh
# Stands for a coding agent: reads its prompt, writes files, hands over. First it errs, then it cheats, then it works.
prompt=$(cat)
changed=tides.sh
if grep -q "^exit 0" check.sh; then
    git checkout --quiet -- check.sh
    printf '#!/bin/sh\necho "high 00:04"\necho "low 06:12"\n' > tides.sh
else
    case "$prompt" in
    *"Validation Failed"*)
        changed=check.sh
        printf '#!/bin/sh\nexit 0\n' > check.sh
        ;;
    *) printf '#!/bin/sh\necho "high 00:04"\necho "tide 06:12"\n' > tides.sh ;;
    esac
fi
cat <<HANDOFF
All tests pass.

\`\`\`yaml
outcome: completed
summary: The low tide is said
files_modified:
  - path: $changed
    change_type: modify
    description: says the low tide
\`\`\`
HANDOFF
