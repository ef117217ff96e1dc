package source_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source"
)

// wideBatches returns an Arrow file with the columns n (int), note (texts of the given length) and x (int), in record
// batches of 1,000 rows.
func wideBatches(t *testing.T, batches, length int) []byte {
	t.Helper()
	fields := []arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "note", Type: arrow.BinaryTypes.String},
		{Name: "x", Type: arrow.PrimitiveTypes.Int64}}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	note := strings.Repeat("n", length)
	var records []arrow.Record
	for i := range batches {
		for j := range 1000 {
			b.Field(0).(*array.Int64Builder).Append(int64(i*1000 + j))
			b.Field(1).(*array.StringBuilder).Append(note)
			b.Field(2).(*array.Int64Builder).Append(int64(j))
		}
		records = append(records, b.NewRecord())
	}
	return ipcFile(t, records)
}

// The record batches of an Arrow file in a store give the digests of a local file. If the columns are most of the file,
// or record batches are short, a split takes one request. If they are a small part of it, few other bytes are fetched.
func TestArrowOfStores(t *testing.T) {
	owntest.Slow(t)
	for name, x := range map[string]struct {
		batches, length int
		columns         []string
		reads           int64 // at most, for each split
		share           int64 // percent of the file, at most
	}{
		"all":                     {40, 600, []string{"x", "note", "n"}, 1, 101},
		"most of it":              {40, 600, []string{"note"}, 1, 101},
		"short batches":           {40, 600, []string{"n"}, 1, 101},
		"long ones":               {40, 2000, []string{"n", "x"}, 7, 45},
		"no rows but their count": {40, 2000, nil, 4, 45},
		"one batch for a split":   {6, 9000, []string{"x"}, 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if !long() && name != "long ones" && (testing.Short() || name != "one batch for a split") {
				t.Skip("with DPRELEASE_LONG")
			}
			if !long() {
				x.batches, x.share = min(x.batches, 16), x.share+10 // a short file's footer is a larger share of it
			}
			content := wideBatches(t, x.batches, x.length)
			want, rows, err := scan(t, source.Options{Files: []string{write(t, "a.arrow", content)}}, x.columns...)
			if err != nil || rows != int64(x.batches)*1000 {
				t.Fatal(rows, err)
			}
			m, at := bucket(t)
			m.Set("a.arrow", content)
			got, rows, err := scan(t, source.Options{Files: []string{at + "a.arrow"}, Workers: 2}, x.columns...)
			if err != nil || rows != int64(x.batches)*1000 || !slices.EqualFunc(got, want, bytes.Equal) {
				t.Errorf("%d rows, %v; the same digests: %t", rows, err, slices.EqualFunc(got, want, bytes.Equal))
			}
			const opening = 9 // the footer, the first bytes, and the bytes after these
			if n, share := m.Reads.Load(), m.Bytes.Load()*100/int64(len(content)); n > opening+x.reads*int64(len(want)) ||
				share > x.share {
				t.Errorf("%d requests for %d splits, %d %% of %d bytes", n, len(want), share, len(content))
			}
		})
	}
}
