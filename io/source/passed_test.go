package source_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// withEnds gives a page statistics in its header.
func withEnds(p craftedPage, least, most int64) craftedPage {
	s := format.Statistics{MinValue: int64s(least), MaxValue: int64s(most)}
	if p.header.Type == format.DataPageV2 {
		p.header.DataPageHeaderV2.V.Statistics = s
	} else {
		p.header.DataPageHeader.V.Statistics = s
	}
	return p
}

// dataV2 is a data page of so many required values.
func dataV2(values, rows int, body []byte) craftedPage {
	h := format.PageHeader{Type: format.DataPageV2, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
		NumValues: int32(values), NumRows: int32(rows), Encoding: format.Plain,
	})}
	return craftedPage{h, body}
}

// summed gives a page a checksum.
func summed(p craftedPage, sum int32) craftedPage {
	p.header.CRC = sum
	return p
}

// Pages that are passed over are not decoded, but their rows and checksums count.
func TestPagesThatArePassedOver(t *testing.T) {
	some := dataV1(2, format.Plain, int64s(5, 6))
	noise := bytes.Repeat([]byte{0xa5}, 11)
	garbage := withEnds(dataV1(2, format.DeltaBinaryPacked, noise), 100, 200)
	dictionary := dictionaryPage(2, int64s(5, 6))
	for name, c := range map[string]struct {
		file crafted
		code string // empty: it is read
		rows int
	}{
		"undecodable":            {onePage(4, some, garbage), "", 2},
		"undecodable, first":     {onePage(4, garbage, some), "", 2},
		"a broken dictionary":    {onePage(4, garbage, withEnds(dataV1(2, format.RLEDictionary, codes(2, 1)), 9, 9)), source.CodeDamaged, 0},
		"behind a dictionary":    {onePage(4, dictionary, garbage, dataV1(2, format.RLEDictionary, codes(2, 1))), "", 2},
		"all of them":            {onePage(4, garbage, garbage), "", 0},
		"all, with a dictionary": {onePage(4, dictionary, garbage, garbage), "", 0},
		"of version 2":           {onePage(4, some, withEnds(dataV2(2, 2, noise), 100, 200)), "", 2},
		"without rows":           {onePage(4, some, dataV1(0, format.Plain, nil), garbage), "", 2},
		"too many rows":          {onePage(4, some, withEnds(dataV1(3, format.Plain, noise), 100, 200)), source.CodeRowCount, 0},
		"too few rows":           {onePage(4, some, withEnds(dataV1(1, format.Plain, noise), 100, 200)), source.CodeRowCount, 0},
		"negative rows":          {onePage(4, some, withEnds(dataV1(-2, format.Plain, noise), 100, 200)), source.CodeDamaged, 0},
		"rows and values differ": {onePage(4, some, withEnds(dataV2(2, 1, noise), 100, 200)), source.CodeDamaged, 0},
		"a wrong checksum":       {onePage(4, some, summed(garbage, 1)), source.CodeChecksum, 0},
		"no dictionary":          {onePage(4, some, withEnds(dataV1(2, format.RLEDictionary, noise), 100, 200)), source.CodeDamaged, 0},
		"longer than the chunk":  {onePage(4, some, sizedPage(garbage, 11, 1000)), source.CodeDamaged, 0},
		"of no known kind":       {onePage(4, some, craftedPage{format.PageHeader{Type: 9}, noise}), source.CodeDamaged, 0},
		"values beyond":          {onePage(2, withEnds(some, 5, 5)), source.CodeDamaged, 0},
		"codes beyond":           {onePage(2, dictionary, withEnds(dataV1(2, format.RLEDictionary, codes(2, 1)), 5, 5)), source.CodeDamaged, 0},
		"an entry of no row":     {onePage(2, dictionary, withEnds(dataV1(2, format.RLEDictionary, codes(2, 0)), 5, 5)), "", 2},
	} {
		d := open(t, source.CSV{}, write(t, "a.parquet", c.file.file(t)))
		rows, out, err := selected(d, []string{"x"}, fromTo("x", 0, 9))
		var e *source.Error
		switch {
		case c.code == "" && (err != nil || len(rows) != c.rows || len(rows)+int(out.pages) != int(c.file.groups[0].rows)):
			t.Errorf("%s: %v, %+v left out, %v", name, rows, out, err)
		case c.code != "" && (!errors.As(err, &e) || e.Code != c.code || e.File != "a.parquet" || e.Column != "x"):
			t.Errorf("%s: %v, %v, want %s", name, rows, err, c.code)
		}
	}
}

// What will be passed over is known from page indexes, without a read.
func TestPagesAreForeseen(t *testing.T) {
	d := open(t, source.CSV{}, write(t, "a.parquet", counting(t)))
	two := []wanted{fromTo("id", 250, 500), fromTo("id", 0, 300)}
	for _, c := range []struct {
		columns    []string
		conditions []wanted
		want       source.Pages
	}{
		{[]string{"id"}, []wanted{fromTo("id", 250, 260)}, source.Pages{All: 11, Skipped: 10}},
		{[]string{"id"}, two, source.Pages{All: 11, Skipped: 9}},
		{[]string{"list", "id"}, []wanted{fromTo("id", 250, 260)}, source.Pages{All: 34, Skipped: 30}},
		{[]string{"list"}, []wanted{fromTo("id", 250, 260)}, source.Pages{All: 23}}, // id is not read
		{[]string{"list", "id"}, []wanted{fromTo("id", 2500, 2600)}, source.Pages{}},
		{[]string{"list", "id"}, nil, source.Pages{}},
	} {
		if got, err := where(d, c.conditions...).Pages(t.Context(), c.columns); err != nil || got != c.want {
			t.Errorf("%v: %+v, %v, want %+v", c.columns, got, err, c.want)
		}
	}
	damaged := reindexed(t, counting(t), func(x *indexes) { x.raw[0] = []byte("no index") })
	d = open(t, source.CSV{}, write(t, "a.parquet", damaged))
	var e *source.Error
	if _, err := where(d, two...).Pages(t.Context(), []string{"list", "id"}); !errors.As(err, &e) || e.File != "a.parquet" || e.Column != "id" {
		t.Errorf("%v", err)
	}
}

// A row group without rows has no pages, and its index none.
func TestNoPages(t *testing.T) {
	for name, content := range map[string][]byte{"no index": onePage(0).file(t), "an empty index": withPlaces(t, onePage(0).file(t))} {
		d := open(t, source.CSV{}, write(t, "a.parquet", content))
		if rows, out, err := selected(d, []string{"x"}, fromTo("x", 0, 9)); err != nil || len(rows) > 0 || out != (left{}) {
			t.Errorf("%s: %v, %v, %v", name, rows, out, err)
		}
	}
	d := open(t, source.CSV{}, write(t, "a.parquet", withPlaces(t, onePage(2, dataV1(2, format.Plain, int64s(5, 6))).file(t))))
	var e *source.Error
	if _, _, err := selected(d, []string{"x"}, fromTo("x", 0, 9)); !errors.As(err, &e) || e.Code != source.CodeDamaged {
		t.Errorf("an empty index of two rows: %v", err)
	}
}

// Lists are passed over by an index.
func TestListsThatArePassedOver(t *testing.T) {
	content := counting(t)
	d := open(t, source.CSV{}, write(t, "a.parquet", content))
	for _, columns := range [][]string{{"list", "id"}, {"id", "list"}} {
		rows, out, err := selected(d, columns, fromTo("id", 297, 297))
		if err != nil || out.pages != 902 || len(rows) != 98 {
			t.Fatalf("%v: %d rows, %+v left out, %v", columns, len(rows), out, err)
		}
		for i, row := range rows {
			id := int64(294 + i)
			want := []any{id, tabletest.List(float64(id))}
			if columns[0] == "list" {
				slices.Reverse(want)
			}
			if !slices.Equal(row, want) {
				t.Fatalf("row %d: %v, want %v", i, row, want)
			}
		}
	}
}

// withPlaces gives the pages of a file's one column first rows in an offset index.
func withPlaces(t testing.TB, content []byte, rows ...int64) []byte {
	t.Helper()
	var x format.OffsetIndex
	for _, row := range rows {
		x.PageLocations = append(x.PageLocations, format.PageLocation{FirstRowIndex: row})
	}
	part := encoded(t, &x)
	at := len(content) - 8 - int(binary.LittleEndian.Uint32(content[len(content)-8:]))
	return refooted(t, slices.Concat(content[:at], part, content[at:]), func(m *format.FileMetaData) {
		c := &m.RowGroups[0].Columns[0]
		c.OffsetIndexOffset, c.OffsetIndexLength = int64(at), int32(len(part))
	})
}

// Lists that go on in the next page do so under a selection. An index by which they do not is an error.
func TestListsThatAreCut(t *testing.T) {
	content := listFile(3, 6, listPage(2, []uint64{1, 0, 1, 1}, []uint64{2, 1}, 1, 2), listPage(1, []uint64{1, 1}, []uint64{1, 1}, 3),
		listPage(3, []uint64{1, 1, 2, 0}, []uint64{1, 1, 1, 0, 1, 1}, 4, 5)).file(t)
	anything := wanted{"x", func(table.Bounds) bool { return false }}
	rows, out, err := selected(open(t, source.CSV{}, write(t, "a.parquet", content)), []string{"x"}, anything)
	if err != nil || out != (left{}) {
		t.Fatalf("%+v left out, %v", out, err)
	}
	same(t, ofX(tabletest.List(1, 2, 3, 4), tabletest.List(), tabletest.List(5)), rows)
	for _, places := range [][]int64{{0, 1, 2}, {0, 1, 1}, {0, 0, 1}, {0, 1}, {0, 1, 1, 3}} {
		d := open(t, source.CSV{}, write(t, "a.parquet", withPlaces(t, content, places...)))
		_, _, err := selected(d, []string{"x"}, anything)
		var e *source.Error
		if !errors.As(err, &e) || e.Code != source.CodeDamaged || e.Column != "x" {
			t.Errorf("%v: %v", places, err)
		}
	}
}
