-- Version 8: how a debate turned out, as the user said; empty where nobody has.

ALTER TABLE debates ADD COLUMN outcome TEXT NOT NULL DEFAULT '';

CREATE INDEX debates_by_outcome ON debates (number) WHERE outcome <> '';
