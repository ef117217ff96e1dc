package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// templates keeps the template that was used last: most reads of a file are of the same columns.
type templates struct {
	mu     sync.Mutex
	chunks []int // of the leaves
	file   *parquet.File
}

// of returns a template of leaves.
func (t *templates) of(leaves []leaf) (*parquet.File, error) {
	chunks := make([]int, len(leaves))
	for i := range leaves {
		chunks[i] = leaves[i].chunk
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file != nil && slices.Equal(t.chunks, chunks) {
		return t.file, nil
	}
	f, err := template(leaves)
	if err == nil {
		t.chunks, t.file = chunks, f
	}
	return f, err
}

// template opens an empty Parquet file in memory with one uncompressed column a leaf, each named by its number. Its
// page readers decode what a pageGuard hands them; so the library sees neither a file nor a footer that could be
// damaged, and row groups may have different compressions, which it does not know.
func template(leaves []leaf) (*parquet.File, error) {
	meta := format.FileMetaData{Version: 2, RowGroups: []format.RowGroup{{}}}
	meta.Schema = append(meta.Schema, format.SchemaElement{Name: "root", NumChildren: thrift.New(int32(len(leaves)))})
	for i := range leaves {
		l, name := &leaves[i], strconv.Itoa(i)
		e := format.SchemaElement{Name: name, Type: thrift.New(l.physical), RepetitionType: thrift.New(format.Required)}
		if l.optional {
			e.RepetitionType = thrift.New(format.Optional)
		}
		if l.physical == format.FixedLenByteArray {
			e.TypeLength = thrift.New(int32(l.width))
		}
		meta.Schema = append(meta.Schema, e)
		chunk := format.ColumnMetaData{Type: l.physical, PathInSchema: []string{name}, TotalCompressedSize: math.MaxInt64}
		meta.RowGroups[0].Columns = append(meta.RowGroups[0].Columns, format.ColumnChunk{MetaData: chunk})
	}
	footer, err := thrift.Marshal(&thrift.CompactProtocol{}, &meta)
	if err != nil {
		return nil, err
	}
	b := append([]byte("PAR1"), footer...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(footer)))
	b = append(b, "PAR1"...)
	return parquet.OpenFile(bytes.NewReader(b), int64(len(b)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
}

// pagesOf returns the library's page reader for one column of a template.
func pagesOf(f *parquet.File, column int, guard *pageGuard) (parquet.Pages, error) {
	chunk, ok := f.RowGroups()[0].ColumnChunks()[column].(*parquet.FileColumnChunk)
	if !ok {
		return nil, scan.Fault(scan.CodeUnsupported, "the pages cannot be read")
	}
	return chunk.PagesFrom(guard), nil
}
