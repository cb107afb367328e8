# Tandem's tools, headers and libraries on Debian 12:
#   docker build -t tandem .
#   docker run --rm -v "$PWD:/work" -w /work tandem tandem-run model.onnx
# --build-arg JOBS=N compiles N files at a time; each takes about 1 GB.
FROM debian:12 AS build
ARG JOBS=2
ENV TANDEM_PRESET=release
COPY . /tandem
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && /tandem/utils/setup.sh \
    && ninja -C /tandem/build-release -j "$JOBS" \
    && cmake --install /tandem/build-release --prefix /opt/tandem --strip

FROM debian:12-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
       libdnnl2 libgomp1 libprotobuf-lite32 libsleef3 libtbb12 libxxhash0 libzstd1 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/tandem /usr/local
RUN ldconfig && tandem-run --version
CMD ["tandem-run", "--help"]
