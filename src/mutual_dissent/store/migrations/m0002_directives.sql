-- Version 2: what other processes ask of a debate that is under way.

CREATE TABLE directives (
    number        INTEGER PRIMARY KEY,
    transcript_id TEXT    NOT NULL,
    action        TEXT    NOT NULL,
    text          TEXT    NOT NULL
);

CREATE INDEX directives_by_debate ON directives (transcript_id);
