"""The names of the site's curves, the same for rows of the matrix and for results."""

from checks.parse.hardware import sku
from checks.results.model import Series


def curve_name(series: Series) -> str:
    """Return a curve in words: ``dsr1 fp8 b200 sglang 8192/1024 mtp``.

    Args:
        series: as `checks.results.fields.series_of` makes it of a row or a result. A runner is
            named by its hardware, as a result does not always say which pool it ran in.

    """
    prefix, precision, framework, runner, disagg, agentic, lengths, offload, spec, *workers = series
    parts = [
        str(prefix or "?"),
        str(precision or "").lower(),
        sku(str(runner or "")),
        str(framework or "").lower(),
        "agentic" if agentic else "/".join(map(str, lengths)) if isinstance(lengths, tuple) else "",
        "" if spec in (None, "none") else str(spec),
        "disagg" if disagg else "",
        "offload" if offload else "",
        *(str(each) for each in workers if each is not None),
    ]
    return " ".join(part for part in parts if part)
