"""Runs the reference repository's generator: for every key and mode, and for all keys at once.

Reads nothing but its arguments: runners file, master configs. Prints one JSON object
``{"rows": {config key: {mode: rows}}}``, or ``{"refused": reason}`` when the masters are refused.
"""

import contextlib
import io
import json
import sys
from typing import Any

MODES = {
    "default": [],
    "none": ["--no-evals"],
    "only": ["--evals-only"],
    "all": ["--evals-only", "--all-evals"],
}


def main() -> None:
    """Run the generator's own command line once for each config key and mode."""
    import generate_sweep_configs as generator

    runners, *masters = sys.argv[1:]
    try:
        configs = generator.load_config_files(masters)
        labels = generator.load_runner_file(runners)
    except ValueError as error:
        print(json.dumps({"refused": str(error)}))
        return
    generator.load_config_files = lambda *_: configs
    generator.load_runner_file = lambda *_: labels
    place = ["--config-files", *masters, "--runner-config", runners]
    found: dict[str, dict[str, Any]] = {}
    for key in [*configs, "*"]:
        for mode, flags in MODES.items():
            argv = ["test-config", "--config-keys", key, *place, *flags]
            found.setdefault(key, {})[mode] = once(generator, argv)
    print(json.dumps({"rows": found}))


def once(generator: Any, argv: list[str]) -> Any:
    """Return what the generator prints; an error or an unknown flag as a string."""
    out = io.StringIO()
    sys.argv = ["generate", *argv]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            generator.main()
    except SystemExit:
        return "the generator does not know this mode"
    except (ValueError, KeyError) as error:
        return f"error: {error}"
    return json.loads(out.getvalue())


if __name__ == "__main__":
    main()
