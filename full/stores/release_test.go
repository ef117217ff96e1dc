package stores_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dprelease/dprelease/cmd/release/command"
	"github.com/dprelease/dprelease/full/stores"
	"github.com/dprelease/dprelease/full/stores/storestest"
)

// asRelease is the variable that turns the test binary into a program with object stores.
const asRelease = "DPRELEASE_TEST_AS_RELEASE"

func TestMain(m *testing.M) {
	stores.Register()
	if os.Getenv(asRelease) != "" {
		os.Exit(command.Main())
	}
	os.Exit(m.Run())
}

// release runs the program. It returns its exit code and all its output.
func release(t *testing.T, args ...string) (int, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asRelease+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	for _, secret := range []string{storestest.AccessKey, storestest.SecretKey, "Signature"} {
		if bytes.Contains(out, []byte(secret)) {
			t.Errorf("%v prints %s: %s", args, secret, out)
		}
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

const job = `version: 1
name: cats
privacy: {epsilon: 1, delta: 1e-6, unit: [unit], per_unit: {max_rows: 5}}
input: {files: ["s3://bucket/t*.parquet"]}
queries:
  - {name: cats, histogram: {by: [{column: cat, values_from: {file: "s3://bucket/cats.csv", column: cat}}]}}
output: {dir: out, formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: cats, budget: {epsilon: 1, delta: 1e-6}}
`

// If the input is replaced while a run reads it, the run fails and nothing is charged. The next run makes the release,
// a third one returns the same, and publish copies it. No file of the release holds a credential.
func TestReleaseFromS3(t *testing.T) {
	s := storestest.Start(t)
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(job),
		0o600)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	content := storestest.Tables(t, 60_000)["t.parquet"]
	storestest.Put(t, "s3://bucket/t.parquet", content)
	storestest.Put(t, "s3://bucket/cats.csv", []byte("cat\ncat 1\ncat 2\ncat 3\n"))
	var reads atomic.Int64
	s.Fails(func(_ http.ResponseWriter, r *http.Request) bool {
		// two requests read the footer
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/t.parquet") && reads.Add(1) == 4 {
			changed := bytes.Clone(content)
			changed[100] ^= 1
			storestest.Put(t, "s3://bucket/t.parquet", changed)
		}
		return false
	})
	if code, out := release(t, "run", "job.yaml"); code != 3 || !strings.Contains(out, "changed") ||
		!strings.Contains(out, "t.parquet") {
		t.Fatalf("the input was replaced: exit code %d: %s", code, out)
	}
	s.Fails(nil)
	storestest.Put(t, "s3://bucket/t.parquet", content)
	if code, out := release(t, "run", "job.yaml"); code != 0 { // the budget is enough for one charge
		t.Fatalf("exit code %d: %s", code, out)
	}
	first, err := os.ReadFile("out/cats.csv")
	if err != nil {
		t.Fatal(err)
	}
	if code, out := release(t, "run", "job.yaml"); code != 0 {
		t.Fatalf("again: exit code %d: %s", code, out)
	}
	if again, err := os.ReadFile("out/cats.csv"); err != nil || !bytes.Equal(first, again) {
		t.Error("another run has other bytes")
	}
	for count, want := range []string{" sent, 0 files there already", "0 files sent"} {
		if code, out := release(t, "publish", "out", "s3://bucket/published"); code != 0 || !strings.Contains(out, want) {
			t.Fatalf("publish %d: exit code %d: %s", count, code, out)
		}
	}
	w, _ := storestest.Writer(t, "s3://bucket/")
	for _, name := range []string{"cats.csv", "release.json"} {
		if o, err := w.Stat(t.Context(), "published/"+name); err != nil || o.Size == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	noCredentials(t, dir)
}

// noCredentials searches all files of a folder for credentials.
func noCredentials(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(storestest.SecretKey)) || bytes.Contains(text, []byte(storestest.AccessKey)) {
			return fmt.Errorf("%s holds a credential", d.Name())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
