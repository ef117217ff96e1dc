package source_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// wanted is a condition on a column: none says that no value between bounds fulfils it.
type wanted struct {
	column string
	none   func(table.Bounds) bool
}

// word wants one text.
func word(column, text string) wanted {
	return wanted{column, func(b table.Bounds) bool { return b.Empty || text < b.Texts[0] || b.Above(text) }}
}

func where(d *source.Dataset, conditions ...wanted) *source.Selection {
	var columns []string
	for _, c := range conditions {
		columns = append(columns, c.column)
	}
	return d.Where(columns, func(i int, b table.Bounds) bool { return conditions[i].none(b) })
}

// left is how many rows were left out: with whole row groups, and of those that were read.
type left struct{ groups, pages int64 }

// selected reads a selection's rows.
func selected(d *source.Dataset, columns []string, conditions ...wanted) (rows [][]any, out left, err error) {
	s := where(d, conditions...)
	for split := range d.Splits() {
		sum, n, err := s.Read(context.Background(), split, columns, func(b *table.Batch) error {
			rows = append(rows, tabletest.Rows(b)...)
			return sound(b, len(columns))
		})
		if err != nil {
			return nil, out, err
		}
		digest, err := s.Digest(context.Background(), split, columns)
		if err != nil || !bytes.Equal(sum, digest) {
			return nil, out, fmt.Errorf("split %d: Read and Digest disagree: %w", split, err)
		}
		if s.Skips(split) {
			out.groups += n
		} else {
			out.pages += n
		}
	}
	return rows, out, nil
}

// byteArrays is the values of byte arrays in PLAIN.
func byteArrays(values ...string) []byte {
	var b []byte
	for _, v := range values {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(v))), v...)
	}
	return b
}

// stated gives the chunk of a file statistics, in the order of its type.
func stated(s format.Statistics) func(*format.FileMetaData) {
	return func(m *format.FileMetaData) {
		m.RowGroups[0].Columns[0].MetaData.Statistics = s
		m.ColumnOrders = []format.ColumnOrder{{Value: &format.TypeDefinedOrder{}}}
	}
}

func newer(least, most string) format.Statistics {
	return format.Statistics{MinValue: []byte(least), MaxValue: []byte(most)}
}

// The statistics of texts rule out what is certainly not between them.
func TestTextStatistics(t *testing.T) {
	long := string(bytes.Repeat([]byte("m"), 100))
	plain := onePage(3, dataV1(3, format.Plain, byteArrays("mango", "melon", "miso"))).of(text8("x", false))
	older := format.Statistics{Min: []byte("mango"), Max: []byte("miso")}
	unordered := func(m *format.FileMetaData) {
		stated(newer("mango", "miso"))(m)
		m.ColumnOrders = nil
	}
	for name, c := range map[string]struct {
		change  func(*format.FileMetaData)
		out, in []string
	}{
		"exact":            {stated(newer("mango", "miso")), []string{"", "mang", "mj", "z", "\xff"}, []string{"mango", "melon", "miso", "miso soup"}},
		"cut short":        {stated(newer("m", "mi")), []string{"", "l", "mj", "z"}, []string{"m", "melon", "miso", "mi"}},
		"rounded up":       {stated(newer("", "n")), []string{"o"}, []string{"", "miso", "n", "nut"}},
		"no least":         {stated(format.Statistics{MaxValue: []byte("miso")}), []string{"mj"}, []string{"", "miso"}},
		"long":             {stated(newer("m", long)), []string{"n", "mn"}, []string{long + "z", long[:70] + "m"}},
		"no greatest":      {stated(newer("mango", "")), nil, []string{"", "miso", "z"}},
		"the wrong way":    {stated(newer("z", "a")), nil, []string{"", "miso", "z"}},
		"older":            {stated(older), nil, []string{"", "miso", "z"}},
		"of unknown order": {unordered, nil, []string{"", "miso", "z"}},
	} {
		d := open(t, source.CSV{}, write(t, "a.parquet", plain.with(c.change).file(t)))
		for _, text := range c.out {
			if rows, out, err := selected(d, []string{"x"}, word("x", text)); err != nil || out.groups != 3 || len(rows) > 0 {
				t.Errorf("%s: %q: %d rows, %v left out, %v", name, text, len(rows), out, err)
			}
		}
		if name == "long" {
			continue // the values are others
		}
		for _, text := range c.in {
			if rows, out, err := selected(d, []string{"x"}, word("x", text)); err != nil || out != (left{}) || len(rows) != 3 {
				t.Errorf("%s: %q: %d rows, %v left out, %v", name, text, len(rows), out, err)
			}
		}
	}
}

// Values beyond the statistics are an error where they are read, in a dictionary those that a row has.
func TestTextsThatContradictStatistics(t *testing.T) {
	dictionary := dictionaryPage(4, byteArrays("mango", "zebra", "miso", "apple"))
	for name, c := range map[string]struct {
		file crafted
		ok   bool
	}{
		"plain":              {onePage(2, dataV1(2, format.Plain, byteArrays("mango", "zebra"))), false},
		"below":              {onePage(2, dataV1(2, format.Plain, byteArrays("a", "mango"))), false},
		"a code":             {onePage(3, dictionary, dataV1(3, format.RLEDictionary, codes(1, 0, 1, 1, 1, 2))), false},
		"entries of no row":  {onePage(3, dictionary, dataV1(3, format.RLEDictionary, codes(1, 0, 2, 2))), true},
		"one row":            {onePage(1, dictionary, dataV1(1, format.RLEDictionary, codes(1, 2))), true},
		"one row, beyond it": {onePage(1, dictionary, dataV1(1, format.RLEDictionary, codes(1, 3))), false},
	} {
		d := open(t, source.CSV{}, write(t, "a.parquet", c.file.of(text8("x", false)).with(stated(newer("mango", "miso"))).file(t)))
		_, _, err := selected(d, []string{"x"}, word("x", "mango"))
		var e *source.Error
		switch {
		case c.ok && err != nil:
			t.Errorf("%s: %v", name, err)
		case !c.ok && (!errors.As(err, &e) || e.Code != source.CodeDamaged || e.Column != "x" || e.File != "a.parquet"):
			t.Errorf("%s: %v", name, err)
		}
		if _, err := readAll(d, "x"); err != nil {
			t.Errorf("%s, without a condition: %v", name, err)
		}
	}
}
