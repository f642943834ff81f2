"""The words of docs/evidence.md; scripts/evidence.py fills in what the recordings show."""

INTRO = """
Models were asked once, by others, and their answers were recorded. Here the same answers are
decided again by different rules: nobody is asked, and whatever is learnt is tried on questions from
which it was not learnt. `scripts/evidence.py` writes this page. Brackets hold 95 % intervals: of
shares Wilson's, on the number of questions; of means and differences by resampling questions.
"Points" are percentage points.
"""

UNEVEN = """
{panels} panels of five vendors can be made of the models recorded on {recording} in which one
member is at least 10 points ahead of the second. Their best member is right in {best} of
{questions} questions; a plain vote changes that by {plain} points.

Of {pairs} adversarial pairs of LLMBar, GPT-4 judges {judge} right alone, a majority of six judges
{majority}. Weights that are learnt without known answers make it worse, {blind}: where most share
an error, they believe in it.
"""

ROUNDS = """
These recordings have first answers only. They cannot say what a round of debate gains, but they
bound it where first answers agree: {parts}. A round that is held whatever the first answers were
spends so much of its cost on questions of which next to nothing is left to gain.
"""

TRIOS = """
Which three of all recorded models make the best panel can be learnt from four fifths of the
questions. On the last fifth a plain vote of those three changes what the best model alone has by
{parts}.
"""

MAJORITY = """
One of the {reviewers} reviewers finds {one} of the {defects} verified defects on average; what at
least two of three found has {three}, at least three of five {five}. As a filter a vote throws out
what one reviewer was right about.
"""

LIMITS = """
*Panels of two:* {two}. None ships.

*Even panels of three:* {even}. On all panels of three it holds (below).

*Facts:* on SimpleQA, panels of three vendors were right as follows; the table for numbers says
{all_agree} where three agree and {two_agree} where two do. Where models search, two that agree on a
name are right far more often than that; where they answer from memory, names and numbers look worse
than the table, on few questions. No chance ships for names and dates, and the one for numbers is
about numbers that are worked out, not remembered.
"""

TWO = "made from {made_from} and tried on {tried_on}, a table is off by {error} points (n = {n})"
EVEN = """made from {made_from} alone, the table is off by {error} points on those of {tried_on}
whose members are within 6 points of each other (n = {n})"""

SIGNAL = """
How often the leading answer is right, by how many gave it, of those that gave any; over all panels
of different vendors. Of answers that lead with as many members each, any one counts, so that `1 of
3` is the chance of one of three different answers. The column `said` is what the program says of
closed answers that are numbers: a mean of the recordings, each with a voice that grows with its
cases, and of a plain model of panels with a quarter of a voice (questions of every difficulty, ten
wrong answers). It never falls as the group grows. Intervals are on as many questions as the cases
are worth.
"""

CHECKED = """
Made from one recording and tried on all panels of the other: the mean distance between what is said
and what happened, weighted by cases. Sizes ship for which it is at most 5 points both ways: {held}.
Panels of seven can be made on one recording only and are not checked.

How the voices are weighed was settled with both recordings in view, so that this check flatters a
little. Of {tried} settings ({settings}), {good} keep panels of three, four and five within 5 points
both ways: all those with {many} wrong answers, and none with {few}. Shares as they were recorded,
without any model, are off by {raw}.

The table that ships, made from both, was also tried on what it is not made for: four models of one
vendor from 2021, right in 22 to 56 %. There it is off by {outside}, always upwards.
"""

WEIGHTS = """
Panels of five vendors. Even: all members within 6 points; one ahead: by at least 10 points. Votes
are weighed by the program's own rule, `--rule weighted`: clipped log-odds of being right, shrunk to
the panel's pooled rate. The record is learnt with known answers in five folds, as is which member
is best. "Won back" is the share of what a plain vote loses that weights win back, where it loses.
"""

WON_BACK = """
On GSM8K no panel of five has a member so far ahead. The rule has one figure that was chosen with
{recording} in view, the chance that earns no weight (two in five; for yes or no one in two): of
what a plain vote loses where one is ahead, weights win back {chances}.

Of {pairs} adversarial pairs of LLMBar, six judges weighed by the same rule have {weighted} right,
against {majority} by majority and {judge} by GPT-4 alone: {share} of the loss is won back.
"""

TWO_FIRST = """
The two members who are trusted most are asked; the other three only where those differ. Against
asking all five, with weights:
"""

ESCALATE = """
The mode's own script, played over the same panels, with answers compared as in a debate and members
asked in the order of their record, learnt in five folds. Against a plain vote of all five. The
recordings have no second round: where the mode would hold one, its calls and that of the synthesis
are counted, and the plurality stands as it was. So the round costs here what it may be worth, and
gains nothing.

Where the members are good, two suffice for nearly everything, at {good} calls a question. Where
they are right in little more than half of the cases, as on the {hard} even panels of MATH, the two
differ so often that even the first answers are {answers} a question, and with the round it takes
{calls} calls: more than asking all five. Such questions are what rounds are for; a plain vote is
cheaper.
"""

UNION = """
The union of three finds {three} of the verified defects, of five {five}. The price is more to read:
of what one reviewer says {one_right} is a verified defect, of what three say {three_right}.

Whether two findings are the same was told by their rare words alone. A finding that nobody else had
is right in {alone} (n = {n_alone}), one that two had in {two} (n = {n_two}), one that three or more
had in {more} (n = {n_more}). So keep all, and show first what several found.
"""

REVIEWED = """
Mode `review` puts first what two of two or three found, on larger panels three and two in five, and
drops nothing. Its own code told which findings are the same, by the words of their claims alone:
these recordings have no lines, quotes or severities. How alike two claims must be, and how many
have to report one, were chosen on every second change from the first on. Of the other half, the
figures for three and twelve had been seen before the rule for four and more was chosen; those for
five were looked at once, afterwards. Panels of three and five are means over 220 panels.

The last column flatters: right findings are put together by the defect that they were matched to,
wrong ones by the program. Even so it is no more than three in four for three reviewers on the half
that was tuned on. What is missing there is not grouping alone: two reviewers also agree on what is
so and was not counted as a defect, such as a typing error, a test that is not there, a hard-coded
locale. Stricter likeness, words that tell of trifles and findings of all three were tried on that
half and gain 1, 3 and 10 points, the last with a sixth of the findings; none is used. So of what
two of three found, about two in three are verified defects here, not three in four, and the program
has the third reviewer check it: a refutation with a quote that is in the text moves it down. What
checks are worth is not in the recordings. A place in a reviewer's list was not used either: in this
recording, matched findings stand first.

The embedded agreement model has no part in it any more. It was tried once, by hand, on 220 pairs
drawn from the 1,216 of the half that was tuned on whose words leave it in doubt: it was sure of 16
that they say the same. Of the 11 of these for which it can be told, 3 were the same defect and 8
were not; of 42 pairs that were, it missed 39. Reviewers who check are asked instead which findings
are one.
"""

AGAIN = """
Fetch the public repositories named above and bring each into JSON lines, as
[research](research.md) describes: for answers `question`, `truth` and `answers` (model -> `answer`,
`correct`), for verdicts `label` and `verdicts`, for reviews `defects` and `reviews`; for SimpleQA
`question`, `truth`, `kind` and `answers` (model -> `text`, `grade`). The names of the files are in
the table. Then `python scripts/evidence.py FOLDER` writes this page and the table that ships with
the program; a test compares both with what it makes, where the recordings are at hand. `dissent
bench recorded FILE` shows more of any of these files, and of your own.
"""
