package parquet

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

const (
	// maxStructs is the most structs of a footer that is read: some millions of column chunks. Its length has no limit, since some writers
	// state texts of any length in it.
	maxStructs = 1 << 24
	// minStruct is less than the mean length of a footer's structs in any sound file; decoding one takes up to 1 KiB.
	minStruct = 4
)

// rowGroup is what we keep of a row group: its chunks, one a leaf of the schema.
type rowGroup struct {
	rows   int64
	chunks []chunk
}

// chunk is the place of the pages of one column in one row group, and what the footer says of them.
type chunk struct {
	start, size int64
	values      int64
	codec       format.CompressionCodec
	physical    format.Type
	elsewhere   bool // in another file
	encrypted   bool
	bounds      table.Bounds // that the footer states of its values
	bounded     bool         // it states any that are believed
}

// readFooter returns the file's footer with its length and magic, as bytes. The file's first bytes are read only if its last ones are not Parquet's,
// to say what is wrong: of a file of a store they would take a request.
func readFooter(f io.ReaderAt, size int64) ([]byte, error) {
	var tail [8]byte
	if size < 12 {
		return nil, scan.Fault(scan.CodeTruncated, "the file is too short for a Parquet file")
	}
	if err := scan.ReadAt(f, tail[:], size-8); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case string(tail[4:]) == "PARE":
		return nil, scan.Fault(scan.CodeUnsupported, "the file is encrypted")
	case string(tail[4:]) != "PAR1":
		return nil, noFooter(f)
	case n > size-12:
		return nil, scan.Fault(scan.CodeDamaged, "the footer is longer than the file")
	}
	b := make([]byte, n+8)
	return b, scan.ReadAt(f, b, size-8-n)
}

// noFooter says what a file is that does not end as a Parquet file does.
func noFooter(f io.ReaderAt) error {
	var head [4]byte
	if err := scan.ReadAt(f, head[:], 0); err != nil {
		return err
	}
	switch string(head[:]) {
	case "PARE":
		return scan.Fault(scan.CodeUnsupported, "the file is encrypted")
	case "PAR1":
		return scan.Fault(scan.CodeTruncated, "the file does not end as a Parquet file does")
	}
	return scan.Fault(scan.CodeDamaged, "this is not a Parquet file")
}

// decodeFooter decodes what readFooter returned.
func decodeFooter(b []byte) (*format.FileMetaData, error) {
	b = b[:len(b)-8]
	w, ok := walkThrift(b)
	signed := len(b)-w.at == 28 // a signature, which we cannot check, may follow
	if !ok || w.at < len(b) && !signed || w.structs > len(b)/minStruct+64 {
		return nil, scan.Fault(scan.CodeDamaged, "the footer cannot be decoded")
	}
	if w.structs > maxStructs {
		return nil, scan.Fault(scan.CodeTooLarge, "the footer has too many parts").Advise("write fewer row groups or columns a file")
	}
	meta := &format.FileMetaData{}
	if err := decodeThrift(b[:w.at], meta); err != nil {
		return nil, scan.Fault(scan.CodeDamaged, "the footer cannot be decoded")
	}
	return meta, nil
}

// rowGroupsOf keeps what we need of the row groups, after comparing the numbers of rows and of leaves.
func rowGroupsOf(meta *format.FileMetaData, leaves int) ([]rowGroup, error) {
	out := make([]rowGroup, len(meta.RowGroups))
	total := int64(0)
	for i, g := range meta.RowGroups {
		var e *scan.Error
		switch {
		case g.NumRows < 0 || g.NumRows > scan.MaxGroupRows:
			e = scan.Fault(scan.CodeTooLarge, "the row group announces an impossible number of rows")
		case len(g.Columns) != leaves:
			e = scan.Fault(scan.CodeDamaged, "the number of columns differs from the schema's")
		}
		if e != nil {
			e.RowGroup = i
			return nil, e
		}
		total += g.NumRows
		out[i].rows = g.NumRows
		out[i].chunks = chunksOf(g.Columns, meta.ColumnOrders)
	}
	if total != meta.NumRows {
		return nil, scan.Fault(scan.CodeRowCount, "the footer's numbers of rows contradict each other")
	}
	return out, nil
}

func chunksOf(columns []format.ColumnChunk, orders []format.ColumnOrder) []chunk {
	out := make([]chunk, len(columns))
	for i := range columns {
		c, m := &columns[i], &columns[i].MetaData
		out[i] = chunk{
			start: m.DataPageOffset, size: m.TotalCompressedSize, values: m.NumValues,
			codec: m.Codec, physical: m.Type,
			elsewhere: c.FilePath != "", encrypted: c.CryptoMetadata.Value != nil,
		}
		out[i].bounds, out[i].bounded = statedBounds(m.Type, &m.Statistics, typeOrdered(orders, i))
		if m.DictionaryPageOffset > 0 {
			out[i].start = min(m.DictionaryPageOffset, m.DataPageOffset)
		}
	}
	return out
}

// check compares what the footer says of a chunk with the schema, the row group and the file, whose pages end at end.
func (c *chunk) check(l *leaf, rows, end int64) error {
	switch {
	case c.encrypted:
		return scan.Fault(scan.CodeUnsupported, "the column is encrypted")
	case c.elsewhere:
		return scan.Fault(scan.CodeUnsupported, "the column is in another file")
	case c.physical != l.physical:
		return scan.Fault(scan.CodeDamaged, "the column's type differs from the schema's")
	case l.list == nil && c.values != rows || c.values < rows || c.values > scan.MaxGroupRows:
		return scan.Fault(scan.CodeRowCount, "the number of values differs from the number of rows")
	case c.start < 4 || c.size < 0 || c.start > end || c.size > end-c.start:
		return scan.Fault(scan.CodeDamaged, "the column chunk is not within the file")
	case !slices.Contains(codecsRead, c.codec):
		return scan.Fault(scan.CodeUnsupported, "the compression %s cannot be read", strings.ToLower(c.codec.String())).
			Advise("write the file with snappy, zstd, gzip, brotli, lz4_raw or no compression")
	}
	return nil
}
