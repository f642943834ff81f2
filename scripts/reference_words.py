"""What the code does not say of itself: descriptions of fields for the generated reference.

A field that the code has and this file lacks stops `make docs`, and so does a line here that
describes nothing.
"""

from __future__ import annotations

FIELDS: dict[str, dict[str, str]] = {
    "Event": {
        "seq": "Its place in the debate's log, from 1 and without gaps.",
        "at": "When it happened, in UTC.",
    },
    "Opened": {
        "brief": "Everything that decides how the debate goes.",
        "version": "The version of the program.",
        "settings": "The effective configuration, without any key.",
        "prompts": "Prompt -> hash of its text.",
    },
    "RoundStarted": {
        "round_number": "0 for the first answers, 1 and up for rounds, -1 for the synthesis.",
        "role": "`initial`, `reflection`, `evaluation`, `digest`, `analysis`, `citations`, "
        "`inquiry`, `follow_up`, `sample`, `proposal`, `synthesis` or `judge`; of a request also "
        "`summary`.",
        "seats": "Who will be asked.",
        "part": "Tells the steps of one round apart: in `escalate`, `rest` are those who are asked "
        "where the first two differ.",
    },
    "Asked": {
        "key": "Names the request within its debate, such as `1/reflection/claude`.",
        "seat": "Who is asked.",
        "round_number": "As above.",
        "role": "As above.",
        "prompt": "The prompt it was made from.",
        "request_hash": "What was asked of which model; an answer is reused only for the same.",
        "labels": "The label the reader saw -> the seat it stands for.",
    },
    "Answered": {
        "key": "The request's key.",
        "seat": "Who answered.",
        "request_hash": "The request's hash.",
        "response": "The answer or the failure; see the fields of a response.",
        "reused": "Whether an earlier debate paid for it.",
    },
    "RoundEnded": {
        "round_number": "As above.",
        "role": "As above.",
        "measures": "What was found: `agreement` from 0 to 1, the `measure` that found "
        "it, `consensus`, `disagreements`, `groupthink`, `exit`; of votes, the `tally`; of "
        "a review, which findings are the same (`same_findings`).",
        "part": "As above.",
    },
    "Scored": {
        "about": "The key of the response that was judged.",
        "name": "What the score is called: `ground_truth_score`.",
        "score": "Each dimension's mark, `explanation`, `judge`, `judge_is_synthesizer`, `raw`.",
    },
    "Noted": {
        "code": "A word for programs; see the codes below.",
        "text": "A sentence for people.",
        "seat": "Whom it is about, if anyone.",
    },
    "Remarked": {"text": "What was said."},
    "Closed": {
        "status": "Where the debate stands; see the list of status words.",
        "reason": "A word for programs; see the reasons below.",
        "text": "A sentence for people, where there is something to say.",
        "unsent": "Keys of requests that waited for their turn when they were given up.",
    },
    "Reopened": {
        "reason": "`resumed`, `continued`, `synthesized`, `asked again`, `scored` or `analyzed`.",
        "brief": "The brief that holds from now on, if it changed.",
        "again": "The key of the turn that is taken again, if one is.",
    },
    "CitationsRead": {
        "cited": "Each citation that was looked at: `cited` (address, title, claim, who), `state` "
        "(`read`, `verbatim`, `absent`, `unreached`, `unread`, `foreign`), `passage`, `reason`.",
    },
    "Resolved": {
        "outcome": "`right` or `wrong`, of the panel's answer, or the value that turned out true.",
        "note": "How that is known, where the user said so.",
    },
    "Token": {
        "panelist": "Who is writing.",
        "round_number": "As above.",
        "role": "As above.",
        "key": "The request's key.",
        "text": "The piece of text.",
        "restart": "Whether everything before it was withdrawn, because a retry starts over.",
    },
    "ExperimentMetadata": {
        "experiment_id": "Which experiment the debate belongs to.",
        "source_tool": "What started it.",
        "campaign_id": "A group of experiments.",
        "condition": "The condition under test.",
        "variables": "Further values of this run.",
        "finding_ref": "What it is evidence for.",
    },
    "Response": {
        "model_id": "The model that was asked, by the vendor's id.",
        "model_alias": "The seat: `claude`, `claude#2`.",
        "round_number": "0 for first answers, 1 and up for rounds, -1 for the synthesis.",
        "role": "`initial`, `reflection`, `evaluation`, `digest`, `analysis`, `citations`, "
        "`inquiry`, `follow_up`, `sample`, `proposal`, `synthesis` or `judge`; of a request also "
        "`summary`.",
        "content": "The answer. Empty or partial where it failed.",
        "timestamp": "When it ended, in UTC.",
        "token_count": "Tokens in and out.",
        "input_tokens": "Tokens in, cached ones included.",
        "output_tokens": "Tokens out.",
        "latency_ms": "Milliseconds of the attempt that ended the call.",
        "error": "Why there is no answer, in one sentence; `null` where there is one.",
        "provider": "Whose API was called.",
        "routing": "`vendor`, `model_id`, `mode`, `via_openrouter`, `effort` of the route.",
        "analysis": "What was found out about it, such as `ground_truth_score`.",
        "persona": "The name of the persona, if the seat has one.",
        "finish": "How it ended; see the list.",
        "error_kind": "Why it failed, in a word; see the list.",
        "served_model": "The model that the vendor says answered.",
        "cached_tokens": "Tokens in that were billed as cached.",
        "reasoning_tokens": "Tokens out that were spent on reasoning.",
        "first_token_ms": "Milliseconds until the first text.",
        "attempts": "Tries that failed before, each with time, reason and partial text.",
        "cost_usd": "Dollars; `null` where no price is known.",
        "citations": "Sources that the model or its vendor named.",
        "tool_calls": "Calls of tools with which it asks for something before it answers.",
        "cited_for": "Address -> the words of the answer that it is for, where the vendor says so.",
        "searches": "How often it searched: by its vendor's count, or with a service; "
        "`null` where that is not known.",
        "calls": "Tools of the user's own program that a final answer calls, or a panelist would: "
        "name and arguments.",
        "uses": "What was looked up with our tools before it was written: tool, arguments, result.",
        "agent_role": "Its part, where the mode assigns roles: `PRIMARY`, `OPPOSITION`, ...",
        "perspective": "The viewpoint it argued from, where the mode assigns one.",
        "team": "Its team, where the mode has teams: `red` or `blue`.",
        "position": "The answer in one or two sentences, where the mode asks for structure.",
        "reasoning": "Why, with the evidence.",
        "key_points": "Two or three short sentences.",
        "confidence": "How sure it says it is, 0 to 1.",
        "stance": "`for`, `against` or `neutral`.",
        "stated_stance": "What was said where `stance` had to be the assigned one.",
        "critique": "Strengths and weaknesses by seat.",
        "ballot": "The seats it ranked, best first, ties together.",
        "questions": "Questions it left open.",
        "requests": "What it says that only the user can tell it.",
        "closing": "The lines that close it, as data: `bottom_line`, `estimate`, `views` of the "
        "others, `change`, and `raw`; `null` where there are none.",
        "findings": "Of a review, the defects that it reports: `path`, `line`, `heading`, "
        "`severity`, `claim`, `quote`, `fix`, and whether the quote is in the text (`quoted`).",
        "matrix": "Of a decision, the `options` and `criteria` (with weights) that it names, its "
        "`scores` of those of the panel with reasons, and pairs that it takes for the `same`.",
        "verdicts": "Of a check, what it says of each finding of others: `label`, `verdict`, "
        "`quote`, `reason`, and whether the quote is in the text (`quoted`).",
        "samples": "The samples that it was chosen from: how many were `asked` and `usable`, which "
        "is `chosen`, and how many gave each of the `answers`; `null` where it is the only one.",
        "flags": "What could not be read or was against the rules, its own name where readers are "
        "not to know it among it.",
        "chosen": "Of a final answer that nobody wrote anew: `about`, the key of the panelist's "
        "answer that it is, and the `reason`; its tokens and cost are counted there.",
    },
}

TRANSCRIPT: dict[str, str] = {
    "schema_version": "The version of this shape.",
    "transcript_id": "The debate's UUID.",
    "query": "What was asked.",
    "panel": "The model ids on the panel, in order.",
    "synthesizer_id": "The model id of the synthesizer.",
    "max_rounds": "How many rounds could follow the first answers.",
    "created_at": "When the debate was opened, in UTC.",
    "updated_at": "When its last event happened.",
    "worked_seconds": "How long somebody was at work on it, without the time it lay stopped.",
    "status": "Where it stands; see the list of status words.",
    "heading": "What happened, in one line: the heading of the answer.",
    "closed": "`reason` and `text` of its end.",
    "brief": "Everything that decided how it went, without the query and the id.",
    "rounds": "Each with `round_number`, `round_type`, `responses` and `measures`.",
    "asides": "Answers that are no panelist's turn: digests, a follow-up, the judge's replies.",
    "failed_syntheses": "Synthesizers that were tried and failed.",
    "cited": "Citations whose pages were looked at; `metadata.citation_checks` has the verdicts.",
    "outcome": "How it turned out, as the user said: `outcome`, `note`, `at`; null if unknown.",
    "remarks": "What the user said to the panel on the way, in order.",
    "heard": "For each of them, as far as anybody was told: the number of the round in which it "
    "was told first; -1 for the final answer.",
    "requests": "What panelists asked of the user: `seat`, `round_number`, `text`, and whether a "
    "remark has `answered` it since.",
    "superseded": "Answers that a later one took the place of; they were paid for.",
    "synthesis": "The final answer, or `null`.",
    "fallback_answer": "Without a synthesis: the answer nearest to all others, or `null`.",
    "notes": "What the reader should know: `at`, `code`, `text`, `seat`.",
    "asked": "Key -> hash of every request.",
    "pending": "Keys of requests that went out and were never answered.",
    "bought_twice": "Calls that were in flight when a debate broke off, and were made again. "
    "Those that waited for their turn count only where the process was killed at once.",
    "reused": "Keys of answers that an earlier debate paid for.",
    "labels": "Key of a request -> the labels its reader saw -> the seats they stand for.",
    "prompts": "Prompt -> hash of its text.",
    "metadata": "See below.",
}

ROUND: dict[str, str] = {
    "round_number": "0 for the first answers, 1 and up for rounds.",
    "round_type": "`initial` or `reflection`.",
    "responses": "One for each panelist that was asked, in panel order; each also has its `key`.",
    "measures": "`agreement`, the `measure` that found it, `disagreements`, `consensus` "
    "(clusters, common ground, conflicts, nuances, verdicts on pairs), `groupthink`, and `exit` "
    "with `reason` and `details` where no round followed; after a vote, the `tally`; of a review, "
    "which findings are the same (`same_findings`).",
}

METADATA: dict[str, str] = {
    "version": "The version of the program.",
    "resolved_config": "The effective configuration, without any key.",
    "providers_used": "The vendors that were called.",
    "panelist_context": "Seat -> private context, where there was any.",
    "experiment": "The experiment's metadata, where there was any.",
    "scores": "Key of a response -> the judge's score of it, where there was a judge.",
    "decision": "The decision layer: level, action, reason and hints, where measured.",
    "movement": "Who moved, towards whom and after reading what, where measured.",
    "value": "What a single answer, a plain vote or an earlier stop would have given.",
    "account": "What is said about the debate in words: headline, who holds what, what was "
    "corrected, what stays open, the cost, and how that is known.",
    "ledger": "Positions, contested issues, common ground, minority claims with their fate, "
    "corrections and what is missing; `source` says whether an analyst read it or the panel itself "
    "said it.",
    "stats": "See below.",
}

STATS: dict[str, str] = {
    "total_tokens": "Tokens of all calls.",
    "per_model": "Seat -> `tokens`, `input_tokens`, `output_tokens`, `calls` and, where known, "
    "`cost_usd`, `unpriced_calls`, `retries`, `cached_tokens`.",
    "total_cost_usd": "Dollars, as far as prices are known; left out where none is.",
    "unpriced_calls": "Calls whose price is not known; left out where there are none.",
    "reused_calls": "Answers that an earlier debate paid for; left out where there are none.",
    "reused_tokens": "Their tokens.",
    "reused_cost_usd": "What the earlier debate paid for them.",
    "convergence": "Round -> agreement.",
    "rounds_to_convergence": "The first round with an agreement of 0.7 or more, or `null`.",
    "disagreement_count": "Pairs that contradicted each other in the last round; `null` where "
    "that was not measured.",
}

CODES: dict[str, str] = {
    "absent": "A call gave no usable answer.",
    "served_by": "Another model answered than the one asked for.",
    "invisible": "An answer has characters that nobody sees and other models read.",
    "truncated": "An answer was cut at a length limit.",
    "unsearched": "A vendor refused to search by itself, so that its model answered without.",
    "request": "A panelist asks for something that only the user knows; a remark answers it.",
    "samples": "How the samples of one seat are spread, of which one is its answer.",
    "cut": "An answer was too long to be quoted whole to the others.",
    "summarised": "The oldest rounds were summarised for a reader whose context is too small.",
    "not_described": "Nobody could say what is on the pictures: who sees none sat out.",
    "not_summarised": "They could not be, for the reason that is said; long answers were cut.",
    "cut_short": "No further round was held, since time or money end: the answer is there.",
    "not_saved": "What happens from here on is kept in memory: it could not be written, and why.",
    "saved": "All of that is on record again.",
    "damaged": "Events of the stored debate could not be read; this stands in their place.",
    "not_scored": "The judge could not be asked; the answer stands.",
    "not_analyzed": "The analyst could not be asked, or its reply not be read; the answer stands.",
    "imported_cost": "An imported transcript names a cost that its responses do not account for.",
}

REASONS: dict[str, str] = {
    "done": "It ran to its end.",
    "paused": "Somebody paused it.",
    "stopped": "Somebody stopped it.",
    "quorum": "Too few usable answers.",
    "resting": "Its worker was stopped, or all workers are paused; it goes on by itself.",
    "synthesis": "No synthesizer managed to write the answer.",
    "budget": "The next calls could have exceeded `--max-cost`.",
    "credits": "A vendor wants to be paid first.",
    "timeout": "The time limit of the debate was reached.",
    "interrupted": "Ctrl-C or another signal.",
}

STATUSES: dict[str, str] = {
    "created": "Opened; nobody was asked yet. `dissent list` shows it as queued.",
    "active": "Being worked on.",
    "paused": "Somebody paused it; it can be resumed.",
    "completed": "There is an answer.",
    "error": "It ended without a synthesis: below quorum, or no synthesizer succeeded.",
    "interrupted": "Its process was stopped or died; it can be resumed.",
    "stopped": "A limit or somebody stopped it; it can be resumed.",
}

FINISHES: dict[str, str] = {
    "complete": "Whole.",
    "incomplete": "The stream broke off; the partial text is kept and not used.",
    "refused": "The model declined.",
    "filtered": "The vendor's filter held it back.",
    "empty": "There was no text.",
    "truncated": "Cut at a length limit; kept and used.",
    "failed": "There was no answer; `error_kind` says why.",
    "late": "It was not waited for, since enough others had answered or the time was up.",
    "unsent": "The request never went out; `error` says why. It is no call, and costs nothing.",
}

ERROR_KINDS: dict[str, str] = {
    "auth": "The key was refused.",
    "forbidden": "The key is good, but not for this model, or not from here.",
    "credits": "The vendor wants to be paid first.",
    "rate_limit": "Too many calls; tried again after the time the vendor asks for.",
    "overloaded": "The vendor is overloaded or broken; tried again.",
    "timeout": "It took too long.",
    "connection": "The vendor could not be reached, or the connection broke.",
    "bad_request": "The vendor, or a check before the call, did not accept the request.",
    "unknown_model": "The vendor does not know the model.",
    "bad_response": "What came back could not be read.",
    "refused": "The model declined.",
    "filtered": "The vendor's filter held it back.",
    "cancelled": "The debate was stopped meanwhile.",
    "unseen": "It sees no pictures, and nobody could say what is on them: it was not asked.",
}

FILES: dict[str, str] = {
    "config.toml": "The settings.",
    "dissent.db": "The record: every event of every debate (SQLite).",
    "transcripts/": "One JSON file for each debate that has ended, written from the record.",
    "prompts/": "Your own prompts; a file here replaces ours of that name.",
    "system-prompts.yaml": "The same in one file; the folder goes before it.",
    "models/": "The embedded models' weights that `dissent local pull` fetched or took in.",
    "openrouter-models.json": "Prices and context sizes last fetched from OpenRouter.",
    "logs/": "What should not have happened. Holds no key.",
}
