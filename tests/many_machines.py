"""A real Ray cluster of several nodes on this machine, each with one core and a small object store, for tests.

python tests/many_machines.py ADDRESS OUT     climbs in OUT, on the cluster at that address
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stage_work import climbing

STORE = 80 << 20


class Many:
    """A cluster and its nodes."""

    def __init__(self, nodes: int) -> None:
        from ray.cluster_utils import Cluster

        os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)  # the nodes inherit it
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"ray://127.0.0.1:{port}"
        plain = {"object_store_memory": STORE, "include_dashboard": False}
        head = {**plain, "num_cpus": 0, "ray_client_server_port": port}
        self.cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        self.plain = plain
        self.nodes = [self.add() for _ in range(nodes)]

    def add(self) -> Any:
        """One more node, begun as by a shell in the background, which has SIGINT ignored."""
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            return self.cluster.add_node(num_cpus=1, **self.plain)
        finally:
            signal.signal(signal.SIGINT, before)

    def kill(self, node: Any) -> None:
        """A node's machine fails."""
        self.cluster.remove_node(node, allow_graceful=False)

    def kill_all(self) -> None:
        """The whole cluster is gone."""
        self.cluster.shutdown()


@contextmanager
def many(nodes: int) -> Iterator[Many]:
    """A cluster for the length of the block."""
    made = Many(nodes)
    try:
        yield made
    finally:
        made.kill_all()


if __name__ == "__main__":
    from vnla.pipeline.cluster import RayExecutor
    from vnla.pipeline.scheduler import StageCallbacks, run_stages

    with RayExecutor(sys.argv[1]) as executor:
        run_stages(climbing(Path(sys.argv[2])), Path(sys.argv[2]), StageCallbacks(), 1, executor=executor)
