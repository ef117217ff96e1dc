package stores_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/stores/storestest"
)

const (
	fakeGCS = "github.com/fsouza/fake-gcs-server@v1.56.1"
	azurite = "azurite@3.35.0"
	// The account and key that every copy of azurite has.
	azuriteAccount = "devstoreaccount1"
	azuriteKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// emulator returns the path of a program in the user's folder for caches, below which install puts it. It is installed with DPRELEASE_LONG=1 only, since
// that takes a minute of processor time; without it the test skips.
func emulator(t *testing.T, path string, install func(dir string) *exec.Cmd) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(cache, "dprelease-test")
	path = filepath.Join(dir, path)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.Getenv("DPRELEASE_LONG") == "" {
		t.Skip("the emulator is not installed: DPRELEASE_LONG=1 installs it")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := install(dir).CombinedOutput(); err != nil {
		t.Skipf("the emulator cannot be had: %v: %.200s", err, out)
	}
	return path
}

// serves starts a server that listens at a port, and returns its address when it answers.
func serves(t *testing.T, command func(port string) *exec.Cmd) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().String()
	_ = listener.Close()
	cmd := command(at[strings.LastIndexByte(at, ':')+1:])
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		c, err := net.Dial("tcp", at)
		if err == nil {
			_ = c.Close()
			return at
		}
		if time.Now().After(end) {
			t.Fatal("the server does not answer")
		}
	}
}

// Google Cloud Storage, as fake-gcs-server has it.
func TestGCS(t *testing.T) {
	program := emulator(t, "fake-gcs-server", func(dir string) *exec.Cmd {
		cmd := exec.Command("go", "install", fakeGCS)
		cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
		return cmd
	})
	at := serves(t, func(port string) *exec.Cmd {
		return exec.Command(program, "-scheme", "http", "-host", "127.0.0.1", "-port", port, "-backend", "memory", "-public-host", "127.0.0.1:"+port, "-log-level", "error")
	})
	t.Setenv("STORAGE_EMULATOR_HOST", at)
	r, err := http.Post("http://"+at+"/storage/v1/b?project=test", "application/json", strings.NewReader(`{"name": "bucket"}`))
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatal(r, err)
	}
	_ = r.Body.Close()
	conforms(t, "gs://bucket/", "gs://none/", "?anonymous=true")
}

// Azure, as azurite has it.
func TestAzure(t *testing.T) {
	program := emulator(t, filepath.Join("azurite", "node_modules", ".bin", "azurite-blob"), func(dir string) *exec.Cmd {
		return exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-save", "--prefix", filepath.Join(dir, "azurite"), azurite)
	})
	dir := t.TempDir()
	at := serves(t, func(port string) *exec.Cmd {
		return exec.Command(program, "--silent", "--skipApiVersionCheck", "--location", dir, "--blobHost", "127.0.0.1", "--blobPort", port, "--disableTelemetry")
	})
	t.Setenv("AZURE_STORAGE_ACCOUNT", azuriteAccount)
	t.Setenv("AZURE_STORAGE_KEY", azuriteKey)
	key, err := azblob.NewSharedKeyCredential(azuriteAccount, azuriteKey)
	if err != nil {
		t.Fatal(err)
	}
	client, err := azblob.NewClientWithSharedKeyCredential("http://"+at+"/"+azuriteAccount, key, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CreateContainer(t.Context(), "bucket", nil); err != nil {
		t.Fatal(err)
	}
	conforms(t, "az://bucket/", "az://none/", "?localemu=true&protocol=http&domain="+at)
}

// conforms runs what holds of each store: every format gives the digests and sums of a local file, by patterns too; an object that is replaced
// is refused; writes and removals heed versions; and a job makes a release that publish copies.
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
		var e *source.Error
		if !errors.As(err, &e) || e.Code != code || strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), azuriteKey) {
			t.Errorf("%s: %v, want %s", what, err, code)
		}
	}
	_, _, err := answers(t.Context(), options(base+"none.csv"+query))
	refused("no object", err, source.CodeNotFound)
	_, _, err = answers(t.Context(), options(none+"t.csv"+query))
	refused("no bucket", err, source.CodeNotFound)
	d, err := source.Open(t.Context(), options(base+"dir/t.parquet"+query))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	changed := bytes.Clone(content["t.parquet"])
	changed[100] ^= 1
	storestest.Put(t, base+"dir/t.parquet"+query, changed)
	_, err = d.Read(t.Context(), 0, []string{"cat"}, func(*table.Batch) error { return nil })
	refused("changed", err, source.CodeChanged)
	storestest.Put(t, base+"dir/t.parquet"+query, content["t.parquet"])
	writes(t, base+"p/a.csv"+query)
	publishes(t, base, query)
}

// publishes makes a release of a table in the store, and copies it there, twice.
func publishes(t *testing.T, base, query string) {
	t.Helper()
	at := t.TempDir()
	storestest.Put(t, base+"cats.csv"+query, []byte("cat\ncat 1\ncat 2\ncat 3\n"))
	text := strings.NewReplacer("s3://bucket/t*.parquet", base+"dir/t*.parquet"+query, "s3://bucket/cats.csv", base+"cats.csv"+query).Replace(job)
	if err := errors.Join(os.Chmod(at, 0o755), os.WriteFile(filepath.Join(at, "job.yaml"), []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	if code, out := release(t, "run", filepath.Join(at, "job.yaml")); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	for count, want := range []string{" sent, 0 files there already", "0 files sent"} {
		if code, out := release(t, "publish", filepath.Join(at, "out"), base+"published"+query); code != 0 || !strings.Contains(out, want) {
			t.Errorf("publish %d: exit code %d: %s", count, code, out)
		}
	}
	w, _ := storestest.Writer(t, base+query)
	there := map[string]bool{}
	if err := w.List(context.Background(), "published/", func(o store.Object) error { there[o.Key] = true; return nil }); err != nil || !there["published/release.json"] {
		t.Error(fmt.Sprint(there), err)
	}
}
