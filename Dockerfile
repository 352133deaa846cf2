# docker build -t vnla .            docker run --rm -it -v "$PWD:/work" vnla demo
FROM python:3.12-slim AS build
WORKDIR /source
RUN pip install --no-cache-dir build
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m build --wheel --outdir /wheels

FROM python:3.12-slim
# An extra index whose PyTorch is for CPUs makes the image several gigabytes smaller: --build-arg PIP_EXTRA_INDEX_URL=…
ARG PIP_EXTRA_INDEX_URL
# A C compiler, since Triton builds what calls a GPU's kernels: docker run --gpus all …
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 vnla \
    && mkdir /work && chown vnla /work
COPY constraints.txt /tmp/
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir -c /tmp/constraints.txt "$(ls /wheels/*.whl)[serve,hdf5,parquet]"
USER vnla
WORKDIR /work
EXPOSE 8000
ENTRYPOINT ["vnla"]
CMD ["--help"]
