package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// built is a program for one platform, and what its file says of itself.
type built struct {
	path     string
	os, arch string
	info     *buildinfo.BuildInfo
	time     time.Time // of the commit
}

// settings are all that Go lets the environment say about the bytes of a program: the user's own must not count.
var settings = []string{
	"CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off", "GOAMD64=v1", "GOARM64=v8.0",
}

// build compiles the command in the repository source, as committed, to the file path.
func build(ctx context.Context, source, path, platform string) (*built, error) {
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return nil, errors.New("a platform is GOOS/GOARCH")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=", "-o", path, "./cmd/release")
	cmd.Dir = source
	cmd.Env = append(append(os.Environ(), settings...), "GOOS="+goos, "GOARCH="+goarch)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, bytes.TrimSpace(text))
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b := &built{path: path, os: goos, arch: goarch, info: info}
	return b, b.check()
}

// check refuses a program that nobody else could build: one of files that are not committed, or of replaced modules.
func (b *built) check() error {
	if b.setting("vcs.revision") == "" {
		return errors.New("the program names no commit: make it in a clone of the repository (Go reads no worktrees of git)")
	}
	if b.setting("vcs.modified") != "false" {
		return errors.New("the repository has changes that are not committed: what is published must be a commit")
	}
	if b.setting("GOEXPERIMENT") != "" {
		return errors.New("go env names an experiment: unset it with go env -u GOEXPERIMENT")
	}
	for _, m := range b.info.Deps {
		if m.Replace != nil || m.Sum == "" {
			return fmt.Errorf("the module %s is not the published one", m.Path)
		}
	}
	var err error
	b.time, err = time.Parse(time.RFC3339, b.setting("vcs.time"))
	return err
}

// setting is one of those that the program was built with.
func (b *built) setting(key string) string {
	for _, s := range b.info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// version is the tag of the commit, or Go's name for a commit without one, without the v.
func (b *built) version() string { return strings.TrimPrefix(b.info.Main.Version, "v") }
