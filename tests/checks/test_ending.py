"""What stands at the top of the comment once a pull request is closed."""

from checks.ending import Ending, with_ending
from checks.markers import STICKY
from checks.render import Voice

HEAD, MERGED = "a" * 40, "b" * 40
BODY = f"{STICKY}\n### Referee: nothing to fix\n\n0 open"


def test_a_merge_is_said_with_the_verdicts_once() -> None:
    verdicts = (("referee/review", "success"), ("signoff", "neutral"))
    ending = Ending(HEAD, MERGED, "nina", verdicts)
    found = with_ending(BODY, ending, Voice())
    assert found == (
        f"{STICKY}\n<!-- referee:ended -->\n"
        "**🟣 Merged as `bbbbbbb` by `nina`** · `referee/review` `success` · `signoff` `neutral`"
        " · Below is what was so then.\n\n"
        "### Referee: nothing to fix\n\n0 open"
    )
    assert with_ending(found, ending, Voice()) == found
    other = with_ending(found, Ending(HEAD), Voice(("en", "zh")))
    assert other.split("\n")[2].startswith("**⚪ Closed at `aaaaaaa`, not merged / ⚪ ")
    assert other.count("referee:ended") == 1
    assert other.endswith("\n\n### Referee: nothing to fix\n\n0 open")


def test_an_account_that_is_gone_merged_it_all_the_same() -> None:
    assert "**🟣 Merged as `bbbbbbb`** · Below" in with_ending(BODY, Ending(HEAD, MERGED), Voice())
