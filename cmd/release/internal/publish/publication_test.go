package publish_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/publish"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/store/storetest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// first and second are folders of two releases of one job.
var first, second string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "publication")
	if err == nil {
		first, second = filepath.Join(dir, "first"), filepath.Join(dir, "second")
		err = errors.Join(writeRelease(first, "1"), writeRelease(second, "2"))
	}
	status := 1
	if err == nil {
		status = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// writeRelease writes a release of several tables; their content is their name and a mark.
func writeRelease(dir, mark string) error {
	m := manifest.Manifest{Format: manifest.Format, Name: "job", Job: json.RawMessage("{}")}
	err := os.Mkdir(dir, 0o755)
	for _, name := range []string{"ages", "all", "colours", "spread", "years"} {
		q := manifest.Query{Name: name}
		for _, format := range []string{".csv", ".parquet"} {
			content := []byte(name + format + mark + "\n")
			sum := sha256.Sum256(content)
			q.Files = append(q.Files, manifest.File{Path: name + format, SHA256: hex.EncodeToString(sum[:]), Rows: 1})
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, name+format), content, 0o600))
		}
		m.Queries = append(m.Queries, q)
	}
	text, failed := m.Encode()
	return errors.Join(err, failed, os.WriteFile(filepath.Join(dir, manifest.FileName), text, 0o600))
}

// run runs release publish, and returns its output.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := publish.Command(console.New(&out, &out))
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	if err != nil && strings.Contains(err.Error(), "hush") {
		t.Errorf("the error shows the address's options: %v", err)
	}
	return out.String(), err
}

// files returns a release's files by the keys that they should have.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if out["p/"+e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func equal(t *testing.T, got, want map[string][]byte) {
	t.Helper()
	for k, b := range want {
		if !bytes.Equal(got[k], b) {
			t.Errorf("%s differs", k)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d objects, want %d", len(got), len(want))
	}
}

func code(err error) string {
	var e *pipeline.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// The manifest is written last, whenever a copy is stopped, and the next copy sends only missing files.
func TestPublish(t *testing.T) {
	m := storetest.New()
	store.Register("memory", m.Opener)
	const to = "memory://bucket/p/?token=hush"
	want := files(t, first)
	var mu sync.Mutex
	for stop := range len(want) + 1 { // the first object is the note
		puts := 0
		m.Before = func(request, key string, _ int64) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			if request != "put" {
				return 0, nil
			}
			if there := len(m.Keys()) - 1; key == "p/release.json" && there != len(want)-1 {
				t.Errorf("the manifest is written after %d of %d other files", there, len(want)-1)
			}
			if puts++; puts > 1 || stop == 0 {
				return 0, store.Failure(store.Denied, "")
			}
			return 0, nil
		}
		if _, err := run(t, first, to); stop < len(want) && code(err) != "store" {
			t.Fatalf("stopped after %d files: %v", stop, err)
		}
		if _, there := m.Keys()["p/release.json"]; there && len(m.Keys()) < len(want) {
			t.Fatal("the manifest is there, and not all that it names")
		}
	}
	m.Before = nil
	if out, err := run(t, first, to); err != nil || strings.Contains(out, "hush") {
		t.Fatal(out, err)
	}
	equal(t, m.Keys(), want)
	again(t, m, to, len(want))
}

// again copies the release a second time, which writes nothing, and then another release with --replace.
func again(t *testing.T, m *storetest.Memory, to string, count int) {
	t.Helper()
	var mu sync.Mutex
	writes := 0
	m.Before = func(request, _ string, _ int64) (int, error) {
		if request == "put" || request == "delete" {
			writes++
		}
		return 0, nil
	}
	out, err := run(t, first, to)
	if err != nil || writes > 0 || !strings.Contains(out, fmt.Sprintf("0 files sent, %d files there already", count)) {
		t.Errorf("a repeated copy writes %d times and says %q, %v", writes, out, err)
	}
	if _, err := run(t, second, to); code(err) != "other-release" || writes > 0 {
		t.Errorf("over another release: %v", err)
	}
	gone := false
	m.Before = func(request, key string, _ int64) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		if gone = gone || request == "delete" && key == "p/release.json"; request == "put" && !gone &&
			!strings.HasSuffix(key, ".replaced") {
			t.Error("a file is replaced while the other release's manifest stands")
		}
		return 0, nil
	}
	if _, err := run(t, second, to, "--replace"); err != nil {
		t.Fatal(err)
	}
	equal(t, m.Keys(), files(t, second))
}

// An object that somebody else wrote under a name is not accepted as a release's file, and a changed folder is not
// copied.
func TestPublishRefuses(t *testing.T) {
	m := storetest.New()
	store.Register("memory", m.Opener)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	var table string
	for name := range files(t, dir) {
		if strings.HasSuffix(name, ".csv") {
			table = strings.TrimPrefix(name, "p/")
		}
	}
	m.Set("p/"+table, []byte("x"))
	if _, err := run(t, dir, "memory://bucket/p"); code(err) != "other-release" || len(m.Keys()) != 1 {
		t.Errorf("other contents: %v", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, table), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("x\n"); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	if _, err := run(t, dir, "memory://bucket/q"); code(err) != "altered" || len(m.Keys()) != 1 {
		t.Errorf("a changed folder: %v", err)
	}
	for _, address := range []string{"bucket/p", "s3://me:hush@bucket/p", "memory://bucket/*"} {
		if _, err := run(t, first, address); !errors.As(err, new(*console.UsageError)) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := run(t, first, "s3://bucket/p"); code(err) != "store" {
		t.Errorf("a store that is not linked: %v", err)
	}
}

// A file that is replaced by another one, or a link, after the folder was checked is not sent.
func TestPublishSendsWhatWasChecked(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"other contents": func(path string) error { return os.WriteFile(path, []byte("hush"), 0o600) },
		"a link": func(path string) error {
			outside := filepath.Join(t.TempDir(), "same")
			return errors.Join(os.Rename(path, outside), os.Symlink(outside, path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := storetest.New()
			store.Register("memory", m.Opener)
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(first)); err != nil {
				t.Fatal(err)
			}
			tables, err := filepath.Glob(filepath.Join(dir, "*.csv"))
			if err != nil || len(tables) == 0 {
				t.Fatal(tables, err)
			}
			var once sync.Once
			m.Before = func(string, string, int64) (int, error) {
				once.Do(func() { err = change(tables[0]) })
				return 0, err
			}
			if _, err := run(t, dir, "memory://bucket/p"); code(err) != "altered" {
				t.Error(err)
			}
			for _, key := range []string{"p/" + filepath.Base(tables[0]), "p/release.json"} {
				if _, there := m.Keys()[key]; there {
					t.Errorf("%s was sent", key)
				}
			}
		})
	}
}

// Files are read back from the store: if one has other contents of the same length, the copy fails and the manifest is
// not sent.
func TestPublishReadsBack(t *testing.T) {
	m := storetest.New()
	store.Register("memory", m.Opener)
	m.After = func(request, key string) error {
		if request == "put" && strings.HasSuffix(key, ".csv") {
			content := m.Keys()[key]
			content[0] ^= 1
			m.Set(key, content)
		}
		return nil
	}
	if _, err := run(t, first, "memory://bucket/p"); code(err) != "altered" {
		t.Error(err)
	}
	if _, there := m.Keys()["p/release.json"]; there {
		t.Error("the manifest was sent")
	}
}

// A store that refuses or does not answer gets advice, as when it is read.
func TestPublishAdvises(t *testing.T) {
	m := storetest.New()
	store.Register("memory", m.Opener)
	m.Before = func(string, string, int64) (int, error) { return 0, store.Failure(store.Denied, "") }
	var e *pipeline.Error
	if _, err := run(t, first, "memory://bucket/p"); !errors.As(err, &e) || !strings.Contains(e.Hint, "check the credentials") {
		t.Errorf("%v", err)
	}
}
