"""A process of `vnla bench scale` that begins to train and tells when it had come how far.

It loads things in the order and in the way of `vnla train`: this module stays free of PyTorch, so that loading it is part
of what is measured.
"""

from __future__ import annotations

import time
from multiprocessing.connection import Connection

from vnla.common.machine import awaken, loading


def begin(pipe: Connection, device: str, hidden: int, view_size: int, batch: int, seed: int) -> None:
    """Send the time at the end of each part, by its name."""
    times = {"Python": time.time()}
    with loading("torch"):
        from benchmarks.measure import wait_for
        from benchmarks.setting import bare_setting
        from vnla.training.config import TrainingConfig
        from vnla.training.trainer import Trainer
    times["PyTorch"] = time.time()
    if device != "cpu":
        with loading("torch._dynamo"):
            from vnla.common.capture import load_compilers

            awaken(device)
            load_compilers()
        times["what compiles"] = time.time()
    setting = bare_setting(500, hidden=hidden, view_size=view_size, seed=seed, device=device)
    times["world and agent"] = time.time()
    config = TrainingConfig(batch=batch, seed=seed, precision="float32" if device == "cpu" else "tf32")
    trainer = Trainer(setting.context, setting.tasks, config, learns_to_ask=True)
    trainer.compare()
    wait_for(device)
    times["minds compared"] = time.time()
    for name in ("first iteration, with compiling and capturing", "second iteration"):
        trainer.iterate()
        wait_for(device)
        times[name] = time.time()
    pipe.send(None)
    pipe.recv()
    pipe.send(times)
