# memu_py with its server, for PostgreSQL: `docker build -t memu .`
FROM rust:1.88-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3-dev python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN python3 -m venv /build \
    && /build/bin/pip install --no-cache-dir "maturin>=1.9,<2" \
    && /build/bin/maturin build --release --locked --strip --interpreter python3 --out dist

FROM python:3.11-slim-bookworm
COPY --from=build /src/dist/*.whl /tmp/
# All extras that a server uses; `audio` and `video` only where recordings come in.
ARG EXTRAS=server,postgres,documents,ocr,remote-blobs
RUN wheel=$(ls /tmp/*.whl) && pip install --no-cache-dir "$wheel[$EXTRAS]" && rm "$wheel"
RUN useradd --create-home --uid 10001 memu && mkdir /data && chown memu:memu /data
USER memu
WORKDIR /data
EXPOSE 8765
ENTRYPOINT ["memu"]
CMD ["serve", "--host", "0.0.0.0"]
