-- The first schema. docs/storage.md describes it. A schema that was released is never edited: the next one is a
-- file of its own, with the statements that lead from this one to it.

CREATE TABLE libraries (
    library  TEXT    NOT NULL PRIMARY KEY,
    settings TEXT    NOT NULL CHECK (json_valid(settings)),
    next_id  INTEGER NOT NULL CHECK (next_id > 0),
    epoch    INTEGER NOT NULL CHECK (epoch >= 0),
    revision INTEGER NOT NULL CHECK (revision >= 0),
    encoder  TEXT
) STRICT, WITHOUT ROWID;

-- With a rowid, since rows of this size would need a second page each in a table without one.
CREATE TABLE experiences (
    library       TEXT    NOT NULL REFERENCES libraries DEFERRABLE INITIALLY DEFERRED,
    id            INTEGER NOT NULL CHECK (id > 0),
    text          TEXT    NOT NULL,
    domain        TEXT    NOT NULL,
    confidence    REAL    NOT NULL CHECK (confidence > 0 AND confidence < 1),
    usage_count   INTEGER NOT NULL CHECK (usage_count >= 0),
    epoch         INTEGER NOT NULL CHECK (epoch >= 0),
    successes     INTEGER NOT NULL CHECK (successes >= 0),
    failures      INTEGER NOT NULL CHECK (failures >= 0),
    last_improved INTEGER CHECK (last_improved >= 0),
    pinned        INTEGER NOT NULL CHECK (pinned IN (0, 1)),
    source        TEXT,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    vector        BLOB    NOT NULL CHECK (length(vector) = 1536),
    PRIMARY KEY (library, id)
) STRICT;

CREATE TABLE sessions (
    library       TEXT    NOT NULL REFERENCES libraries DEFERRABLE INITIALLY DEFERRED,
    epoch         INTEGER NOT NULL CHECK (epoch >= 0),
    session       TEXT    NOT NULL UNIQUE,
    session_group TEXT,
    reference     TEXT,
    begun_at      INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL,
    ended_at      INTEGER,
    report        TEXT CHECK (report IS NULL OR json_valid(report)),
    operations    TEXT CHECK (operations IS NULL OR json_valid(operations)),
    PRIMARY KEY (library, epoch),
    CHECK ((ended_at IS NULL) = (report IS NULL) AND (ended_at IS NULL) = (operations IS NULL))
) STRICT;

CREATE INDEX sessions_without_end ON sessions (library, epoch) WHERE ended_at IS NULL;
CREATE INDEX sessions_by_end ON sessions (library, coalesce(ended_at, expires_at));

CREATE TABLE receipts (
    library       TEXT    NOT NULL,
    session_epoch INTEGER NOT NULL,
    label         INTEGER NOT NULL CHECK (label >= 0),
    id            INTEGER NOT NULL CHECK (id > 0),
    text          TEXT    NOT NULL,
    PRIMARY KEY (library, session_epoch, label),
    FOREIGN KEY (library, session_epoch) REFERENCES sessions (library, epoch) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Rewards outlive their sessions, because the running baseline needs them longer than anyone needs a receipt.
CREATE TABLE rewards (
    library       TEXT    NOT NULL REFERENCES libraries DEFERRABLE INITIALLY DEFERRED,
    session_epoch INTEGER NOT NULL,
    session_group TEXT,
    revision      INTEGER NOT NULL,
    reward        REAL    NOT NULL,
    PRIMARY KEY (library, session_epoch)
) STRICT, WITHOUT ROWID;

CREATE INDEX rewards_by_group ON rewards (library, session_group, revision, session_epoch, reward);

-- For people: what `docet list` and `docet sessions` show, without the vectors and with times that can be read.

CREATE VIEW lessons AS
SELECT library, id, text, confidence, domain, usage_count, epoch, successes, failures, last_improved,
       iif(pinned, 'yes', 'no') AS pinned, source,
       strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch') AS updated_at
FROM experiences ORDER BY library, id;

CREATE VIEW session_log AS
SELECT library, epoch, session, session_group, reference,
       strftime('%Y-%m-%dT%H:%M:%fZ', begun_at / 1000.0, 'unixepoch') AS begun_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', expires_at / 1000.0, 'unixepoch') AS expires_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1000.0, 'unixepoch') AS ended_at,
       json_extract(report, '$.verdict') AS verdict,
       json_extract(report, '$.reward') AS reward,
       (SELECT group_concat('G' || label || '=' || id, ' ')
        FROM receipts WHERE receipts.library = sessions.library AND session_epoch = sessions.epoch) AS labels
FROM sessions ORDER BY library, epoch;
