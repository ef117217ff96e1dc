# A static binary in an empty image, run by nobody in particular:
#   docker build -t dprelease .
#   docker run --read-only -u "$(id -u)" -v "$PWD:/work" -w /work dprelease run job.yaml
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /release ./cmd/release

FROM scratch
COPY --from=build /usr/share/zoneinfo /usr/share/zoneinfo
COPY --from=build /release /release
USER 65534:65534
ENTRYPOINT ["/release"]
