-- Version 3: which debates make up a conversation, and which requests were made already.
--
-- `repeats` has a row for each request that its sender may repeat: `seq` is the number of the debate's
-- last event when it was made, so that a later one tells that the request was obeyed.

ALTER TABLE debates ADD COLUMN conversation TEXT;

CREATE INDEX debates_by_conversation ON debates (conversation) WHERE conversation IS NOT NULL;

CREATE TABLE repeats (
    owner         TEXT    NOT NULL,
    name          TEXT    NOT NULL,
    fingerprint   TEXT    NOT NULL,
    transcript_id TEXT    NOT NULL,
    seq           INTEGER NOT NULL,
    made_at       INTEGER NOT NULL,
    PRIMARY KEY (owner, name)
) WITHOUT ROWID;

CREATE INDEX repeats_by_time ON repeats (made_at);
