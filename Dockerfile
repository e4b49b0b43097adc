# cuwarp-lint in a container: built from this checkout, then installed on a bare system.
#
#   docker build -t cuwarp-lint .
#   docker run --rm -v "$PWD:/src:ro" cuwarp-lint --no-cache .
FROM debian:bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates
COPY . /build
WORKDIR /build
RUN cmake/bootstrap.sh --install-only
RUN cmake --preset release -DCUWARP_TESTS=OFF
RUN cmake --build --preset release
RUN cd build/release && cpack -G DEB

FROM debian:bookworm-slim
COPY --from=build /build/build/release/*.deb /tmp/
RUN apt-get update && \
    apt-get install --yes --no-install-recommends git /tmp/*.deb && \
    rm -rf /tmp/*.deb /var/lib/apt/lists/*
RUN useradd --create-home lint
USER lint
RUN cuwarp-lint doctor
WORKDIR /src
ENTRYPOINT ["cuwarp-lint"]
CMD ["."]
