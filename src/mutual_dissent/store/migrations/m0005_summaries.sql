-- Version 5: what lists are filtered and sorted by, what a debate comes to, tags and ratings.
--
-- The new columns of a debate's row are filled from its log, as far as that can be read. `summaries`
-- is filled when debates are looked at: a summary holds as long as `seq` is the debate's last event
-- and `version` is that of the program which reads it, so that it can never be out of date.

ALTER TABLE debates ADD COLUMN preset TEXT;

ALTER TABLE debates ADD COLUMN topology TEXT NOT NULL DEFAULT '';

ALTER TABLE debates ADD COLUMN models TEXT NOT NULL DEFAULT '[]';

ALTER TABLE debates ADD COLUMN vendors TEXT NOT NULL DEFAULT '[]';

ALTER TABLE debates ADD COLUMN campaign_id TEXT;

ALTER TABLE debates ADD COLUMN condition TEXT;

ALTER TABLE debates ADD COLUMN exit TEXT NOT NULL DEFAULT '';

ALTER TABLE debates ADD COLUMN score REAL;

ALTER TABLE debates ADD COLUMN worked INTEGER NOT NULL DEFAULT 0;

ALTER TABLE debates ADD COLUMN rating INTEGER;

UPDATE debates SET
    preset = json_extract(o.body, '$.brief.preset'),
    topology = coalesce(json_extract(o.body, '$.brief.topology'), ''),
    models = (SELECT json_group_array(DISTINCT json_extract(p.value, '$.route.model_id'))
              FROM json_each(o.body, '$.brief.panel') p),
    vendors = (SELECT json_group_array(DISTINCT json_extract(p.value, '$.route.vendor'))
               FROM json_each(o.body, '$.brief.panel') p),
    campaign_id = json_extract(o.body, '$.brief.experiment.campaign_id'),
    condition = nullif(json_extract(o.body, '$.brief.experiment.condition'), '')
FROM events o WHERE o.debate = debates.number AND o.seq = 1 AND json_valid(o.body);

UPDATE debates SET
    worked = max(0, updated_at - created_at),
    exit = coalesce((
        SELECT json_extract(e.body, '$.measures.exit.reason') FROM events e
        WHERE e.debate = number AND e.kind = 'round_ended' AND json_valid(e.body)
              AND json_extract(e.body, '$.measures.exit.reason') IS NOT NULL
        ORDER BY e.seq DESC LIMIT 1), ''),
    score = (
        SELECT (SELECT round(avg(v.value), 4) FROM json_each(e.body, '$.score') v
                WHERE v.type IN ('integer', 'real')) FROM events e
        WHERE e.debate = number AND e.kind = 'scored' AND json_valid(e.body)
              AND json_extract(e.body, '$.about') LIKE '%/synthesis/%'
        ORDER BY e.seq DESC LIMIT 1);

UPDATE debates SET worked = max(0, worked - idle) FROM (
    SELECT r.debate, cast(1e6 * 86400 * sum(
        julianday(json_extract(r.body, '$.at')) - julianday(json_extract(p.body, '$.at'))
    ) AS INTEGER) AS idle
    FROM events r JOIN events p ON p.debate = r.debate AND p.seq = r.seq - 1
    WHERE r.kind = 'reopened' AND json_valid(r.body) AND json_valid(p.body) GROUP BY r.debate
) AS pauses WHERE pauses.debate = debates.number AND idle IS NOT NULL;

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

CREATE TABLE summaries (
    debate  INTEGER PRIMARY KEY REFERENCES debates (number),
    seq     INTEGER NOT NULL,
    version INTEGER NOT NULL,
    body    TEXT    NOT NULL
);

CREATE TABLE tags (
    tag    TEXT    NOT NULL,
    debate INTEGER NOT NULL REFERENCES debates (number),
    PRIMARY KEY (tag, debate)
) WITHOUT ROWID;

CREATE INDEX tags_by_debate ON tags (debate);
