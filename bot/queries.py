"""The GraphQL documents that the bot sends (https://docs.github.com/en/graphql)."""

# Both connections are paged on their own: a variable that is null starts at the beginning.
CONVERSATION = """
query Conversation(
  $owner: String!, $name: String!, $number: Int!,
  $comments: Boolean!, $threads: Boolean!, $afterComment: String, $afterThread: String
) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      comments(first: 100, after: $afterComment) @include(if: $comments) {
        pageInfo { hasNextPage endCursor }
        nodes { databaseId body viewerDidAuthor }
      }
      reviewThreads(first: 100, after: $afterThread) @include(if: $threads) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          isResolved
          viewerCanResolve
          line
          startLine
          comments(first: 1) { nodes { databaseId body viewerDidAuthor } }
        }
      }
    }
  }
}
"""

RESOLVE_THREAD = """
mutation ResolveThread($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } }
}
"""

# https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch
COMMIT = """
mutation Commit($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}
"""

# https://docs.github.com/en/graphql/reference/mutations#addreaction
REACT = """
mutation React($subject: ID!, $content: ReactionContent!) {
  addReaction(input: {subjectId: $subject, content: $content}) { reaction { content } }
}
"""

ANSWERS = """
query Answers($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      comments(last: 100) { nodes { body viewerDidAuthor } }
      reviewThreads(last: 100) {
        nodes { comments(last: 30) { nodes { body viewerDidAuthor } } }
      }
    }
  }
}
"""
