package sqlstore_test

import (
	"database/sql"
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, content []byte, mode os.FileMode) {
	t.Helper()
	must(t, os.WriteFile(path, content, mode))
}

// execute runs SQL on the file, like another program.
func execute(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.Exec(statements)
	must(t, errors.Join(err, db.Close()))
	must(t, os.Chmod(path, 0o600))
}

// sound returns a valid ledger with some runs.
func sound(t *testing.T, path string) {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), path)
	must(t, err)
	b := ledger.NewBook(s, time.Now)
	for _, run := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		_, err := b.Charge(t.Context(), tiny(t, run))
		must(t, err)
	}
	must(t, s.Close())
}

// content is everything that a ledger holds.
type content struct {
	entries  []ledger.Entry
	secret   []byte
	balances string
}

func read(t *testing.T, path string) (c content, err error) {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), path)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	b := ledger.NewBook(s, time.Now)
	if c.entries, err = b.Entries(t.Context()); err != nil {
		return c, err
	}
	now, err := b.Snapshot(t.Context())
	if err != nil {
		return c, err
	}
	for _, a := range now.Accounts {
		c.balances += a.Spent.Text('p', 0)
	}
	c.secret, err = s.Secret(t.Context())
	return c, err
}

// If any byte of the file is damaged, the ledger has the same content or is refused as damaged.
func TestFlippedByte(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	sound(t, path)
	want, err := read(t, path)
	must(t, err)
	good, err := os.ReadFile(path)
	must(t, err)
	stride := 97
	if os.Getenv("DPRELEASE_LONG") != "" {
		stride = 1
	}
	found := 0
	for at := 0; at < len(good); at += stride {
		bad := append([]byte(nil), good...)
		bad[at] ^= 1 << (at % 8)
		damaged := newPath(t)
		write(t, damaged, bad, 0o600)
		got, err := read(t, damaged)
		switch {
		case err == nil && !reflect.DeepEqual(got, want):
			t.Errorf("byte %d: read other content without an error", at)
		case err == nil:
		case errors.Is(err, ledger.ErrCorrupt), errors.Is(err, ledger.ErrNotLedger), errors.Is(err,
			ledger.ErrNewer), errors.Is(err, ledger.ErrReadOnly):
			found++
		default:
			t.Errorf("byte %d: %v", at, err)
		}
		must(t, errors.Join(os.Remove(damaged), os.RemoveAll(damaged+".lock")))
	}
	if found == 0 {
		t.Error("no damage was found")
	}
	t.Logf("%d of %d damages met content", found, (len(good)+stride-1)/stride)
}

// Damage that the file format does not detect is detected.
func TestDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	t.Parallel()
	const writable = "DROP TRIGGER entry_stays; DROP TRIGGER entry_remains;"
	for statement, seq := range map[string]int64{
		writable + "DELETE FROM entry WHERE seq = 4":                                           4,
		writable + "DELETE FROM entry WHERE seq = 9":                                           9,
		writable + "DELETE FROM entry":                                                         1,
		writable + "UPDATE entry SET body = replace(body, '1000000', '2000000') WHERE seq = 3": 3,
		writable + "UPDATE entry SET time = time || 'x' WHERE seq = 5":                         5,
		writable + "UPDATE entry SET hash = zeroblob(31) WHERE seq = 5":                        5,
		writable + "UPDATE entry SET hash = zeroblob(33) WHERE seq = 5":                        5,
		"UPDATE head SET seq = 8":                                                              9,
		"UPDATE head SET seq = 10":                                                             10,
		"UPDATE head SET hash = zeroblob(32)":                                                  9,
		"UPDATE head SET hash = x'00'":                                                         0,
		"DELETE FROM head":                                                                     0,
		"DELETE FROM secret":                                                                   0,
		"UPDATE secret SET key = zeroblob(32)":                                                 0,
		"DROP TABLE head":                                                                      0,
	} {
		path := newPath(t)
		sound(t, path)
		execute(t, path, statement)
		_, err := read(t, path)
		var where *ledger.CorruptError
		if !errors.Is(err, ledger.ErrCorrupt) || seq > 0 && (!errors.As(err, &where) || where.Seq != seq) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// Other programs cannot change or delete an entry by mistake.
func TestAppendOnly(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	sound(t, path)
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer func() { must(t, db.Close()) }()
	for _, statement := range []string{"DELETE FROM entry WHERE seq = 1", "UPDATE entry SET kind = 'x'"} {
		if _, err := db.Exec(statement); err == nil {
			t.Errorf("%s was done", statement)
		}
	}
}
