"""Spares short commands what libraries import for things that these commands never do.

click knows UUIDs, the binding of libgit2 writes tar archives and looks up the certificates of this
machine as it is imported
(https://github.com/libgit2/pygit2/blob/master/pygit2/settings.py), and so on. The modules for that
take a tenth of a check of the changelog.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any


def _no_certificates() -> SimpleNamespace:
    # A folder without a certificate: libgit2 refuses to be given neither file nor folder.
    return SimpleNamespace(cafile=None, capath="/")


def _quoted(path: bytes) -> str:
    return str(import_module("urllib.parse").quote_from_bytes(path))


# The modules, with what is taken from them while others are imported.
UNUSED: Mapping[str, Mapping[str, Any]] = {
    "base64": {},
    "ipaddress": {},
    "queue": {"Queue": object},
    "random": {"choice": None},
    "ssl": {"DefaultVerifyPaths": object, "get_default_verify_paths": _no_certificates},
    "tarfile": {"TarFile": object},
    "tokenize": {},
    "urllib.parse": {"quote_from_bytes": _quoted},
    "uuid": {"UUID": object},
}


@contextmanager
def spared() -> Iterator[None]:
    """Import libraries without the `UNUSED` modules; who imports these afterwards gets them.

    So does who asks them for anything but what was taken: what was imported meanwhile can use no
    UUIDs and archives, and cannot talk to a server by TLS.
    """
    stand_ins = {name: _stand_in(name) for name in UNUSED if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name, module in stand_ins.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


def _stand_in(name: str) -> ModuleType:
    """Return a module that imports the real one when it is asked for more than what is taken."""

    def more(wanted: str) -> Any:  # https://peps.python.org/pep-0562/
        if wanted.startswith("__"):
            raise AttributeError(wanted)  # asked by who imports it
        if sys.modules.get(name) is module:
            del sys.modules[name]
        return getattr(import_module(name), wanted)

    module = ModuleType(name)
    vars(module).update(UNUSED[name], __getattr__=more)
    return module
