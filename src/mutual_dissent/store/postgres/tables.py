"""The tables on PostgreSQL, as they came to be: one step a version.

`FIRST` is what SQLite's migrations come to, and what only many machines need: leases, and the pace
of each vendor. The queue that it began with went with `FIFTH`.
"""

from __future__ import annotations

FIRST = """
CREATE TABLE debates (
    number        bigint PRIMARY KEY,
    transcript_id text   COLLATE "C" NOT NULL UNIQUE,
    query         text   NOT NULL,
    status        text   NOT NULL,
    mode          text   COLLATE "C" NOT NULL,
    preset        text   COLLATE "C",
    topology      text   NOT NULL DEFAULT '',
    panel         text   NOT NULL,
    models        text   NOT NULL DEFAULT '[]',
    vendors       text   NOT NULL DEFAULT '[]',
    synthesizer   text   NOT NULL,
    experiment_id text   COLLATE "C",
    campaign_id   text   COLLATE "C",
    condition     text   COLLATE "C",
    replay_of     text   COLLATE "C",
    conversation  text   COLLATE "C",
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    last_seq      bigint NOT NULL,
    rounds        bigint NOT NULL DEFAULT 0,
    calls         bigint NOT NULL DEFAULT 0,
    failed        bigint NOT NULL DEFAULT 0,
    unpriced      bigint NOT NULL DEFAULT 0,
    tokens        bigint NOT NULL DEFAULT 0,
    worked        bigint NOT NULL DEFAULT 0,
    cost_usd      double precision,
    agreement     double precision,
    score         double precision,
    rating        bigint,
    exit          text   NOT NULL DEFAULT '',
    reason        text   NOT NULL DEFAULT '',
    heading       text   NOT NULL DEFAULT ''
);

CREATE INDEX debates_by_status ON debates (status, number);
CREATE INDEX debates_by_conversation ON debates (conversation) WHERE conversation IS NOT NULL;
CREATE INDEX debates_by_mode ON debates (mode, number);
CREATE INDEX debates_by_preset ON debates (preset, number) WHERE preset IS NOT NULL;
CREATE INDEX debates_by_experiment ON debates (experiment_id, number)
    WHERE experiment_id IS NOT NULL;
CREATE INDEX debates_by_cost ON debates (coalesce(cost_usd, -1), number);
CREATE INDEX debates_by_tokens ON debates (tokens, number);
CREATE INDEX debates_by_agreement ON debates (coalesce(agreement, -1), number);
CREATE INDEX debates_by_duration ON debates (worked, number);
CREATE INDEX debates_by_score ON debates (coalesce(score, -1), number);
CREATE INDEX debates_by_rating ON debates (coalesce(rating, -1), number);

CREATE TABLE events (
    debate bigint NOT NULL REFERENCES debates (number),
    seq    bigint NOT NULL,
    kind   text   NOT NULL,
    body   text   NOT NULL,
    PRIMARY KEY (debate, seq)
);

CREATE TABLE names (
    name   text   COLLATE "C" NOT NULL,
    debate bigint NOT NULL REFERENCES debates (number),
    PRIMARY KEY (name, debate)
);
CREATE INDEX names_by_debate ON names (debate);

CREATE TABLE ledger (
    day           text   COLLATE "C" NOT NULL,
    vendor        text   COLLATE "C" NOT NULL,
    model_id      text   COLLATE "C" NOT NULL,
    calls         bigint NOT NULL,
    unpriced      bigint NOT NULL,
    tokens        bigint NOT NULL,
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cost_usd      double precision,
    PRIMARY KEY (day, vendor, model_id)
);

CREATE TABLE probe (
    id     bigint PRIMARY KEY,
    filler bytea  NOT NULL
);

CREATE TABLE directives (
    number        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transcript_id text COLLATE "C" NOT NULL,
    action        text NOT NULL,
    text          text NOT NULL
);
CREATE INDEX directives_by_debate ON directives (transcript_id);

CREATE TABLE repeats (
    owner         text   COLLATE "C" NOT NULL,
    name          text   COLLATE "C" NOT NULL,
    fingerprint   text   NOT NULL,
    transcript_id text   COLLATE "C" NOT NULL,
    seq           bigint NOT NULL,
    made_at       bigint NOT NULL,
    PRIMARY KEY (owner, name)
);
CREATE INDEX repeats_by_time ON repeats (made_at);

CREATE TABLE tokens (
    hash       text   PRIMARY KEY,
    name       text   COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint,
    budget_usd double precision,
    per_minute bigint,
    mode       text,
    spent_usd  double precision NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX tokens_by_name ON tokens (name) WHERE revoked_at IS NULL;

CREATE TABLE summaries (
    debate  bigint PRIMARY KEY REFERENCES debates (number),
    seq     bigint NOT NULL,
    version bigint NOT NULL,
    body    text   NOT NULL
);

CREATE TABLE tags (
    tag    text   COLLATE "C" NOT NULL,
    debate bigint NOT NULL REFERENCES debates (number),
    PRIMARY KEY (tag, debate)
);
CREATE INDEX tags_by_debate ON tags (debate);

CREATE TABLE experiments (
    name       text   COLLATE "C" PRIMARY KEY,
    text       text   NOT NULL,
    folder     text   NOT NULL DEFAULT '',
    settled    text   NOT NULL DEFAULT '{}',
    state      text   NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);

-- English stems as in SQLite's index, and like there no word is too common to be looked for.
CREATE TEXT SEARCH DICTIONARY dissent_stems (TEMPLATE = snowball, LANGUAGE = english);
CREATE TEXT SEARCH CONFIGURATION dissent (COPY = english);
ALTER TEXT SEARCH CONFIGURATION dissent ALTER MAPPING REPLACE english_stem WITH dissent_stems;

-- Words are the same with and without accents.
CREATE FUNCTION dissent_plain(written text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(normalize(written, NFKD), U&'[\\0300-\\036F]', '', 'g')
$$;

-- An index of words takes a megabyte at most: of debates that are longer, only the beginning.
CREATE FUNCTION dissent_index(written text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN to_tsvector('dissent', dissent_plain(written));
EXCEPTION WHEN program_limit_exceeded THEN
    RETURN to_tsvector('dissent', dissent_plain(left(written, 100000)));
END
$$;

CREATE TABLE search (
    rowid     bigint PRIMARY KEY,
    query     text NOT NULL,
    answers   text NOT NULL,
    synthesis text NOT NULL,
    words     tsvector GENERATED ALWAYS AS (
        dissent_index(query || E'\\n' || synthesis || E'\\n' || answers)
    ) STORED
);
CREATE INDEX search_by_words ON search USING gin (words);

-- Our words are quoted, one by one: "word" wants all that is in it as a phrase, "word"* what
-- begins so.
CREATE FUNCTION dissent_words(quoted text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    found text[];
    part tsquery;
    wanted tsquery;
BEGIN
    FOR found IN SELECT regexp_matches(quoted, '"((?:[^"]|"")*)"(\\*?)', 'g') LOOP
        part := phraseto_tsquery('dissent', dissent_plain(replace(found[1], '""', '"')));
        IF numnode(part) = 0 THEN
            CONTINUE;
        END IF;
        IF found[2] = '*' THEN
            part := regexp_replace(part::text, '''$', ''':*')::tsquery;
        END IF;
        wanted := CASE WHEN wanted IS NULL THEN part ELSE wanted && part END;
    END LOOP;
    RETURN coalesce(wanted, ''::tsquery);
END
$$;

CREATE TABLE leases (
    transcript_id text COLLATE "C" PRIMARY KEY,
    owner         text        NOT NULL,
    pid           bigint      NOT NULL,
    host          text        NOT NULL,
    expires       timestamptz NOT NULL
);
CREATE INDEX leases_by_owner ON leases (owner);

CREATE TABLE workers (
    name     text COLLATE "C" PRIMARY KEY,
    host     text        NOT NULL,
    pid      bigint      NOT NULL,
    version  text        NOT NULL,
    capacity bigint      NOT NULL,
    started  timestamptz NOT NULL DEFAULT clock_timestamp(),
    beat     timestamptz NOT NULL,
    expires  timestamptz NOT NULL
);

CREATE TABLE jobs (
    transcript_id text COLLATE "C" PRIMARY KEY,
    number        bigint GENERATED ALWAYS AS IDENTITY,
    owner         text   NOT NULL,
    brief         text   NOT NULL,
    max_cost      double precision,
    priority      bigint NOT NULL DEFAULT 0,
    state         text   NOT NULL DEFAULT 'waiting',
    worker        text,
    attempts      bigint NOT NULL DEFAULT 0,
    not_before    timestamptz NOT NULL DEFAULT clock_timestamp(),
    taken_at      timestamptz,
    error         text   NOT NULL DEFAULT ''
);
CREATE INDEX jobs_in_order ON jobs (priority DESC, number) WHERE state IN ('waiting', 'running');
CREATE INDEX jobs_by_owner ON jobs (owner);

CREATE TABLE buckets (
    name text COLLATE "C" PRIMARY KEY,
    tat  timestamptz NOT NULL
);
"""

SECOND = """
-- One row, or none: workers take nothing while it is there.
CREATE TABLE pauses (
    one   bigint      PRIMARY KEY DEFAULT 1 CHECK (one = 1),
    since timestamptz NOT NULL DEFAULT clock_timestamp(),
    who   text        NOT NULL
);

ALTER TABLE workers ADD COLUMN state text NOT NULL DEFAULT 'working';
"""

THIRD = """
CREATE TABLE reservations (
    id      text   COLLATE "C" PRIMARY KEY,
    token   text   COLLATE "C" NOT NULL,
    usd     double precision NOT NULL,
    rest    bigint NOT NULL DEFAULT 0,
    expires bigint NOT NULL
);
CREATE INDEX reservations_by_token ON reservations (token);

ALTER TABLE tokens ADD COLUMN scope text NOT NULL DEFAULT 'all';

ALTER TABLE debates ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX debates_by_owner ON debates (owner, number) WHERE owner <> '';
"""

FOURTH = """
-- An append inserts no event whose debate it has not changed, and deleting takes both: nothing is
-- left to check, row by row, in the largest table.
ALTER TABLE events DROP CONSTRAINT events_debate_fkey;

-- What was spent, added up in one of several rows, so that nobody waits for others who spend.
ALTER TABLE ledger ADD COLUMN stripe bigint NOT NULL DEFAULT 0;
ALTER TABLE ledger ALTER COLUMN stripe SET DEFAULT pg_backend_pid() % 64;
ALTER TABLE ledger DROP CONSTRAINT ledger_pkey;
ALTER TABLE ledger ADD PRIMARY KEY (day, vendor, model_id, stripe);

-- Debates whose words are to be indexed, from the commit on until that is done.
CREATE TABLE unindexed (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    debate bigint NOT NULL,
    closed boolean NOT NULL
);
"""

FIFTH = """
-- Debates are dealt out by an engine: what waited here is in the record, or not begun.
DROP TABLE jobs;
DROP TABLE workers;
DROP TABLE pauses;
"""

SIXTH = """
-- A backup is restored without a search path: what words are indexed by must be found without it.
ALTER FUNCTION dissent_index(text) SET search_path FROM CURRENT;
"""

SEVENTH = """
-- How a debate turned out, as the user said.
ALTER TABLE debates ADD COLUMN outcome text NOT NULL DEFAULT '';
CREATE INDEX debates_by_outcome ON debates (number) WHERE outcome <> '';
"""

STEPS: tuple[str, ...] = (FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH)
