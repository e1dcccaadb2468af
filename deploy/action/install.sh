#!/usr/bin/env bash
# Install what Referee needs from its lock file, away from the checked-out repository.
set -euo pipefail

venv="$RUNNER_TEMP/referee-venv"
root="$(cd "$GITHUB_ACTION_PATH/../.." && pwd)"

# -I: nothing is imported from the working directory, which holds the pull request.
if ! python3 -I -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "::error title=Referee::Python 3.11 or newer is needed; run actions/setup-python before this step."
  exit 2
fi
python3 -I -m venv "$venv"
"$venv/bin/python" -I -m pip install --quiet --disable-pip-version-check --require-hashes \
  --only-binary :all: --requirement "$root/requirements.lock"
