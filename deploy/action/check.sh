#!/usr/bin/env bash
# Judge the change: annotations on stdout, the same findings as SARIF into a file.
set -euo pipefail

root="$(cd "$GITHUB_ACTION_PATH/../.." && pwd)"
# -P: the working directory holds the pull request, whose files are never imported.
referee=("$RUNNER_TEMP/referee-venv/bin/python" -P -m bot)
change=(--repo "$GITHUB_WORKSPACE" --base "$REFEREE_BASE" --head "$REFEREE_HEAD")
if [ "$REFEREE_PR" = "$REFEREE_EVENT" ] && [ -n "$REFEREE_PR" ]; then
  # The event knows the title, the description and the labels too.
  change+=(--pull-request "$GITHUB_EVENT_PATH")
elif [ -n "$REFEREE_PR" ]; then
  change+=(--pr "$REFEREE_PR")
fi
if [ -n "$REFEREE_POLICY" ]; then change+=(--policy "$REFEREE_POLICY"); fi
export PYTHONPATH="$root"

if [ -n "$REFEREE_SARIF" ]; then
  status=0
  "${referee[@]}" check "${change[@]}" --format sarif >"$RUNNER_TEMP/referee.sarif" || status=$?
  if [ "$status" -le 1 ]; then
    # A pull request may hold a link of that name, also to a folder, which must not lead elsewhere.
    # It may hold a folder, too: that keeps nobody from seeing the findings.
    if cp --no-target-directory --remove-destination "$RUNNER_TEMP/referee.sarif" "$REFEREE_SARIF"; then
      echo "sarif-file=$REFEREE_SARIF" >>"$GITHUB_OUTPUT"
    else
      echo "::warning title=Referee::The SARIF could not be written to ${REFEREE_SARIF//%/%25}; see the line above. The annotations are complete."
    fi
  fi
fi

status=0
"${referee[@]}" check "${change[@]}" --format github 2>"$RUNNER_TEMP/referee.stderr" || status=$?
if [ -s "$RUNNER_TEMP/referee.stderr" ]; then
  while IFS= read -r line; do echo "::error title=Referee::${line//%/%25}"; done <"$RUNNER_TEMP/referee.stderr"
fi
exit "$status"
