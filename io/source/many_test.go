package source_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"golang.org/x/sync/errgroup"

	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

// groups returns a file of n row groups of one row each.
func groups(t testing.TB, n int) []byte {
	t.Helper()
	var c crafted
	for i := range n {
		c.groups = append(c.groups, onePage(1, dataV1(1, format.Plain, int64s(int64(i)))).groups...)
	}
	return c.file(t)
}

// Several workers read very many row groups in a time proportional to their number.
func TestManyRowGroups(t *testing.T) {
	n := 5000
	if os.Getenv("DPRELEASE_LONG") != "" {
		n = 1_000_000
	}
	d := open(t, textfile.CSV{}, write(t, "a.parquet", groups(t, n)))
	if d.Splits() != n {
		t.Fatalf("%d splits, want %d", d.Splits(), n)
	}
	var next, sum atomic.Int64
	var g errgroup.Group
	for range 8 {
		g.Go(func() error {
			for split := int(next.Add(1)) - 1; split < n; split = int(next.Add(1)) - 1 {
				_, err := d.Read(context.Background(), split, []string{"x"}, func(b *table.Batch) error {
					sum.Add(b.Columns[0].Values.Ints[0])
					return nil
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if want := int64(n) * int64(n-1) / 2; sum.Load() != want {
		t.Errorf("the values add up to %d, want %d", sum.Load(), want)
	}
}

// If a file has very many columns, only the requested ones are read; the others cost only their part of the footer.
func TestManyColumns(t *testing.T) {
	const n = 10_000
	group := parquet.Group{}
	for i := range n {
		group[fmt.Sprintf("c%05d", i)] = parquet.Leaf(parquet.Int64Type)
	}
	row := make(parquet.Row, n)
	for i := range row {
		row[i] = parquet.Int64Value(int64(i)).Level(0, 0, i)
	}
	var b bytes.Buffer
	w := parquet.NewWriter(&b, parquet.NewSchema("wide", group), parquet.PageBufferSize(1<<10))
	if _, err := w.WriteRows([]parquet.Row{row, row}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := write(t, "a.parquet", b.Bytes())
	before := allocated()
	d := open(t, textfile.CSV{}, path)
	rows, err := readAll(d, "c09999", "c00000")
	if err != nil || len(rows) != 2 || rows[1][0] != int64(n-1) || rows[1][1] != int64(0) {
		t.Errorf("%v, %v", rows, err)
	}
	if used := allocated() - before; used > 64<<20 {
		t.Errorf("%d MiB were allocated", used>>20)
	}
}
