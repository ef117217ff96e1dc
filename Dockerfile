# A static binary and the CA certificates in an empty image, run by nobody in particular:
#   docker build -t dprelease .
#   docker run --read-only -u "$(id -u)" -v "$PWD:/work" -w /work dprelease run job.yaml
# Mount the folder of the ledger, never the ledger's file by itself. BUILDER is the image that compiles; a tag can move, so give its digest to build the
# same image again (docs/dev/releasing.md says how to look it up):
#   docker build --build-arg BUILDER=golang:1.26@sha256:… -t dprelease .
ARG BUILDER=golang:1.26
FROM ${BUILDER} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download && go mod verify
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w -buildid=" -o /release ./cmd/release

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /release /release
USER 65534:65534
ENTRYPOINT ["/release"]
