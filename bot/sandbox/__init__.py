"""A local stand-in for the part of GitHub that the bot uses.

async with Sandbox(directory, webhook_url="http://127.0.0.1:8080/webhook") as sandbox:
    await sandbox.add_repository("example/bench", Path("clone"))
    number = await sandbox.open_pull_request("example/bench", "feature", "main", "Tune it")
"""

from bot.sandbox.sandbox import Sandbox

__all__ = ["Sandbox"]
