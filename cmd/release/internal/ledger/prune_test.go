package ledger

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dprelease/dprelease"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
)

const job = `
version: 1
name: colours-${day}
params: {day: {type: date, every: day}}
privacy: {epsilon: 0.5, delta: 1e-6, unit: [person], per_unit: {max_rows: 1}}
input: {files: [people.csv]}
queries: [{name: all, count: {}}]
output: {dir: "out/${day}"}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 90, delta: 1e-4}}
`

// Changes between the list and a deletion are noticed: a folder that a run is about to publish into, a folder that
// meanwhile holds another release, and a folder that holds none.
func TestPruneLooksAgain(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"job.yaml": job, "people.csv": "person\n1\n2\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	days := []string{"2013-01-01", "2013-01-02", "2013-01-03", "2013-01-04"}
	for _, day := range days {
		j, err := dprelease.Load(t.Context(), "job.yaml", map[string]string{"day": day})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.Run(t.Context(), dprelease.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, day := range days[:3] {
		withdraw := WithdrawCommand(console.New(io.Discard, io.Discard))
		withdraw.SetArgs([]string{"job.yaml", "--param", "day=" + day, "--reason", "half of the day"})
		if err := withdraw.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	store, err := sqlstore.Open(t.Context(), filepath.Join(dir, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	book := ledger.NewBook(store, time.Now)
	runs, err := book.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	listed, err := publications(t.Context(), runs)
	if err != nil {
		t.Fatal(err)
	}
	remove := func(dir string) (kept string, err error) {
		i := slices.IndexFunc(listed, func(p *publication) bool { return p.dir == dir })
		return (&pruning{withdrawn: true}).remove(t.Context(), book, listed[i], listed, 0)
	}
	folder := func(i int) string { return filepath.Join(dir, "out", days[i]) }
	exists := func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "release.json"))
		return err == nil
	}

	unlock, err := book.LockFolder(t.Context(), folder(0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := remove(folder(0)); !errors.Is(err, ledger.ErrBusy) || !exists(folder(0)) {
		t.Errorf("a folder was deleted while a run held it: %v", err)
	}
	unlock()

	if err := os.RemoveAll(folder(1)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(folder(3), folder(1)); err != nil {
		t.Fatal(err)
	}
	if kept, err := remove(folder(1)); err != nil || kept == "" || !exists(folder(1)) {
		t.Errorf("a release was deleted that is in the folder of the listed one: kept %q, %v", kept, err)
	}
	if err := os.RemoveAll(folder(2)); err != nil {
		t.Fatal(err)
	}
	if kept, err := remove(folder(2)); err != nil || kept == "" {
		t.Errorf("a folder that is gone was deleted: kept %q, %v", kept, err)
	}
	if runs, err = book.Runs(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if len(r.Pruned) > 0 {
			t.Errorf("the ledger says that %s was deleted", r.Charge.Dir)
		}
	}
	if kept, err := remove(folder(0)); err != nil || kept != "" || exists(folder(0)) {
		t.Errorf("the folder was not deleted: kept %q, %v", kept, err)
	}
}
