-- The history, and the answers that idempotency keys make remembered.

-- One row a committed change. What it did to entries stands in `versions`, under the same number.
CREATE TABLE revisions (
    library  TEXT    NOT NULL REFERENCES libraries DEFERRABLE INITIALLY DEFERRED,
    revision INTEGER NOT NULL CHECK (revision > 0),
    at       INTEGER NOT NULL,
    actor    TEXT    NOT NULL,
    reason   TEXT,
    kind     TEXT    NOT NULL,
    settings TEXT CHECK (settings IS NULL OR json_valid(settings)),
    reward   TEXT CHECK (reward IS NULL OR json_valid(reward)),
    PRIMARY KEY (library, revision)
) STRICT, WITHOUT ROWID;

CREATE INDEX revisions_by_actor ON revisions (library, actor, revision);

-- Each state of an entry once, without its vector: what it became in that revision. What it was before is its
-- version before. With a rowid, as `experiences`.
CREATE TABLE versions (
    library       TEXT    NOT NULL REFERENCES libraries DEFERRABLE INITIALLY DEFERRED,
    id            INTEGER NOT NULL CHECK (id > 0),
    revision      INTEGER NOT NULL CHECK (revision >= 0),
    gone          INTEGER NOT NULL CHECK (gone IN (0, 1)),
    text          TEXT,
    domain        TEXT,
    confidence    REAL    CHECK (confidence > 0 AND confidence < 1),
    usage_count   INTEGER CHECK (usage_count >= 0),
    epoch         INTEGER CHECK (epoch >= 0),
    successes     INTEGER CHECK (successes >= 0),
    failures      INTEGER CHECK (failures >= 0),
    last_improved INTEGER CHECK (last_improved >= 0),
    pinned        INTEGER CHECK (pinned IN (0, 1)),
    source        TEXT,
    created_at    INTEGER,
    updated_at    INTEGER,
    PRIMARY KEY (library, id, revision),
    CHECK (gone = (domain IS NULL))
) STRICT;

CREATE INDEX versions_by_revision ON versions (library, revision, id);
CREATE INDEX versions_gone ON versions (library, id, revision) WHERE gone = 1;

-- Entries from before there was a history: their state is known, the changes that led to it are not.
INSERT INTO versions (library, id, revision, gone, text, domain, confidence, usage_count, epoch, successes, failures,
                      last_improved, pinned, source, created_at, updated_at)
SELECT library, id, libraries.revision, 0, text, domain, confidence, usage_count, experiences.epoch, successes,
       failures, last_improved, pinned, source, created_at, updated_at
FROM experiences JOIN libraries USING (library) ORDER BY library, id;

CREATE TABLE answers (
    library TEXT    NOT NULL REFERENCES libraries DEFERRABLE INITIALLY DEFERRED,
    key     TEXT    NOT NULL,
    content TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    answer  TEXT    NOT NULL CHECK (json_valid(answer)),
    PRIMARY KEY (library, key)
) STRICT;

CREATE INDEX answers_by_age ON answers (library, at);

-- For people.
CREATE VIEW revision_log AS
SELECT library, revision, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at, actor, reason, kind,
       (SELECT group_concat(id, ' ') FROM versions
        WHERE versions.library = revisions.library AND versions.revision = revisions.revision) AS entries
FROM revisions ORDER BY library, revision;
