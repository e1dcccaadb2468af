"""Why something in a comment that looks like a command is none."""

from enum import StrEnum


class Reason(StrEnum):
    """Why a mention of a command does not run. The values are part of the JSON output."""

    FENCED_CODE = "fenced-code"
    INDENTED_CODE = "indented-code"
    INLINE_CODE = "inline-code"
    QUOTE = "quote"
    HTML = "html"
    HTML_COMMENT = "html-comment"
    LINK = "link"
    LINK_DEFINITION = "link-definition"
    TABLE = "table"
    STRUCK_OUT = "struck-out"
    NESTED_TOO_DEEP = "nested-too-deep"
    NOT_AT_LINE_START = "not-at-line-start"
    INVISIBLE_CHARACTER = "invisible-character"
    UNKNOWN_NAME = "unknown-name"
    NOT_NEW = "not-new"
    ARGUMENTS_TOO_LONG = "arguments-too-long"
    TOO_MANY = "too-many"


class Refusal(StrEnum):
    """Why no command of a comment runs. The values are part of the JSON output."""

    TOO_LONG = "too-long"
    TOO_COMPLEX = "too-complex"
