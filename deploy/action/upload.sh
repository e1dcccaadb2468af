#!/usr/bin/env bash
# Upload the SARIF to code scanning.
# https://docs.github.com/en/rest/code-scanning/code-scanning#upload-an-analysis-as-sarif-data
set -euo pipefail

# In a container the workspace belongs to another user: https://git-scm.com/docs/git-config#Documentation/git-config.txt-safedirectory
REFEREE_SHA="$(git -c safe.directory='*' -C "$GITHUB_WORKSPACE" rev-parse --verify "$REFEREE_SHA^{commit}")"
export REFEREE_SHA
python3 -I >"$RUNNER_TEMP/referee-upload.json" <<'PYTHON'
import base64, gzip, json, os, pathlib, sys

sarif = gzip.compress(pathlib.Path(os.environ["REFEREE_SARIF"]).read_bytes())
body = {
    "commit_sha": os.environ["REFEREE_SHA"],
    "ref": os.environ["REFEREE_REF"],
    "tool_name": "Referee",
    "sarif": base64.b64encode(sarif).decode(),
}
json.dump(body, sys.stdout)
PYTHON

# The token of a pull request from a fork may only read; the annotations are there all the same.
if ! gh api --method POST "repos/$GITHUB_REPOSITORY/code-scanning/sarifs" \
  --input "$RUNNER_TEMP/referee-upload.json" --silent; then
  echo "::warning title=Referee::The findings were not uploaded to code scanning; that needs the permission \`security-events: write\` and code scanning. The annotations are complete."
fi
