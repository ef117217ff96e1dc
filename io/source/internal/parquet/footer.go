package parquet

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// minStruct is less than the mean bytes of a struct in any valid footer. It bounds memory: decoding a struct allocates
// up to 1 KiB.
const minStruct = 4

// groupsField is the field number of the row groups in a footer. Source: parquet-format, parquet.thrift,
// "FileMetaData".
const groupsField = 4

// rowGroup holds the number of rows of a row group, and its chunk for each leaf of the schema.
type rowGroup struct {
	rows   int64
	chunks []chunk
}

// chunk is the place of a column's pages in a row group, and what the footer states about their values.
type chunk struct {
	start, size int64
	values      int64
	codec       format.CompressionCodec
	physical    format.Type
	elsewhere   bool // the pages are in another file
	encrypted   bool
	bounds      table.Bounds // min and max of its values, as the footer states them
	bounded     bool         // bounds is set and trusted
}

// readFooter returns the file's footer with its length and magic, as bytes. If the last bytes are not Parquet's, it
// also reads the first bytes, to tell the user what the file is. Otherwise it does not, since this would cost a request
// for a file in a store.
func readFooter(f io.ReaderAt, size int64) ([]byte, error) {
	var tail [8]byte
	if size < 12 {
		return nil, newTruncated("is too short for a Parquet file")
	}
	if err := scan.ReadAt(f, tail[:], size-8); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case string(tail[4:]) == "PARE":
		return nil, fault.New(fault.CodeUnsupported, "the file is encrypted")
	case string(tail[4:]) != "PAR1":
		return nil, noFooter(f)
	case n > size-12:
		return nil, fault.New(fault.CodeDamaged, "the footer is longer than the file")
	}
	b := make([]byte, n+8)
	return b, scan.ReadAt(f, b, size-8-n)
}

// noFooter returns the error for a file that does not end with the magic bytes of Parquet.
func noFooter(f io.ReaderAt) error {
	var head [4]byte
	if err := scan.ReadAt(f, head[:], 0); err != nil {
		return err
	}
	switch string(head[:]) {
	case "PARE":
		return fault.New(fault.CodeUnsupported, "the file is encrypted")
	case "PAR1":
		return newTruncated("does not end as a Parquet file does")
	}
	return fault.New(fault.CodeDamaged, "this is not a Parquet file")
}

// decodeFooter decodes the result of readFooter, except for the row groups, which it returns as bytes. Rows decide how
// many row groups there are and how long the texts in their statistics are, so rowGroupsOf decodes them one after the
// other.
func decodeFooter(b []byte) (*format.FileMetaData, [][]byte, error) {
	undecoded := fault.New(fault.CodeDamaged, "the footer cannot be decoded")
	b = b[:len(b)-8]
	w, ok := walkThrift(b)
	signed := len(b)-w.at == 28 // a signature, which is not checked, may follow
	if !ok || w.at < len(b) && !signed || w.structs > len(b)/minStruct+64 {
		return nil, nil, undecoded
	}
	b = b[:w.at]
	if len(w.untyped) > 0 { // so fastparquet writes empty lists of structs, which the library refuses
		b = slices.Clone(b)
		for _, head := range w.untyped {
			b[head] = thriftStruct
		}
	}
	rest, groups, ok := withoutGroups(b)
	meta := &format.FileMetaData{}
	if !ok || decodeThrift(rest, meta) != nil {
		return nil, nil, undecoded
	}
	return meta, groups, nil
}

// withoutGroups cuts the row groups out of a footer. It returns the footer with an empty list of row groups, and the
// bytes of each row group. ok is false if the footer has two such lists.
func withoutGroups(b []byte) (rest []byte, groups [][]byte, ok bool) {
	w := thriftWalk{b: b}
	for field, found := 0, false; ; {
		head := w.octet()
		if head == 0 {
			return append(rest, b...), groups, !w.bad
		}
		if field += int(head >> 4); head>>4 == 0 {
			number := w.uvarint()
			field = int(number>>1) ^ -int(number&1)
		}
		typ := head & 15
		if field != groupsField || typ != thriftList {
			if typ != thriftTrue && typ != thriftFalse {
				w.value(typ, thriftDepth)
			}
			continue
		}
		rest = append(append(rest, b[:w.at]...), thriftStruct)
		n, element := w.readListHead()
		if found || element != thriftStruct {
			return nil, nil, false
		}
		for found = true; n > 0 && !w.bad; n-- {
			from := w.at
			w.fields(thriftDepth)
			groups = append(groups, b[from:w.at])
		}
		b = b[w.at:]
		w.b, w.at = b, 0
	}
}

// rowGroupsOf decodes the row groups. It checks that their rows and leaves agree in number with the rest of the footer.
func rowGroupsOf(meta *format.FileMetaData, groups [][]byte, leaves int) ([]rowGroup, error) {
	out := make([]rowGroup, len(groups))
	total := int64(0)
	for i, b := range groups {
		var g format.RowGroup
		var e *fault.Error
		switch err := decodeThrift(b, &g); {
		case err != nil:
			e = fault.New(fault.CodeDamaged, "the footer cannot be decoded")
		case g.NumRows < 0 || g.NumRows > scan.MaxRows-total:
			e = fault.New(fault.CodeTooLarge, "the row group announces an impossible number of rows")
		case len(g.Columns) != leaves:
			e = fault.New(fault.CodeDamaged, "the number of columns differs from the schema's")
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
		return nil, fault.New(fault.CodeRowCount, "the footer's numbers of rows contradict each other")
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
		out[i].bounds, out[i].bounded = statedBounds(m.Type, &m.Statistics, isTypeOrdered(orders, i))
		// PyArrow states the data page's offset as 0 if there is no data page.
		if d := m.DictionaryPageOffset; d > 0 && (d < m.DataPageOffset || m.DataPageOffset == 0) {
			out[i].start = d
		}
	}
	return out
}

// check compares what the footer states about a chunk with the schema, the row group and the file. All pages must be
// before end.
func (c *chunk) check(l *leaf, rows, end int64) error {
	switch {
	case c.encrypted:
		return fault.New(fault.CodeUnsupported, "the column is encrypted")
	case c.elsewhere:
		return fault.New(fault.CodeUnsupported, "the column is in another file")
	case c.physical != l.physical:
		return fault.New(fault.CodeDamaged, "the column's type differs from the schema's")
	case l.list == nil && c.values != rows || c.values < rows || c.values > scan.MaxRows:
		return fault.New(fault.CodeRowCount, "the number of values differs from the number of rows")
	case c.start < 4 && c.size > 0 || c.size < 0 || c.start > end || c.size > end-c.start:
		return fault.New(fault.CodeDamaged, "the column chunk is not within the file")
	case !slices.Contains(codecsRead, c.codec):
		return fault.New(fault.CodeUnsupported, "the compression %s cannot be read", strings.ToLower(c.codec.String())).
			Advise("write the file with snappy, zstd, gzip, brotli, lz4_raw or no compression")
	}
	return nil
}

// newTruncated returns the error for a file that ends too early.
func newTruncated(text string) error {
	return fault.New(fault.CodeTruncated, "the file %s", text).Advise("copy it again from where it came from")
}
