-- Debates, their events, and what makes them quick to list, to search and to add up.
--
-- `debates.number` is the time of creation in microseconds (one more where two fall together), so
-- that every table keyed by it lies in the order in which debates are listed. `events` has a rowid on
-- purpose: without one, every event of more than a kilobyte would take a page of its own.

CREATE TABLE debates (
    number        INTEGER PRIMARY KEY,
    transcript_id TEXT    NOT NULL UNIQUE,
    query         TEXT    NOT NULL,
    status        TEXT    NOT NULL,
    mode          TEXT    NOT NULL,
    panel         TEXT    NOT NULL,
    synthesizer   TEXT    NOT NULL,
    experiment_id TEXT,
    replay_of     TEXT,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    last_seq      INTEGER NOT NULL,
    rounds        INTEGER NOT NULL DEFAULT 0,
    calls         INTEGER NOT NULL DEFAULT 0,
    failed        INTEGER NOT NULL DEFAULT 0,
    unpriced      INTEGER NOT NULL DEFAULT 0,
    tokens        INTEGER NOT NULL DEFAULT 0,
    cost_usd      REAL,
    agreement     REAL,
    reason        TEXT    NOT NULL DEFAULT '',
    heading       TEXT    NOT NULL DEFAULT ''
);

CREATE INDEX debates_by_status ON debates (status, number);

CREATE TABLE events (
    debate INTEGER NOT NULL REFERENCES debates (number),
    seq    INTEGER NOT NULL,
    kind   TEXT    NOT NULL,
    body   TEXT    NOT NULL,
    PRIMARY KEY (debate, seq)
);

CREATE TABLE names (
    name   TEXT    NOT NULL,
    debate INTEGER NOT NULL REFERENCES debates (number),
    PRIMARY KEY (name, debate)
) WITHOUT ROWID;

CREATE TABLE ledger (
    day           TEXT    NOT NULL,
    vendor        TEXT    NOT NULL,
    model_id      TEXT    NOT NULL,
    calls         INTEGER NOT NULL,
    unpriced      INTEGER NOT NULL,
    tokens        INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_usd      REAL,
    PRIMARY KEY (day, vendor, model_id)
) WITHOUT ROWID;

CREATE TABLE holders (
    transcript_id TEXT    PRIMARY KEY,
    pid           INTEGER NOT NULL,
    started       TEXT    NOT NULL
);

CREATE TABLE probe (
    id     INTEGER PRIMARY KEY,
    filler BLOB    NOT NULL
);

CREATE VIRTUAL TABLE search USING fts5 (query, answers, synthesis, tokenize = 'porter unicode61');
