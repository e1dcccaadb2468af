"""The GraphQL documents that the bot sends (https://docs.github.com/en/graphql)."""

# The connections are paged on their own: a variable that is null starts at the beginning. Of the
# timeline the newest hundred labels and pushes are enough, in GitHub's order.
CONVERSATION = """
query Conversation(
  $owner: String!, $name: String!, $number: Int!,
  $comments: Boolean!, $reviews: Boolean!, $threads: Boolean!, $timeline: Boolean!,
  $afterComment: String, $afterReview: String, $afterThread: String, $size: Int!
) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      comments(first: $size, after: $afterComment) @include(if: $comments) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id databaseId url body viewerDidAuthor createdAt lastEditedAt
          author { __typename login }
          editor { __typename login }
        }
      }
      reviews(first: $size, after: $afterReview) @include(if: $reviews) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id databaseId url body viewerDidAuthor state submittedAt lastEditedAt
          author { __typename login }
          editor { __typename login }
          commit { oid }
        }
      }
      timelineItems(last: 100, itemTypes: [
        LABELED_EVENT, UNLABELED_EVENT, PULL_REQUEST_COMMIT, HEAD_REF_FORCE_PUSHED_EVENT
      ]) @include(if: $timeline) {
        nodes {
          __typename
          ... on LabeledEvent { id actor { __typename login } label { name } }
          ... on UnlabeledEvent { id actor { __typename login } label { name } }
        }
      }
      reviewThreads(first: $size, after: $afterThread) @include(if: $threads) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          isResolved
          viewerCanResolve
          line
          startLine
          comments(first: 100) {
            nodes {
              id databaseId url body viewerDidAuthor createdAt lastEditedAt
              author { __typename login }
              editor { __typename login }
              originalCommit { oid }
            }
          }
        }
      }
    }
  }
}
"""

# https://docs.github.com/en/graphql/reference/objects#usercontentedit, the newest first.
EDITS = """
query Edits($ids: [ID!]!) {
  nodes(ids: $ids) {
    __typename
    ... on IssueComment {
      id
      userContentEdits(first: 100) { totalCount nodes { editor { __typename login } } }
    }
    ... on PullRequestReview {
      id
      userContentEdits(first: 100) { totalCount nodes { editor { __typename login } } }
    }
    ... on PullRequestReviewComment {
      id
      userContentEdits(first: 100) { totalCount nodes { editor { __typename login } } }
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
