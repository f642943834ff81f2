"""From the record to a report in any form."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.codec.plain import to_bytes
from mutual_dissent.core.errors import UserError
from mutual_dissent.experiments.design.experiment import Experiment

if TYPE_CHECKING:
    from mutual_dissent.experiments.report.provenance import Provenance
    from mutual_dissent.experiments.report.report import Report
    from mutual_dissent.experiments.results.findings import ExperimentFindings


@dataclass(frozen=True, slots=True)
class Reported:
    """A report with the figures and the provenance that it is made from."""

    report: Report
    findings: ExperimentFindings
    provenance: Provenance


def build_report(md: MutualDissent, experiment: Experiment) -> Reported:
    """Return the report on all that is on record of an experiment.

    Raises:
        UserError: if a package that statistics need is not installed.
    """
    needs_numpy()
    from mutual_dissent.experiments.jury.schedule import preferences
    from mutual_dissent.experiments.report.provenance import provenance
    from mutual_dissent.experiments.report.report import report
    from mutual_dissent.experiments.results.findings import findings
    from mutual_dissent.experiments.results.table import read_results

    read = read_results(md, experiment)
    figures = findings(
        read.results,
        experiment=experiment,
        preferences=preferences(md, experiment) if experiment.judging else (),
        seed=experiment.seed,
    )
    source = provenance(md, experiment, read.results)
    return Reported(report(experiment, figures, source), figures, source)


def needs_numpy() -> None:
    """Check that statistics can be computed.

    Raises:
        UserError: if a package that they need is not installed.
    """
    if find_spec("numpy") is None:
        raise UserError(
            "reports need numpy; install it with: pip install 'mutual-dissent[research]'"
        )


def render_report(found: Reported, form: str) -> str:
    """Return a report as `markdown`, `html` or `json`."""
    return as_json(found) if form == "json" else report_as(found.report, form)


def report_as(report: Report, form: str) -> str:
    """Return the words, tables and charts of a report as `markdown` or `html`."""
    if form == "html":
        from mutual_dissent.experiments.report.html import as_html

        return as_html(report)
    from mutual_dissent.experiments.report.markdown import as_markdown

    return as_markdown(report)


def as_json(found: Reported) -> str:
    """Return the lead in words, and every figure behind it, as JSON."""
    r = found.report
    about = {"name": r.title, "summary": r.summary, "lead": r.lead}
    plain = {**about, "provenance": asdict(found.provenance), **asdict(found.findings)}
    return to_bytes(plain, indent=True).decode() + "\n"
