-- Version 9: pictures that debates were asked about, each once by the hash of its bytes.
--
-- `picture_uses` says which debates need one: with the last of them it goes.

CREATE TABLE pictures (
    sha256     TEXT PRIMARY KEY,
    media_type TEXT NOT NULL,
    body       BLOB NOT NULL
);

CREATE TABLE picture_uses (
    transcript_id TEXT NOT NULL,
    sha256        TEXT NOT NULL,
    PRIMARY KEY (transcript_id, sha256)
) WITHOUT ROWID;

CREATE INDEX picture_uses_by_picture ON picture_uses (sha256);
