package stores_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/full/stores/storestest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/table"
)

// The tests for all stores pass with Google Cloud Storage, which fake-gcs-server emulates.
func TestGCS(t *testing.T) {
	storestest.StartGCS(t)
	conforms(t, "gs://bucket/", "gs://none/", "")
}

// The tests for all stores pass with Azure, which azurite emulates.
func TestAzure(t *testing.T) {
	s := storestest.StartAzure(t)
	conforms(t, "az://bucket/", "az://none/", "?"+s.AzureOptions())
}

// If Google's host refuses the credentials, the program ends at once with exit code 3 and a hint. The error quotes no
// text of Google or its library.
func TestGoogleCredentials(t *testing.T) {
	g := storestest.StartGoogle(t)
	g.Put(t, "t.csv", []byte("a\n1\n"))
	const none, refused = "no credentials were found: set GOOGLE_APPLICATION_CREDENTIALS", "the store refuses access"
	looks(t, "gs://bucket/t.csv", []credentialTest{
		{"the reader", nil, ""},
		{"a stranger", []string{"GOOGLE_APPLICATION_CREDENTIALS=" + g.Stranger}, refused},
		{"a revoked key", []string{"GOOGLE_APPLICATION_CREDENTIALS=" + g.Revoked}, "Google refuses the credentials"},
		{"no such file", []string{"GOOGLE_APPLICATION_CREDENTIALS=/none/canary"}, none},
		{"no credentials", []string{"GOOGLE_APPLICATION_CREDENTIALS="}, none},
	})
	looks(t, "gs://bucket/t.csv?anonymous=true", []credentialTest{{"nobody", []string{"GOOGLE_APPLICATION_CREDENTIALS="},
		refused}})
}

// If Azure refuses the credentials, the program ends at once with exit code 3 and a hint. The error quotes no text of
// Azure or its library.
func TestAzureCredentials(t *testing.T) {
	s := storestest.StartAzure(t)
	s.Put(t, "t.csv", []byte("a\n1\n"))
	const none, refused = "no credentials were found, or Azure refuses them: set AZURE_STORAGE_ACCOUNT",
		"the store refuses access"
	looks(t, "az://bucket/t.csv", []credentialTest{
		{"the key", nil, ""},
		{"another key", []string{"AZURE_STORAGE_KEY=aHVzaA=="}, refused},
		{"no key", []string{"AZURE_STORAGE_KEY="}, none},
		{"no account", []string{"AZURE_STORAGE_KEY=", "AZURE_STORAGE_ACCOUNT="}, none},
		{"a key that is none", []string{"AZURE_STORAGE_KEY=canary"}, "docs/howto/object-stores.md"},
	})
}

// credentialTest is an environment, and the expected message; "" if access is granted.
type credentialTest struct {
	name        string
	environment []string
	want        string
}

// looks reads the table at the URL in one process for each of the tests, with its environment.
func looks(t *testing.T, address string, tests []credentialTest) {
	t.Helper()
	for _, x := range tests {
		cmd := exec.Command(os.Args[0], "columns", address)
		cmd.Env = append(append(os.Environ(), asRelease+"=1"), x.environment...)
		out, err := cmd.CombinedOutput()
		code, want := cmd.ProcessState.ExitCode(), 0
		if x.want != "" {
			want = 3
		}
		if code != want || !strings.Contains(string(out), x.want) {
			t.Errorf("%s: %v, exit code %d: %s", x.name, err, code, out)
		}
		for _, secret := range []string{"hush", "canary", "Warning", "oauth2", "127.0.0.1", "assertion", "IDENTITY",
			storestest.AzureKey} {
			if strings.Contains(string(out), secret) {
				t.Errorf("%s: %s is printed: %s", x.name, secret, out)
			}
		}
	}
}

// conforms runs the tests for all stores: every file format gives the same digests and sums as a local file, also if a
// pattern finds it; an object that is replaced while it is read is refused; writes and removals respect versions;
// publish copies the release of a job.
func conforms(t *testing.T, base, none, query string) {
	t.Helper()
	dir := t.TempDir()
	content := storestest.Tables(t, 20_000)
	for name, b := range content {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		want, exact, err := answers(t.Context(), options(path))
		if err != nil {
			t.Fatal(err)
		}
		storestest.Put(t, base+"dir/"+name+query, b)
		got, sums, err := answers(t.Context(), options(base+"d*/"+name+query))
		if err != nil || sums != exact || !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%s: %v; the same sums: %t", name, err, sums == exact)
		}
	}
	refused := func(what string, err error, code string) {
		t.Helper()
		var e *fault.Error
		if !errors.As(err, &e) || e.Code != code || strings.Contains(err.Error(), "127.0.0.1") ||
			strings.Contains(err.Error(), storestest.AzureKey) {
			t.Errorf("%s: %v, want %s", what, err, code)
		}
	}
	_, _, err := answers(t.Context(), options(base+"none.csv"+query))
	refused("no object", err, fault.CodeNotFound)
	_, _, err = answers(t.Context(), options(none+"t.csv"+query))
	refused("no bucket", err, fault.CodeNotFound)
	d, err := source.Open(t.Context(), options(base+"dir/t.parquet"+query))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	changed := bytes.Clone(content["t.parquet"])
	changed[100] ^= 1
	storestest.Put(t, base+"dir/t.parquet"+query, changed)
	_, err = d.Read(t.Context(), 0, []string{"cat"}, func(*table.Batch) error { return nil })
	refused("changed", err, fault.CodeChanged)
	storestest.Put(t, base+"dir/t.parquet"+query, content["t.parquet"])
	writes(t, base+"p/a.csv"+query)
	publishes(t, base, query)
}

// publishes makes a release of a table in the store, and publishes it to the store twice.
func publishes(t *testing.T, base, query string) {
	t.Helper()
	at := t.TempDir()
	storestest.Put(t, base+"cats.csv"+query, []byte("cat\ncat 1\ncat 2\ncat 3\n"))
	text := strings.NewReplacer("s3://bucket/t*.parquet", base+"dir/t*.parquet"+query, "s3://bucket/cats.csv",
		base+"cats.csv"+query).Replace(job)
	if err := errors.Join(os.Chmod(at, 0o755), os.WriteFile(filepath.Join(at, "job.yaml"), []byte(text),
		0o600)); err != nil {
		t.Fatal(err)
	}
	if code, out := release(t, "run", filepath.Join(at, "job.yaml")); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	for count, want := range []string{" sent, 0 files there already", "0 files sent"} {
		if code, out := release(t, "publish", filepath.Join(at, "out"), base+"published"+query); code != 0 ||
			!strings.Contains(out, want) {
			t.Errorf("publish %d: exit code %d: %s", count, code, out)
		}
	}
	w, _ := storestest.Writer(t, base+query)
	there := map[string]bool{}
	if err := w.List(context.Background(), "published/",
		func(o store.Object) error { there[o.Key] = true; return nil }); err != nil || !there["published/release.json"] {
		t.Error(fmt.Sprint(there), err)
	}
}
