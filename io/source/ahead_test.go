package source_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/store/storetest"
	"github.com/dprelease/dprelease/io/table"
)

// reaches waits until this number of requests was answered.
func reaches(t *testing.T, m *storetest.Memory, want int64) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); m.Reads.Load() < want; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d requests, want %d", m.Reads.Load(), want)
		}
	}
}

// While a worker decodes a row group, the program fetches the next row groups that pass the filter and lie before the
// end, as many as fit one window, and no others. Each is requested once.
func TestNextRowGroupsAreFetchedAhead(t *testing.T) {
	m, at := bucket(t)
	m.Set("a.parquet", parquetGo(t, sample(4000), mixed, parquet.MaxRowsPerRowGroup(1000)))
	m.Set("b.parquet", parquetGo(t, sample(4000), mixed, parquet.MaxRowsPerRowGroup(250)))
	d, err := source.Open(t.Context(), source.Options{Files: []string{at + "a.parquet", at + "b.parquet"}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	columns := []string{"unit", "cat"}
	for _, end := range []int{1, 2, 5, 18} {
		groups := d.NewSplitReader(nil, nil)
		groups.End = end
		m.Reads.Store(0)
		for split := range end {
			if _, err := groups.Read(t.Context(), split, columns, func(*table.Batch) error {
				reaches(t, m, int64(min(split+1+8, end)))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if n := m.Reads.Load(); n > int64(split+1+8) {
				t.Errorf("split %d: %d requests", split, n)
			}
		}
		if n := m.Reads.Load(); n != int64(end) {
			t.Errorf("%d requests for %d row groups: what is behind the last split is not read", n, end)
		}
	}
}

// Bytes that were fetched ahead for some columns are not used for other columns, nor in another pass over the table. If
// an object changes after its next row groups were fetched, it is refused at the next request.
func TestFetchedAheadIsUsedOnceAndForTheSame(t *testing.T) {
	m, at := bucket(t)
	records := sample(4000)
	content := parquetGo(t, records, mixed, parquet.MaxRowsPerRowGroup(200))
	m.Set("a.parquet", content)
	want, _, err := scan(t, source.Options{Files: []string{write(t, "a.parquet", content)}}, "note")
	if err != nil {
		t.Fatal(err)
	}
	d, err := source.Open(t.Context(), source.Options{Files: []string{at + "a.parquet"}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m.Reads.Store(0)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := d.NewSplitReader(nil, nil).Read(ctx, 0, []string{"unit"}, func(*table.Batch) error {
		reaches(t, m, 2)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	cancel() // bytes fetched for this pass are not used in the next
	groups := d.NewSplitReader(nil, nil)
	for split := range 2 {
		sum, err := groups.Read(t.Context(), split, []string{"note"}, func(*table.Batch) error { return nil })
		if err != nil || !bytes.Equal(sum.Digest, want[split]) {
			t.Errorf("split %d: %v, the same digest: %t", split, err, bytes.Equal(sum.Digest, want[split]))
		}
	}
	changed := slices.Clone(content)
	changed[len(changed)/2] ^= 1
	m.Set("a.parquet", changed)
	failed := 0
	for split := 2; split < 20; split++ {
		var e *fault.Error
		if _, err := groups.Read(t.Context(), split, []string{"note"},
			func(*table.Batch) error { return nil }); errors.As(err, &e) && e.Code == fault.CodeChanged {
			failed++
		} else if err != nil {
			t.Error(err)
		}
	}
	if failed == 0 {
		t.Error("an object that changed is read to its end")
	}
}

// A file that is shorter than the end that every reader fetches is kept when it is opened, so it takes one request. If
// there are many such files, as many are kept as fit. The kept bytes belong to the opened version.
func TestShortFilesTakeOneRequest(t *testing.T) {
	m, at := bucket(t)
	dir := t.TempDir()
	for i := range 40 {
		name := fmt.Sprintf("%02d.parquet", i)
		content := parquetGo(t, sample(100+i), mixed, parquet.MaxRowsPerRowGroup(60))
		if len(content) > 64<<10 {
			t.Fatal("the file is not short")
		}
		m.Set(name, content)
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, columns := range [][]string{{"unit", "cat"}, {"note"}} {
		want, _, err := scan(t, source.Options{Files: []string{filepath.Join(dir, "*.parquet")}, Workers: 2}, columns...)
		if err != nil {
			t.Fatal(err)
		}
		m.Reads.Store(0)
		got, _, err := scan(t, source.Options{Files: []string{at + "*.parquet"}, Workers: 2}, columns...)
		if n := m.Reads.Load(); err != nil || !slices.EqualFunc(got, want, bytes.Equal) || n != 40 {
			t.Errorf("%d requests for 40 files, %v; the same digests: %t", n, err, slices.EqualFunc(got, want, bytes.Equal))
		}
	}
	d, err := source.Open(t.Context(), source.Options{Files: []string{at + "00.parquet"}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	before, err1 := d.Digest(t.Context(), 0, []string{"unit"})
	m.Set("00.parquet", []byte("other"))
	after, err2 := d.Digest(t.Context(), 0, []string{"unit"})
	if err1 != nil || err2 != nil || !bytes.Equal(before, after) {
		t.Errorf("%v, %v: the digest of what was opened changed", err1, err2)
	}
}
