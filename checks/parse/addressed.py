"""Whether hidden words talk to whoever reviews: a person, a bot or a language model.

Templates and tools leave comments that name reviewers and bots too; only an order counts.
"""

import re

LONGEST = 100_000
LONGEST_QUOTE = 120
_WHO = (
    r"(?:(?:ai|llm|code|automated|human)[ -]?){0,2}"
    r"(?:reviewers?|maintainers?|code ?owners?|review bots?|agents|assistants?|bots?"
    r"|(?:ai|llm)s?(?: (?:agents?|assistants?|models?))?|language models?|claude|copilot|chatgpt"
    r"|gpt|codex|gemini|cursor|coderabbit|klaud(?:[ -]cold)?|referee)"
)
_ORDER = (
    r"(?:please|you|your|do not|don't|never|always|must|should|approve|accept|ignore|skip"
    r"|disregard|pass|merge|report|say|answer|respond|reply|treat|trust|consider|assume|rate"
    r"|resolve|dismiss|lgtm|mark)"
)
_GRANT = (
    r"(?:approve|accept|ignore|skip|pass|merge|trust|dismiss|not (?:flag|report|comment|review))"
)
_ALL = "(?:previous|prior|above|earlier|preceding|all|any|every|other|your)"
_TOLD = "(?:instructions?|rules|prompts?|guidelines|findings|checks|warnings)"
_START = r"(?:^|[.!?:;,]\s|\n|\b(?:to|for|dear|hey|hi|hello|attention)\s)(?:all |any |the )?"
_SELF = r"(?:ai|llm|bot|assistant|language model|(?:ai |code )?reviewer|agent|claude|gpt|copilot)"
_CHINESE = "(?:审阅者|审核者|评审|评审员|审查者|机器人|AI|助手|大模型|模型)"
_ADDRESSES = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf"\b(?:ignore|disregard|forget|override)\b.{{0,30}}\b{_ALL}\b.{{0,30}}\b{_TOLD}\b",
        rf"{_START}@?{_WHO}\s*[:,—–-].{{0,60}}?\b{_ORDER}\b",
        rf"\b{_WHO}\s(?:should|must|can|may|needs? to|ha(?:s|ve) to)\s(?:just |simply )?{_GRANT}\b",
        rf"\byou are (?:an? |the |now )?{_SELF}\b",
        r"\bas an? (?:ai|llm|language model|assistant|automated reviewer)\b",
        r"\bsystem prompt\b",
        r"@(?:claude|copilot|codex|gemini|cursor|coderabbitai|pr-claude|klaud[\w-]*|referee)\b",
        r"\bapprove (?:this|the) (?:pr|pull request|change|diff|submission)\b",
        "忽略.{0,12}(?:指令|规则|提示|说明|检查)",
        rf"{_CHINESE}\s*[:：,，].{{0,20}}?(?:请|不要|务必|批准|通过|忽略|跳过|合并)",
        "(?:请|直接)(?:批准|通过|合并)(?:此|该|这个|本)",
    )
)


def address(hidden: str) -> str | None:
    """Return the beginning of what talks to a reviewer or a bot, or None."""
    words = "\n".join(" ".join(line.split()) for line in hidden[:LONGEST].split("\n"))
    found = (pattern.search(words) for pattern in _ADDRESSES)
    start = next((match.start() for match in found if match), None)
    return None if start is None else words[start:][:LONGEST_QUOTE].strip(" .,!?:;\n")
