"""What people say on github.com, as methods; each waits for the deliveries that it causes."""

from bot.sandbox import conversation, suggestion
from bot.sandbox.lookup import Lookup, Pull
from bot.sandbox.state import IssueComment, Review, ReviewComment, ReviewThread


class Talk(Lookup):
    """Comments, review threads, labels."""

    async def comment(self, pull: Pull, body: str, author: str = "maintainer") -> IssueComment:
        """Say something in the conversation."""
        who = self.state.account(author)
        made = conversation.add_comment(self.site, self.pull_request(pull), who, body)
        await self.settled()
        return made

    async def edit_comment(
        self, comment: IssueComment, body: str, editor: str = "maintainer"
    ) -> None:
        """Change a comment of the conversation, whoever wrote it."""
        conversation.edit_comment(self.site, comment, self.state.account(editor), body)
        await self.settled()

    async def reply(
        self, thread: ReviewThread, body: str, author: str = "maintainer"
    ) -> ReviewComment:
        """Answer in a review thread."""
        made = conversation.reply(self.site, thread, self.state.account(author), body)
        await self.settled()
        return made

    async def review(
        self, pull: Pull, body: str, author: str = "maintainer", verdict: str = "COMMENTED"
    ) -> Review:
        """Submit a review that has a summary only."""
        it, who = self.pull_request(pull), self.state.account(author)
        made = conversation.add_review(
            self.site, it, who, it.head_sha, [], body=body, verdict=verdict
        )
        await self.settled()
        return made

    async def comment_at(
        self, pull: Pull, path: str, line: int, body: str, author: str = "maintainer"
    ) -> ReviewComment:
        """Comment on a line of a changed file.

        Raises LookupError when the diff does not show it.
        """
        it = self.pull_request(pull)
        changed = await it.repository.git.diff(it.merge_base, it.head_sha)
        hunks = (file.hunk("RIGHT", line) for file in changed if file.new_path == path)
        hunk = next((found for found in hunks if found), None)
        if hunk is None:
            raise LookupError(f"The diff does not show {path}:{line}.")
        excerpt = hunk.excerpt("RIGHT", line)
        draft = conversation.Draft(path, body, "RIGHT", line, None, None, excerpt)
        who = self.state.account(author)
        conversation.add_review(self.site, it, who, it.head_sha, [draft])
        await self.settled()
        return it.threads[-1].comments[0]

    async def edit_review(self, review: Review, body: str, editor: str = "maintainer") -> None:
        """Change the summary of a review."""
        conversation.edit_review(self.site, review, self.state.account(editor), body)
        await self.settled()

    async def edit_reply(
        self, comment: ReviewComment, body: str, editor: str = "maintainer"
    ) -> None:
        """Change an inline comment."""
        conversation.edit_review_comment(self.site, comment, self.state.account(editor), body)
        await self.settled()

    async def resolve(self, thread: ReviewThread, user: str = "maintainer") -> None:
        """Resolve a review thread."""
        conversation.resolve(self.site, thread, self.state.account(user))
        await self.settled()

    async def unresolve(self, thread: ReviewThread, user: str = "maintainer") -> None:
        """Open a resolved thread again."""
        conversation.unresolve(self.site, thread, self.state.account(user))
        await self.settled()

    async def apply_suggestion(self, comment: ReviewComment, user: str = "maintainer") -> str:
        """Commit a suggestion to the pull request's branch; returns the new head.

        Raises GitError when there is none or its lines are gone.
        """
        head = await suggestion.apply_suggestion(self.site, comment, self.state.account(user))
        await self.settled()
        return head

    async def add_label(self, pull: Pull, name: str, user: str = "maintainer") -> None:
        """Put a label on."""
        who = self.state.account(user)
        await conversation.add_labels(self.site, self.pull_request(pull), [name], who)
        await self.settled()

    async def remove_label(self, pull: Pull, name: str, user: str = "maintainer") -> bool:
        """Take a label off; says whether it was there."""
        who = self.state.account(user)
        it = self.pull_request(pull)
        there = await conversation.remove_label(self.site, it, name, who)
        await self.settled()
        return there

    async def delete_comment(
        self, comment: IssueComment | ReviewComment, user: str = "maintainer"
    ) -> None:
        """Delete a comment, whoever wrote it; a thread goes with its last comment."""
        conversation.delete_comment(self.site, comment, self.state.account(user))
        await self.settled()
