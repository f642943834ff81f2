"""Builds of the worker, as Temporal knows them: it gives debates to the current one only.

Debates move to the current build as soon as they go on (auto-upgrade, not pinned): their state is
in the record, and the build that began them may be gone.
"""

from __future__ import annotations

import re
from datetime import timedelta

from temporalio.api.workflowservice.v1 import (
    DescribeWorkerDeploymentRequest,
    SetWorkerDeploymentCurrentVersionRequest,
)
from temporalio.client import Client
from temporalio.common import VersioningBehavior, WorkerDeploymentVersion
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import WorkerDeploymentConfig

from mutual_dissent.config.addresses import Address
from mutual_dissent.config.sections import ClusterOptions
from mutual_dissent.hosting.build import own_build
from mutual_dissent.hosting.engine import EngineError
from mutual_dissent.hosting.temporal.connection import temporal_command, translate_errors

PATIENCE = timedelta(seconds=20)
"""A server that has just begun does not know at once what builds are."""

SINCE = "1.29"
"""The oldest server version on which a build can be made current before it has workers."""


def deployment(options: ClusterOptions) -> WorkerDeploymentConfig | None:
    """Return a worker's deployment with its build; None if it is not versioned."""
    if not options.is_versioned:
        return None
    version = WorkerDeploymentVersion(deployment_name(options), options.build or own_build())
    return WorkerDeploymentConfig(
        version=version,
        use_worker_versioning=True,
        default_versioning_behavior=VersioningBehavior.AUTO_UPGRADE,
    )


def deployment_name(options: ClusterOptions) -> str:
    """Return the name that all builds of a queue's workers share."""
    # Temporal writes name and build with a dot or a colon between them: neither may be in a name.
    return re.sub(r"[^A-Za-z0-9_-]+", "-", options.queue)


async def current(client: Client, name: str) -> str | None:
    """Return the current build; empty for workers without one, None if none was made current.

    Raises:
        RPCError: if the server does not say.
    """
    try:
        described = await client.workflow_service.describe_worker_deployment(
            DescribeWorkerDeploymentRequest(namespace=client.namespace, deployment_name=name),
            retry=True,
            timeout=PATIENCE,
        )
    except RPCError as e:
        if e.status is RPCStatusCode.NOT_FOUND:
            return None
        raise
    routing = described.worker_deployment_info.routing_config
    chosen = routing.current_deployment_version.build_id
    # Workers without a build can be the choice as well: only the time tells that from none.
    return chosen if chosen or routing.HasField("current_version_changed_time") else None


async def adopt_version(client: Client, address: Address, version: WorkerDeploymentVersion) -> str:
    """Make this build current if none is; return a note if another one is.

    Raises:
        EngineError: if the server knows nothing of builds, or does not let this machine say.
    """
    name, build = version.deployment_name, version.build_id
    try:
        with translate_errors(address):
            chosen = await current(client, name)
            if chosen is None:
                await _make_current(client, version)
                return ""
    except EngineError as e:
        raise EngineError(
            f"{e.sentence}; workers that say which build they are need a Temporal server of "
            f"{SINCE} or later (versioning under [cluster])"
        ) from None
    return "" if chosen == build else how_to_switch(address, name, chosen, build)


def how_to_switch(address: Address, name: str, found: str, build: str) -> str:
    """Return how to make another build current."""
    holders = f"the build {found}" if found else "workers that do not say which build they are"
    return (
        f"debates go to {holders}, and this worker is {build}: it waits until that is made "
        f"the current one with: {current_version(address, name, build)}"
    )


def current_version(address: Address, name: str, build: str = "") -> str:
    """Return the command that makes a build current; without one, workers that name none."""
    to = ("build_id", build) if build else ("unversioned", "")
    set_it = "worker deployment set-current-version"
    return temporal_command(set_it, address, ("deployment_name", name), to)


async def _make_current(client: Client, version: WorkerDeploymentVersion) -> None:
    await client.workflow_service.set_worker_deployment_current_version(
        SetWorkerDeploymentCurrentVersionRequest(
            namespace=client.namespace,
            deployment_name=version.deployment_name,
            build_id=version.build_id,
            identity=client.identity,
            # This worker begins to take debates only after this.
            allow_no_pollers=True,
        ),
        retry=True,
        timeout=PATIENCE,
    )
