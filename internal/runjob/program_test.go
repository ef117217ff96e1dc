//go:build check

package runjob

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"
)

// Two builds of uncommitted sources have the same version: the digests of their executables differ.
func TestBuildName(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.0": "v1.2.0", "devel-12ab": "devel-12ab", "devel": "devel d1", "devel-12ab+dirty": "devel-12ab+dirty d1",
		"v0.0.0-20261123-12ab+dirty": "v0.0.0-20261123-12ab+dirty d1", "unknown": "unknown d1",
	} {
		if got := buildName(version, func() string { return "d1" }); got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

// The digest is of the executable that runs.
func TestExecutableDigest(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	if got, want := ExecutableDigest(), hex.EncodeToString(sum[:]); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
