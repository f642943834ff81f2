-- Version 7: money that is set aside for calls in flight, whose debates are, and what tokens may.
--
-- `reservations` has a row for each call that a token's debate has in flight, so that debates side by
-- side never promise the same dollar twice, and one for what each will about need for the `rest`. Of a
-- process that died they count no more once they have expired. A debate's `owner` is the name of the
-- token that began it; tokens of earlier versions may do all.

CREATE TABLE reservations (
    id      TEXT    PRIMARY KEY,
    token   TEXT    NOT NULL,
    usd     REAL    NOT NULL,
    rest    INTEGER NOT NULL DEFAULT 0,
    expires INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX reservations_by_token ON reservations (token);

ALTER TABLE tokens ADD COLUMN scope TEXT NOT NULL DEFAULT 'all';

ALTER TABLE debates ADD COLUMN owner TEXT NOT NULL DEFAULT '';

CREATE INDEX debates_by_owner ON debates (owner, number) WHERE owner <> '';
