"""The tables of the embedded store, as the steps by which they came to be."""

# Each string brings a store from the version of its place to the next one.
MIGRATIONS = (
    """
    CREATE TABLE delivery (
        guid TEXT NOT NULL UNIQUE,
        event TEXT NOT NULL,
        action TEXT,
        installation_id INTEGER,
        repository TEXT,
        received_at REAL NOT NULL,
        body BLOB NOT NULL  -- zlib
    );
    CREATE TABLE attention (
        repository TEXT NOT NULL,
        target TEXT NOT NULL,  -- see `place`
        installation_id INTEGER NOT NULL,  -- of the newest mark: an App can be installed again
        generation INTEGER NOT NULL,  -- raised by each mark
        first_due_at REAL NOT NULL,  -- of the first of a burst of marks
        due_at REAL NOT NULL,
        held_since REAL,
        attempts INTEGER NOT NULL DEFAULT 0,
        error TEXT,
        PRIMARY KEY (repository, target)
    ) WITHOUT ROWID;
    CREATE TABLE probe (at REAL NOT NULL);
    INSERT INTO probe VALUES (0);
    """,
    """
    ALTER TABLE attention ADD COLUMN quick INTEGER NOT NULL DEFAULT 0;
    """,
    # Read and written by bot/ledger.py.
    """
    CREATE TABLE command (
        place TEXT NOT NULL,
        comment_id INTEGER NOT NULL,
        version TEXT NOT NULL,
        position INTEGER NOT NULL,
        words TEXT NOT NULL,
        repository TEXT NOT NULL,
        number INTEGER NOT NULL,
        login TEXT NOT NULL,
        guid TEXT NOT NULL,  -- of the first delivery that told of it
        started_at REAL NOT NULL,
        outcome TEXT,  -- JSON; NULL while it runs
        PRIMARY KEY (place, comment_id, version, position, words)
    ) WITHOUT ROWID;
    CREATE TABLE decision (
        repository TEXT NOT NULL,
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        content TEXT,  -- JSON; NULL once it is undone
        made_at REAL NOT NULL,
        PRIMARY KEY (repository, number, kind, subject)
    ) WITHOUT ROWID;
    """,
    # Written in the order of deliveries (`_tell` in rows.py), read by bot/ledger.py.
    """
    CREATE TABLE head (
        repository TEXT NOT NULL,
        number INTEGER NOT NULL,
        sha TEXT NOT NULL,
        at TEXT NOT NULL,  -- when GitHub says that it was the head
        PRIMARY KEY (repository, number)
    ) WITHOUT ROWID;
    CREATE TABLE said (
        repository TEXT NOT NULL,
        number INTEGER NOT NULL,
        place TEXT NOT NULL,
        comment_id INTEGER NOT NULL,
        version TEXT NOT NULL,
        head TEXT NOT NULL,  -- that had been told before; '' when nobody knows
        PRIMARY KEY (repository, number, place, comment_id, version)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE attention ADD COLUMN failing_since REAL;  -- the first of the failures in a row
    ALTER TABLE attention ADD COLUMN given_up_at REAL;  -- it rests until its next mark
    ALTER TABLE attention ADD COLUMN line TEXT;  -- see `line`
    CREATE INDEX attention_line ON attention (repository, line) WHERE line IS NOT NULL;
    UPDATE attention SET line = substr(target, 1, length(target) - 37),
        target = substr(target, 1, length(target) - 36) || '- ' || substr(target, -36)
        WHERE target LIKE 'comment %';
    """,
    """
    ALTER TABLE attention RENAME COLUMN quick TO lane;  -- see `Lane` in rows.py
    """,
    """
    -- GitHub's log of deliveries, by `Jobs.log_was_read_until`
    CREATE TABLE log_read (one INTEGER PRIMARY KEY, until REAL NOT NULL);
    """,
    "DROP TABLE probe;",
    """
    ALTER TABLE attention ADD COLUMN gave_up TEXT;  -- the error for which it was given up last
    """,
)
