"""Spares short commands what libraries import for things that these commands never do.

click knows UUIDs, the binding of libgit2 writes tar archives and looks up the certificates of this
machine as it is imported
(https://github.com/libgit2/pygit2/blob/master/pygit2/settings.py), and so on. The modules for that
take a tenth of a check of the changelog.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any


def _no_certificates() -> SimpleNamespace:
    # A folder without a certificate: libgit2 refuses to be given neither file nor folder.
    return SimpleNamespace(cafile=None, capath="/")


# What is asked of them while others are imported.
UNUSED: Mapping[str, Mapping[str, Any]] = {
    "queue": {"Queue": object},
    "random": {"choice": None},
    "ssl": {"DefaultVerifyPaths": object, "get_default_verify_paths": _no_certificates},
    "tarfile": {"TarFile": object},
    "uuid": {"UUID": object},
}


@contextmanager
def spared() -> Iterator[None]:
    """Import libraries without the `UNUSED` modules; who imports these afterwards gets them.

    What was imported meanwhile can use no UUIDs and archives, and cannot talk to a server by TLS.
    """
    stand_ins = {name: ModuleType(name) for name in UNUSED if name not in sys.modules}
    for name, module in stand_ins.items():
        vars(module).update(UNUSED[name])
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name in stand_ins:
            del sys.modules[name]
