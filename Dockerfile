# dccvp on a plain Debian 12, from its Debian package:
#   docker build -t dccvp . && docker run --rm -v "$PWD:/work" dccvp run my.yaml
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends make
WORKDIR /src
COPY . .
RUN make deb

FROM debian:12
COPY --from=build /src/build/package/dccvp_*.deb /tmp/
RUN apt-get update && apt-get install -y /tmp/dccvp_*.deb && rm -rf /tmp/dccvp_*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["dccvp"]
CMD ["--help"]
