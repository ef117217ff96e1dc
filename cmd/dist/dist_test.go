package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"aead.dev/minisign"
	cdx "github.com/CycloneDX/cyclonedx-go"
)

// clone copies the repository, as committed, to a folder of its own.
func clone(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("this is no clone of the repository: there is no commit to build")
	}
	dir := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.Command("git", "clone", "--quiet", "--no-hardlinks", root, dir).CombinedOutput(); err != nil {
		t.Skipf("git cannot clone the repository here: %s", out)
	}
	return dir
}

// contents are all files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestDistribution makes a release in two clones in two folders, with other settings of Go around them: the bytes are the
// same, the program runs, the bill of materials has what Go says is in the program, and the checksums and their
// signature fit. In a long test the two share no build cache, and two platforms are made.
func TestDistribution(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the whole program twice")
	}
	long := os.Getenv("DPRELEASE_LONG") != ""
	platforms := runtime.GOOS + "/" + runtime.GOARCH
	if long {
		platforms += ",linux/arm64"
	}
	public, secret := writeKey(t, 0o600)
	var made [2]map[string]string
	for i, around := range []map[string]string{{}, {"GOAMD64": "v3", "GOFLAGS": "-buildvcs=false", "TZ": "Asia/Tokyo", "CGO_ENABLED": "1"}} {
		if long {
			t.Setenv("GOCACHE", t.TempDir())
		}
		for name, value := range around {
			t.Setenv(name, value)
		}
		out := filepath.Join(t.TempDir(), "out")
		if err := run(t.Context(), []string{"--source", clone(t), "--out", out, "--platforms", platforms, "--sign", secret}); err != nil {
			t.Fatal(err)
		}
		made[i] = contents(t, out)
	}
	if want := 2 + 2*len(strings.Split(platforms, ",")); len(made[0]) != want || len(made[1]) != want {
		t.Errorf("%d and %d files, want %d", len(made[0]), len(made[1]), want)
	}
	sums := made[0]["/"+checksums]
	for name, content := range made[0] {
		if strings.HasPrefix(name, "/"+checksums) {
			continue // of which the signature has a time
		}
		if made[1][name] != content {
			t.Errorf("%s differs", name)
		}
		if !strings.Contains(sums, fmt.Sprintf("%x  %s\n", sum(content), name[1:])) {
			t.Errorf("%s is not in %s", name, sums)
		}
	}
	for _, files := range made {
		if files["/"+checksums] != sums || !minisign.Verify(public, []byte(sums), []byte(files["/"+checksums+".minisig"])) {
			t.Error("the checksums differ, or their signature does not fit")
		}
	}
	inspect(t, made[0])
}

// inspect reads what was made for this platform.
func inspect(t *testing.T, files map[string]string) {
	t.Helper()
	program, found := filepath.Join(t.TempDir(), "release"), 0
	for name, archive := range files {
		base, ok := strings.CutSuffix(name, runtime.GOOS+"_"+runtime.GOARCH+".tar.gz")
		if !ok {
			continue
		}
		found++
		if names := unpack(t, archive, program); len(names) != 4 {
			t.Errorf("the archive holds %v", names)
		}
		if text, err := exec.Command(program, "version").Output(); err != nil || !strings.HasPrefix(string(text), "dprelease v") {
			t.Errorf("%s, %v", text, err)
		}
		compareMaterials(t, files[base+runtime.GOOS+"_"+runtime.GOARCH+".cdx.json"], program)
	}
	if found != 1 {
		t.Errorf("%d archives for this platform", found)
	}
}

// unpack writes the program of an archive to a file and returns the names of all.
func unpack(t *testing.T, archive, program string) (names []string) {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if content, err := io.ReadAll(r); err != nil {
			t.Fatal(err)
		} else if strings.HasSuffix(h.Name, "/release") {
			if err := os.WriteFile(program, content, os.FileMode(h.Mode)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// compareMaterials compares a bill of materials with what `go version -m` says of the program.
func compareMaterials(t *testing.T, materials, program string) {
	t.Helper()
	bom := new(cdx.BOM)
	if err := cdx.NewBOMDecoder(strings.NewReader(materials), cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if h := *bom.Metadata.Component.Hashes; len(h) != 1 || h[0].Value != fmt.Sprintf("%x", sum(string(content))) {
		t.Errorf("the program's hashes are %v", h)
	}
	text, err := exec.Command("go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 4 && f[0] == "dep" {
			want = append(want, f[1]+" "+f[2]+" "+f[3])
		}
	}
	for _, c := range *bom.Components {
		if c.Name == "std" {
			if c.Version != strings.TrimPrefix(runtime.Version(), "go") {
				t.Errorf("the standard library is %s", c.Version)
			}
			continue
		}
		if c.PackageURL != "pkg:golang/"+c.Name+"@"+strings.ReplaceAll(c.Version, "+", "%2B") {
			t.Errorf("package URL %s", c.PackageURL)
		}
		got = append(got, c.Name+" "+c.Version+" "+(*c.Properties)[0].Value)
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 10 || !slices.Equal(got, want) {
		t.Errorf("the bill of materials has\n%s\nand Go says\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRefused: what nobody could make again, or could trust, is not made.
func TestRefused(t *testing.T) {
	t.Parallel()
	_, secret := writeKey(t, 0o640)
	for name, args := range map[string][]string{
		"a key that others read": {"--sign", secret},
		"no key":                 {"--sign", secret + "x"},
		"no minisign key":        {"--sign", "dist_test.go"},
		"a folder in use":        {"--out", "."},
		"no platform":            {"--platforms", "linux"},
		"an unknown platform":    {"--platforms", "linux/none"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		if err := run(t.Context(), append([]string{"--source", filepath.Join("..", ".."), "--out", out}, args...)); err == nil {
			t.Errorf("%s: made", name)
		}
	}
	for say, change := range map[string]func(settings map[string]string, dep *debug.Module){
		"":                  func(map[string]string, *debug.Module) {},
		"names no commit":   func(s map[string]string, _ *debug.Module) { delete(s, "vcs.revision") },
		"not committed":     func(s map[string]string, _ *debug.Module) { s["vcs.modified"] = "true" },
		"an experiment":     func(s map[string]string, _ *debug.Module) { s["GOEXPERIMENT"] = "arenas" },
		"not the published": func(_ map[string]string, dep *debug.Module) { dep.Replace = &debug.Module{Path: "../a"} },
	} {
		settings, dep := map[string]string{"vcs.revision": "a", "vcs.modified": "false", "vcs.time": "2026-11-22T09:19:40Z"}, &debug.Module{Path: "a", Sum: "h1:"}
		change(settings, dep)
		info := &debug.BuildInfo{Deps: []*debug.Module{dep}}
		for k, v := range settings {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: k, Value: v})
		}
		if err := (&built{info: info}).check(); (err == nil) != (say == "") || err != nil && !strings.Contains(err.Error(), say) {
			t.Errorf("%q: %v", say, err)
		}
	}
}

// writeKey makes a pair of keys and writes the secret one to a file.
func writeKey(t *testing.T, mode os.FileMode) (public minisign.PublicKey, path string) {
	t.Helper()
	public, secret, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := secret.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "secret.key")
	if err := os.WriteFile(path, bytes.TrimSpace(text), mode); err != nil {
		t.Fatal(err)
	}
	return public, path
}

func sum(content string) [sha256.Size]byte { return sha256.Sum256([]byte(content)) }
