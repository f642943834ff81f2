-- Version 4: the tokens of clients.

CREATE TABLE tokens (
    hash       TEXT    PRIMARY KEY,
    name       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    budget_usd REAL,
    per_minute INTEGER,
    mode       TEXT,
    spent_usd  REAL    NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE UNIQUE INDEX tokens_by_name ON tokens (name) WHERE revoked_at IS NULL;
