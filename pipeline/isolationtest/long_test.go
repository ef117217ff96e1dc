package isolationtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// A unit's data may be long: one value, or many values together. The test writes three short rows alone and with such
// data among them. Both files must be readable, with the same short rows. The lengths of the data are drawn around
// limits of formats and libraries, which are powers of two. The files state long data in few bytes, by runs,
// dictionaries and compression.

// longData makes a file of three short rows, the numbers 1 to 3 or the texts of these digits. If long is set, one long
// row or several are inserted at the index at, from 0 to 3. what describes them.
type longData struct {
	name string
	file func(r *rand.Rand, at int, long bool) (name string, b []byte, what string, err error)
	csv  textfile.CSV
}

var longTable = []longData{{"a list in a dictionary-coded page", longList, textfile.CSV{}},
	{"texts in DELTA_BYTE_ARRAY", longTexts, textfile.CSV{}}, {"a frame of zstd", longFrame, textfile.CSV{Header: true}}}

// around draws a length next to one of some powers of two.
func around(r *rand.Rand, powers ...int) int { return 1<<pick(r, powers...) + r.IntN(5) - 2 }

// runs encodes runs of equal numbers of up to 8 bits, given as pairs of length and number.
func runs(pairs ...int) (b []byte) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] > 0 {
			b = append(binary.AppendUvarint(b, uint64(pairs[i])<<1), byte(pairs[i+1]))
		}
	}
	return b
}

// longList returns a Parquet file of lists of one number each and, if long is set, of one long list.
func longList(r *rand.Rand, at int, long bool) (name string, b []byte, what string, err error) {
	n := around(r, 20, 25, 25, 26, 26, 26)
	levels, values := []int{3, 0}, 3
	codes := runs(1, 0, 1, 1, 1, 2)
	if long {
		levels, values = []int{at, 0, 1, 0, n - 1, 1, 3 - at, 0}, 3+n
		codes = nil
		for i := range 3 {
			if i == at {
				codes = append(codes, runs(n, 0)...)
			}
			codes = append(codes, runs(1, i)...)
		}
		if at == 3 {
			codes = append(codes, runs(n, 0)...)
		}
	}
	var body []byte
	for _, l := range [][]byte{runs(levels...), runs(values, 1)} {
		body = append(binary.LittleEndian.AppendUint32(body, uint32(len(l))), l...)
	}
	body = append(append(body, 8), codes...)
	dictionary := []byte{}
	for _, x := range []uint64{1, 2, 3} {
		dictionary = binary.LittleEndian.AppendUint64(dictionary, x)
	}
	rows := 3
	if long {
		rows++
	}
	b, err = byHand(format.SchemaElement{Name: "x", Type: thrift.New(format.Int64),
		RepetitionType: thrift.New(format.Repeated)}, rows, values,
		page(format.DictionaryPage, 3, format.Plain, dictionary), page(format.DataPage, values, format.RLEDictionary, body))
	return "t.parquet", b, fmt.Sprintf("a list of %d elements", n), err
}

// longTexts returns a Parquet file of short texts and, if long is set, of equal long ones.
func longTexts(r *rand.Rand, at int, long bool) (name string, b []byte, what string, err error) {
	length, n := around(r, 10, 20, 20, 24), 0
	n = max(1, pick(r, 1<<20, 1<<30, 1<<31, 2200<<20)/length+r.IntN(3))
	texts := []string{"1", "2", "3"}
	if long {
		texts = slices.Concat(texts[:at], make([]string, n), texts[at:])
	}
	var same, rest []int32 // for each text, how many bytes equal the text before, and how many follow
	var data []byte
	before := ""
	whole := strings.Repeat("k", length)
	for _, s := range texts {
		if s == "" {
			s = whole
		}
		if s == before {
			same, rest = append(same, int32(len(s))), append(rest, 0)
			continue
		}
		same, rest = append(same, 0), append(rest, int32(len(s)))
		data = append(data, s...)
		before = s
	}
	var body []byte
	for _, lengths := range [][]int32{same, rest} {
		packed, err := new(delta.BinaryPackedEncoding).EncodeInt32(nil, lengths)
		if err != nil {
			return "", nil, "", err
		}
		body = append(body, packed...)
	}
	b, err = byHand(format.SchemaElement{Name: "x", Type: thrift.New(format.ByteArray),
		RepetitionType: thrift.New(format.Required)}, len(texts), len(texts),
		page(format.DataPage, len(texts), format.DeltaByteArray, append(body, data...)))
	return "t.parquet", b, fmt.Sprintf("%d texts of %d bytes", n, length), err
}

// longFrame returns a CSV file in one frame of zstd, whose window is as long as its content.
func longFrame(r *rand.Rand, at int, long bool) (name string, b []byte, what string, err error) {
	length := pick(r, around(r, 20), around(r, 26), 128<<20-40, 128<<20, 130<<20)
	var text bytes.Buffer
	text.WriteString("x\n")
	for i := range 4 {
		if i == at && long {
			for left := length; left > 0; left -= 1 << 20 {
				text.WriteString(strings.Repeat("k", min(left, 1<<20)) + "\n")
			}
		}
		if i < 3 {
			fmt.Fprintln(&text, i+1)
		}
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithSingleSegment(true),
		zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return "", nil, "", err
	}
	return "t.csv.zst", z.EncodeAll(text.Bytes(), nil), fmt.Sprintf("%d bytes in one frame", length), nil
}

type pageByHand struct {
	header format.PageHeader
	body   []byte
}

func page(kind format.PageType, values int, e format.Encoding, body []byte) pageByHand {
	h := format.PageHeader{Type: kind, UncompressedPageSize: int32(len(body)), CompressedPageSize: int32(len(body))}
	if kind == format.DictionaryPage {
		h.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: int32(values), Encoding: e})
	} else {
		h.DataPageHeader = thrift.New(format.DataPageHeader{NumValues: int32(values), Encoding: e,
			DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})
	}
	return pageByHand{h, body}
}

// byHand returns a Parquet file of one column in one row group.
func byHand(e format.SchemaElement, rows, values int, pages ...pageByHand) ([]byte, error) {
	out := bytes.NewBufferString("PAR1")
	for i := range pages {
		header, err := thrift.Marshal(&thrift.CompactProtocol{}, &pages[i].header)
		if err != nil {
			return nil, err
		}
		out.Write(header)
		out.Write(pages[i].body)
	}
	meta := format.FileMetaData{
		Version: 1, NumRows: int64(rows), Schema: []format.SchemaElement{{Name: "root", NumChildren: thrift.New(int32(1))},
			e},
		RowGroups: []format.RowGroup{{NumRows: int64(rows), Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
			Type: e.Type.V, PathInSchema: []string{"x"}, NumValues: int64(values), DataPageOffset: 4,
			TotalCompressedSize: int64(out.Len()) - 4,
		}}}}},
	}
	footer, err := thrift.Marshal(&thrift.CompactProtocol{}, &meta)
	if err != nil {
		return nil, err
	}
	out.Write(footer)
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	out.WriteString("PAR1")
	return out.Bytes(), nil
}

// short returns the short rows of a file in their order, and the number of all other rows.
func short(dir, name string, csv textfile.CSV) (rows []string, others int, err error) {
	d, err := source.Open(context.Background(), source.Options{Dir: dir, Files: []string{name}, CSV: csv, Workers: 1})
	if err != nil {
		return nil, 0, err
	}
	defer d.Close()
	seed := maphash.MakeSeed()
	for split := range d.Splits() {
		if _, err := d.Read(context.Background(), split, []string{"x"}, func(b *table.Batch) error {
			c := &b.Columns[0]
			for i := range b.Rows {
				switch {
				case c.IsNull(i):
					others++
				case c.Type.Kind == table.List && len(c.List(i)) == 1:
					rows = append(rows, fmt.Sprint(c.List(i)[0]))
				case c.Type.Kind == table.String && slices.Contains([]string{"1", "2", "3"}, string(c.Values.Bytes(c.Index(i)))):
					rows = append(rows, string(c.Values.Bytes(c.Index(i))))
				case c.Type.Kind == table.String:
					others++
					maphash.Bytes(seed, c.Values.Bytes(c.Index(i))) // all of it is there
				default:
					others++
				}
			}
			return nil
		}); err != nil {
			return nil, 0, err
		}
	}
	return rows, others, nil
}

// One unit's long data changes neither the rows of others nor whether a file can be read.
func TestIsolationOfLongData(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("takes gigabytes")
	}
	n := 3
	if os.Getenv("DPRELEASE_LONG") != "" {
		n = 60
	}
	dir := stabilitytest.Folder(t)
	for number := range uint64(n) {
		r := rand.New(rand.NewPCG(stabilitytest.Seed(t), number))
		of, at, layout := longTable[number%uint64(len(longTable))], r.IntN(4), r.Uint64()
		for _, long := range []bool{false, true} {
			name, b, what, err := of.file(rand.New(rand.NewPCG(layout, 0)), at, long)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
			rows, others, err := short(dir, name, of.csv)
			if err != nil {
				t.Fatalf("seed %d, pair %d: %s: of three short rows, and long %t, %s at %d: %v",
					stabilitytest.Seed(t), number, of.name, long,
					what, at, err)
			}
			if !slices.Equal(rows, []string{"1", "2", "3"}) || (others > 0) != long {
				t.Fatalf("seed %d, pair %d: %s: %s at %d: the short rows are %q, and %d others",
					stabilitytest.Seed(t), number, of.name, what, at,
					rows, others)
			}
		}
	}
}
