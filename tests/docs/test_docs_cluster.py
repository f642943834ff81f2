"""The files for many machines are sound as far as that can be told without running them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import click
import pytest
import yaml

from mutual_dissent.surfaces.cli import cli

HERE = Path(__file__).resolve().parents[2] / "deploy" / "cluster"
ATTRIBUTES = {
    "DissentExperiment": "Keyword",
    "DissentMode": "Keyword",
    "DissentStatus": "Keyword",
    "DissentCost": "Double",
}
IMAGES = {
    "temporalio/server": "1.31.2",
    "temporalio/admin-tools": "1.31.2",
    "temporalio/ui": "2.52.0",
}


def takes(words):
    """Whether the program has such a command with such options."""
    context = click.Context(cli, info_name="dissent")
    command = cli.get_command(context, words[0])
    if isinstance(command, click.Group):
        command, words = command.get_command(context, words[1]), words[1:]
    command.make_context(words[0], list(words[1:]))
    return True


def compose():
    return yaml.safe_load((HERE / "compose.yaml").read_text("utf-8"))


def services():
    return compose()["services"]


def kubernetes():
    return list(yaml.safe_load_all((HERE / "kubernetes.yaml").read_text("utf-8")))


def values():
    return yaml.safe_load((HERE / "temporal-values.yaml").read_text("utf-8"))


def pods():
    for thing in kubernetes():
        if "template" in thing.get("spec", {}):
            yield thing["spec"]["template"]["spec"]


def containers():
    for pod in pods():
        yield from pod["containers"]


def ours():
    return [c for c in containers() if c["image"].startswith("mutual-dissent")]


def test_every_command_of_the_compose_file_is_one_that_the_program_takes():
    found = [s for s in services().values() if s["image"].startswith("mutual-dissent")]
    assert all(takes(s["command"]) for s in found if "command" in s)
    assert len(found) == 3


def test_everything_that_a_service_of_the_compose_file_names_is_there():
    named = compose()
    for service in named["services"].values():
        assert set(service.get("depends_on", {})) <= set(named["services"])
        for mount in service.get("volumes", []):
            source = mount.partition(":")[0]
            assert source in named["volumes"] or (HERE / source).is_dir()
    for name in ("temporal-schema", "temporal-namespace"):
        (script,) = named["services"][name]["command"]
        assert (HERE / "temporal" / script.removeprefix("/setup/")).is_file()
    dynamic = named["services"]["temporal"]["environment"]["DYNAMIC_CONFIG_FILE_PATH"]
    assert (HERE / "temporal" / dynamic.removeprefix("/setup/")).is_file()


def test_workers_and_servers_wait_for_the_tables_and_for_temporal():
    found = services()
    assert found["upgrade"]["command"] == ["db", "upgrade"]
    for name in ("worker", "serve"):
        waits = found[name]["depends_on"]
        assert waits["upgrade"]["condition"] == "service_completed_successfully"
        assert waits["temporal-namespace"]["condition"] == "service_completed_successfully"
    assert found["temporal"]["depends_on"]["temporal-schema"]["condition"] == (
        "service_completed_successfully"
    )


def test_temporal_keeps_what_it_knows_in_databases_of_its_own():
    found = services()
    temporal = found["temporal"]["environment"]
    assert temporal["POSTGRES_SEEDS"] == found["temporal-schema"]["environment"]["SQL_HOST"]
    assert "@db:" in found["worker"]["environment"]["MUTUAL_DISSENT_DB"]
    assert temporal["POSTGRES_SEEDS"] != "db"
    stores = values()["server"]["config"]["persistence"]["datastores"]
    assert [s["sql"]["databaseName"] for s in stores.values()] == [
        "temporal",
        "temporal_visibility",
    ]


def test_images_of_temporal_are_pinned_to_one_version_everywhere():
    pinned = dict(IMAGES)
    used = [s["image"] for s in services().values()] + [c["image"] for c in containers()]
    for image in used:
        name, _, tag = image.partition(":")
        assert pinned.get(name, tag) == tag, image
        assert tag or name.startswith("mutual-dissent"), image
    chart = values()
    assert chart["server"]["image"]["tag"] == pinned["temporalio/server"]
    assert chart["admintools"]["image"]["tag"] == pinned["temporalio/admin-tools"]
    assert chart["web"]["image"]["tag"] == pinned["temporalio/ui"]


def test_nothing_but_this_machine_reaches_the_ports_of_the_compose_file():
    ports = [p for s in services().values() for p in s.get("ports", [])]
    assert ports
    assert all(p.startswith("127.0.0.1:") for p in ports)


def test_a_worker_is_given_longer_to_end_than_it_gives_its_calls():
    def grace(words):
        return int(words[words.index("--grace") + 1])

    worker = services()["worker"]
    assert int(worker["stop_grace_period"].rstrip("s")) > grace(worker["command"])
    (pod,) = [p for p in pods() if p["containers"][0]["name"] == "worker"]
    assert pod["terminationGracePeriodSeconds"] > grace(pod["containers"][0]["args"])


def test_every_command_of_the_kubernetes_file_is_one_that_the_program_takes():
    assert all(takes(c["args"]) for c in ours())
    assert [c["args"][0] for c in ours()] == ["db", "worker", "serve"]


def test_what_belongs_together_in_the_kubernetes_file_finds_each_other():
    labels = []
    maps = {t["metadata"]["name"] for t in kubernetes() if t["kind"] == "ConfigMap"}
    for thing in kubernetes():
        assert {"apiVersion", "kind", "metadata"} < set(thing)
        if thing["kind"] == "Deployment":
            own = thing["spec"]["template"]["metadata"]["labels"]
            assert thing["spec"]["selector"]["matchLabels"] == own
            volumes = {v["name"] for v in thing["spec"]["template"]["spec"]["volumes"]}
            (container,) = thing["spec"]["template"]["spec"]["containers"]
            assert {m["name"] for m in container["volumeMounts"]} == volumes
            assert {r["configMapRef"]["name"] for r in container["envFrom"][1:]} <= maps
            labels.append(own)
    (service,) = [t for t in kubernetes() if t["kind"] == "Service"]
    assert service["spec"]["selector"] in labels
    (budget,) = [t for t in kubernetes() if t["kind"] == "PodDisruptionBudget"]
    assert budget["spec"]["selector"]["matchLabels"] in labels
    assert {c["envFrom"][0]["secretRef"]["name"] for c in ours()} == {"dissent"}


def test_probes_ask_at_ports_that_their_containers_have():
    for container in ours():
        names = {p["name"] for p in container.get("ports", [])}
        for kind in ("startupProbe", "livenessProbe", "readinessProbe"):
            probe = container.get(kind, {})
            for way in ("httpGet", "tcpSocket"):
                assert way not in probe or probe[way]["port"] in names
    (worker,) = [c for c in ours() if c["name"] == "worker"]
    (port,) = [p["containerPort"] for p in worker["ports"]]
    assert worker["env"][0]["value"].endswith(f":{port}")


def test_no_secret_stands_in_a_file():
    for file in [*HERE.rglob("*.yaml"), *HERE.rglob("*.sh")]:
        for line in file.read_text("utf-8").splitlines():
            found = re.match(r"\s*[\w.]*(?:PASSWORD|PWD|password|API_KEY)\s*[:=]\s*(.+)", line)
            assert not found or found[1].startswith("${"), (file.name, line)


def test_every_search_attribute_is_made_as_the_program_expects_it():
    payloads = pytest.importorskip("mutual_dissent.hosting.temporal.payloads")
    assert payloads.ATTRIBUTES == ATTRIBUTES
    (job,) = [c for c in containers() if c["name"] == "search-attributes"]
    words = " ".join(w.replace("=", " ") for w in job["args"])
    script = (HERE / "temporal" / "namespace.sh").read_text("utf-8")
    for text in (words, script):
        assert dict(re.findall(r"--name (\w+) --type (\w+)", text)) == ATTRIBUTES


@pytest.mark.temporal
def test_the_script_for_the_namespace_does_its_work_and_may_run_again():
    from fakes.temporal import a_server
    from mutual_dissent.hosting.temporal.dev_server import program

    address = f"127.0.0.1:{a_server().port}"
    env = {
        "PATH": f"{Path(program()).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": os.environ.get("HOME", "/tmp"),
        "TEMPORAL_ADDRESS": address,
        "TEMPORAL_NAMESPACE": "from-the-script",
    }
    for _ in range(2):
        subprocess.run(["sh", HERE / "temporal" / "namespace.sh"], env=env, check=True, timeout=60)
    words = ["temporal", "operator", "search-attribute", "list", "-n", "from-the-script"]
    listed = subprocess.run(words, env=env, check=True, capture_output=True, text=True).stdout
    assert all(name in listed for name in ATTRIBUTES)
