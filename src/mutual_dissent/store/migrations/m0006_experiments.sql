-- Version 6: experiments, so that they can be stopped from elsewhere and resumed without a file.

CREATE TABLE experiments (
    name       TEXT    PRIMARY KEY,
    text       TEXT    NOT NULL,
    folder     TEXT    NOT NULL DEFAULT '',
    settled    TEXT    NOT NULL DEFAULT '{}',
    state      TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) WITHOUT ROWID;
