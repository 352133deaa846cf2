"""Episodes as a results file, which the authors' evaluation reads and `vnla score` scores."""

from __future__ import annotations

from pathlib import Path

from vnla.common import files
from vnla.common.progress import Share, unheard
from vnla.evaluation.results import result_line, results_of_trace
from vnla.evaluation.scores import is_success
from vnla.recordings.recording import Batch
from vnla.recordings.sources import EpisodeSource


def write_authors(out: Path, source: EpisodeSource, progress: Share = unheard) -> Path:
    """Write the episodes as `SPLIT.json` in the new folder `out`; the file."""
    name, done = f"{source.split}.json", 0
    with files.new_folder(out) as folder, (folder / name).open("w", encoding="utf-8") as stream:
        for batch in source.batches():
            for line in _lines(batch):
                stream.write(f"{',' if done else '['}\n{line}")
                done += 1
            progress(done, source.count)
        stream.write("\n]\n" if done else "[]\n")
    return out / name


def _lines(batch: Batch) -> list[str]:
    last = batch.trace.pose[:, -1].to(batch.tasks.goals.device)
    success = is_success(batch.tasks.environment.distance_left(last, batch.tasks.goals)).tolist()
    return [result_line(each) for each in results_of_trace(batch.tasks, batch.trace, success)]
