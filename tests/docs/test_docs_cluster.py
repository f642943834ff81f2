"""The files for many machines are sound as far as that can be told without running them."""

from __future__ import annotations

from pathlib import Path

import click
import yaml

from mutual_dissent.surfaces.cli import cli

HERE = Path(__file__).resolve().parents[2] / "deploy" / "cluster"


def takes(words):
    """Whether the program has such a command with such options."""
    context = click.Context(cli, info_name="dissent")
    command = cli.get_command(context, words[0])
    if isinstance(command, click.Group):
        command, words = command.get_command(context, words[1]), words[1:]
    command.make_context(words[0], list(words[1:]))
    return True


def kubernetes():
    return list(yaml.safe_load_all((HERE / "kubernetes.yaml").read_text("utf-8")))


def containers():
    for thing in kubernetes():
        yield from thing["spec"].get("template", {}).get("spec", {}).get("containers", [])


def test_every_command_of_the_compose_file_is_one_that_the_program_takes():
    services = yaml.safe_load((HERE / "compose.yaml").read_text("utf-8"))["services"]
    ours = [s for s in services.values() if s["image"].startswith("mutual-dissent")]
    assert all(takes(s["command"]) for s in ours if "command" in s)
    assert len(ours) == 3
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)


def test_workers_and_servers_wait_for_the_tables():
    services = yaml.safe_load((HERE / "compose.yaml").read_text("utf-8"))["services"]
    assert services["upgrade"]["command"] == ["db", "upgrade"]
    for name in ("worker", "serve"):
        assert services[name]["depends_on"]["upgrade"]["condition"] == (
            "service_completed_successfully"
        )


def test_every_command_of_the_kubernetes_file_is_one_that_the_program_takes():
    assert all(takes(c["args"]) for c in containers())
    assert [c["args"][0] for c in containers()] == ["db", "worker", "serve"]


def test_what_belongs_together_in_the_kubernetes_file_finds_each_other():
    labels = []
    for thing in kubernetes():
        assert {"apiVersion", "kind", "metadata", "spec"} == set(thing)
        if thing["kind"] == "Deployment":
            own = thing["spec"]["template"]["metadata"]["labels"]
            assert thing["spec"]["selector"]["matchLabels"] == own
            volumes = {v["name"] for v in thing["spec"]["template"]["spec"]["volumes"]}
            (container,) = thing["spec"]["template"]["spec"]["containers"]
            assert {m["name"] for m in container["volumeMounts"]} == volumes
            labels.append(own)
    (service,) = [t for t in kubernetes() if t["kind"] == "Service"]
    assert service["spec"]["selector"] in labels
    assert {c["envFrom"][0]["secretRef"]["name"] for c in containers()} == {"dissent"}
