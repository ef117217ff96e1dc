package source_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// crafted is a Parquet file made by hand, with one required INT64 column x unless changed.
type crafted struct {
	element format.SchemaElement
	groups  []craftedGroup
	change  func(*format.FileMetaData) // before the footer is written
}

// craftedGroup is a row group: its pages' headers and bytes.
type craftedGroup struct {
	rows  int64
	codec format.CompressionCodec
	pages []craftedPage
}

type craftedPage struct {
	header format.PageHeader
	body   []byte
}

var int64Column = format.SchemaElement{Name: "x", Type: thrift.New(format.Int64),
	RepetitionType: thrift.New(format.Required)}

// dataV1 returns a data page with the given number of values. Sizes that are 0 become the body's.
func dataV1(values int, e format.Encoding, body []byte) craftedPage {
	h := format.PageHeader{Type: format.DataPage, DataPageHeader: thrift.New(format.DataPageHeader{
		NumValues: int32(values), Encoding: e, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
	})}
	return craftedPage{h, body}
}

func dictionaryPage(values int, body []byte) craftedPage {
	h := format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{
		NumValues: int32(values), Encoding: format.Plain,
	})}
	return craftedPage{h, body}
}

func encoded(t testing.TB, v any) []byte {
	t.Helper()
	b, err := thrift.Marshal(&thrift.CompactProtocol{}, v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// file returns the file's bytes.
func (c crafted) file(t testing.TB) []byte {
	t.Helper()
	if c.element.Name == "" {
		c.element = int64Column
	}
	out := bytes.NewBufferString("PAR1")
	meta := format.FileMetaData{Version: 1, Schema: []format.SchemaElement{{Name: "root",
		NumChildren: thrift.New(int32(1))}, c.element}}
	for _, g := range c.groups {
		start := int64(out.Len())
		for _, p := range g.pages {
			if p.header.UncompressedPageSize == 0 {
				p.header.UncompressedPageSize = int32(len(p.body))
			}
			if p.header.CompressedPageSize == 0 {
				p.header.CompressedPageSize = int32(len(p.body))
			}
			out.Write(encoded(t, &p.header))
			out.Write(p.body)
		}
		meta.NumRows += g.rows
		meta.RowGroups = append(meta.RowGroups, format.RowGroup{NumRows: g.rows, Columns: []format.ColumnChunk{{
			MetaData: format.ColumnMetaData{
				Type: c.element.Type.V, PathInSchema: []string{"x"}, Codec: g.codec, NumValues: g.rows,
				DataPageOffset: start, TotalCompressedSize: int64(out.Len()) - start,
			},
		}}})
	}
	if c.change != nil {
		c.change(&meta)
	}
	footer := encoded(t, &meta)
	out.Write(footer)
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	out.WriteString("PAR1")
	return out.Bytes()
}

// onePage returns a file with one row group of these pages.
func onePage(rows int64, pages ...craftedPage) crafted {
	return crafted{groups: []craftedGroup{{rows: rows, pages: pages}}}
}

func int64s(values ...int64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

// runsOf encodes runs of equal numbers of up to 8 bits, given as pairs of length and number.
func runsOf(pairs ...uint64) []byte {
	var b []byte
	for i := 0; i < len(pairs); i += 2 {
		b = append(binary.AppendUvarint(b, pairs[i]<<1), byte(pairs[i+1]))
	}
	return b
}

// codes encodes runs of dictionary codes of 8 bits.
func codes(pairs ...uint64) []byte { return append([]byte{8}, runsOf(pairs...)...) }

func uvarints(values ...uint64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.AppendUvarint(b, v)
	}
	return b
}
