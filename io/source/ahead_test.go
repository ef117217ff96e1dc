package source_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/store/storetest"
	"github.com/dprelease/dprelease/io/table"
)

// reaches waits until so many requests were answered.
func reaches(t *testing.T, m *storetest.Memory, want int64) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); m.Reads.Load() < want; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d requests, want %d", m.Reads.Load(), want)
		}
	}
}

// While a worker decodes a row group, the next one that is left by the filter and is before the end is fetched, and no other. It is not asked for again.
func TestNextRowGroupIsFetchedAhead(t *testing.T) {
	m, at := bucket(t)
	m.Set("a.parquet", parquetGo(t, sample(4000), mixed, parquet.MaxRowsPerRowGroup(1000)))
	m.Set("b.parquet", parquetGo(t, sample(1000), mixed, parquet.MaxRowsPerRowGroup(1000)))
	d, err := source.Open(t.Context(), source.Options{Files: []string{at + "a.parquet", at + "b.parquet"}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	columns := []string{"unit", "cat"}
	groups := d.FilterRowGroups(nil, nil)
	groups.End = 5
	for split := range 5 {
		m.Reads.Store(0)
		if _, err := groups.Read(t.Context(), split, columns, func(*table.Batch) error {
			want := int64(1)
			if split == 0 {
				want = 2 // its own, too
			}
			if split == 4 {
				want = 0
			}
			reaches(t, m, want)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if n := m.Reads.Load(); n > 2 || split > 0 && n > 1 {
			t.Errorf("split %d: %d requests", split, n)
		}
	}
	groups = d.FilterRowGroups(nil, nil)
	groups.End = 2
	m.Reads.Store(0)
	for split := range 2 {
		if _, err := groups.Read(t.Context(), split, columns, func(*table.Batch) error { reaches(t, m, 2); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if n := m.Reads.Load(); n != 2 {
		t.Errorf("%d requests for two row groups: what is behind the last split is not read", n)
	}
}

// What was fetched ahead for some columns is not used for others, nor by another pass over the table; and an object that changes
// after its next row group was fetched is refused as soon as something more of it is needed.
func TestFetchedAheadIsUsedOnceAndForTheSame(t *testing.T) {
	m, at := bucket(t)
	records := sample(4000)
	content := parquetGo(t, records, mixed, parquet.MaxRowsPerRowGroup(1000))
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
	if _, err := d.FilterRowGroups(nil, nil).Read(ctx, 0, []string{"unit"}, func(*table.Batch) error {
		reaches(t, m, 2)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	cancel() // what was fetched for this pass is of no use to the next
	groups := d.FilterRowGroups(nil, nil)
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
	for split := 2; split < 4; split++ {
		var e *source.Error
		if _, err := groups.Read(t.Context(), split, []string{"note"}, func(*table.Batch) error { return nil }); errors.As(err, &e) && e.Code == source.CodeChanged {
			failed++
		} else if err != nil {
			t.Error(err)
		}
	}
	if failed == 0 {
		t.Error("an object that changed is read to its end")
	}
}
