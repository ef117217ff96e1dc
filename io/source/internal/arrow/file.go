// Package arrow reads Arrow IPC files (Feather of version 2 is one) and streams.
//
// The library decodes the schema, after schemaWalk has checked every length in it. The library's record reader is not
// used: it trusts lengths, and reads whole record batches with all columns into memory (docs/adr/0038). Here the
// buffers of the requested columns are read in order, a batch at a time.
//
// The contract is row isolation: let a correct writer write the tables T and U into one file, and each into a file of
// its own. Then the rows read from the one file are the rows read from the two files. A correct writer keeps to Arrow's
// columnar format: arrays are as long as their record batch, offsets never fall, a code's dictionary entry precedes the
// code, and metadata has at most 2^31 - 1 bytes, which is the most that the format can state. A row is then given by
// the validity, offsets and values at its place, or by the dictionary entry of its code.
//
// The table's rows decide how long buffers, dictionaries and metadata are, and how many record batches there are. If
// one of these had a limit, a row could make the read of the others fail. So none has a limit: buffers are decompressed
// as they are read, and the values of a dictionary that 32-bit codes cannot address are copied (widedictionary.go). A
// text of more than scan.MaxPage bytes or a list of more than scan.MaxListed elements is null, and changes no other
// row. All other limits come from the schema or the format. Dictionaries, the texts of string views, and the window of
// a zstd buffer (scan.NewZstdReader) are held in memory whole.
//
// Privacy units are compared by the values that this package yields. Integers, dates of 32 bits, timestamps, booleans,
// texts and bytes are the bits of the file. Floats of 16 and 32 bits become float64, and all NaNs are one value.
// Decimals, and dates of 64 bits that are not whole days, have an exact form for the columns that need one (exact.go).
package arrow

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// file is an opened Arrow IPC file or stream.
type file struct {
	scan.Origin
	scan.Unfooted
	seal    [sha256.Size]byte // digest of the footer or, for a stream, of the schema
	columns []column
	types   []arrow.DataType // the types of the top-level fields

	streamed bool
	start    int64 // offset of a stream's first message after the schema

	groups [][]block // groups[i] holds the record batches of split i of a file; nil for a stream
	dicts  []block   // the dictionary batches of a file; nil for a stream

	known knownDictionaries

	sparse sync.Map     // whether only the metadata of a split is fetched ahead, by split number
	unused atomic.Int64 // bytes of the last record batch that no requested column uses
}

// Open opens a file or stream and reads its schema. A split is some record batches of a file, or a whole stream. The
// columns named in exact are read so that different values stay different.
func Open(ctx context.Context, at scan.Place, exact []string) (scan.File, *fault.Error) {
	a := &file{Origin: scan.Origin{Place: at}}
	a.known.of = map[int]knownDictionary{}
	err := fault.Guard(func() error {
		f, err := a.Open(ctx)
		if err != nil {
			return err
		}
		defer f.Close()
		return a.load(f)
	})
	if err != nil {
		return nil, fault.From(err)
	}
	for i := range a.columns {
		if c := &a.columns[i]; c.field.Type.Kind != table.List && slices.Contains(exact, c.field.Name) {
			c.exact = true
			c.field.Type = exactType(c.typ)
		}
	}
	return a, nil
}

// likelyFooter is how many bytes at the end of a file are read at once. Most footers are shorter.
const likelyFooter = 64 << 10

// load reads the schema and, if it is a file, the footer.
func (a *file) load(f scan.Handle) error {
	if a.Remote != nil {
		tail := min(likelyFooter, a.Size)
		f.Expect(scan.Extent{At: 0, Size: 8}, scan.Extent{At: a.Size - tail, Size: tail})
	}
	raw, err := a.head(f)
	if err != nil {
		return err
	}
	a.seal = sha256.Sum256(raw)
	var schema flatTable
	if a.streamed {
		schema, err = a.loadStream(f)
	} else {
		schema, err = a.loadFooter(f, raw)
	}
	if err != nil {
		return err
	}
	a.columns, a.types, err = columnsOf(schema)
	return err
}

// head finds out whether the data is a file or a stream. It returns the bytes of a file's footer, or of a stream's
// schema.
func (a *file) head(f io.ReaderAt) ([]byte, error) {
	var magic [8]byte
	if err := readWithin(f, magic[:], 0, a.Size); err != nil {
		return nil, err
	}
	switch {
	case string(magic[:len(fileMagic)]) == fileMagic:
		return readFooter(f, a.Size)
	case string(magic[:len(featherMagic)]) == featherMagic:
		return nil, fault.New(fault.CodeUnsupported, "Feather of version 1 cannot be read").Advise("write it as version 2, " +
			"which is Arrow")
	}
	m, err := readMessage(f, 0, a.Size)
	if marked := binary.LittleEndian.Uint32(magic[:]) == 1<<32-1; !marked && (err != nil || m.kind() != headSchema) {
		return nil, fault.New(fault.CodeDamaged, "this is not an Arrow file")
	}
	if errors.Is(err, io.EOF) {
		err = fault.New(fault.CodeDamaged, "the stream has no schema")
	}
	if err != nil {
		return nil, err
	}
	if a.Whole {
		return nil, fault.New(fault.CodeFormat, "an Arrow stream can be cut short unnoticed").
			Advise("write an Arrow file, which has a footer")
	}
	a.streamed, a.start = true, m.body+m.size
	return m.meta, nil
}

func (a *file) loadStream(f io.ReaderAt) (flatTable, error) {
	m, err := readMessage(f, 0, a.Size)
	if err != nil {
		return flatTable{}, err
	}
	if m.kind() != headSchema {
		return flatTable{}, fault.New(fault.CodeDamaged, "the stream does not begin with a schema")
	}
	return m.table.table(slotHeader), nil
}

func (a *file) Schema() table.Schema {
	s := table.Schema{Fields: make([]table.Field, len(a.columns))}
	for i, c := range a.columns {
		s.Fields[i] = c.field
	}
	return s
}

func (a *file) Splits() int {
	if a.streamed {
		return 1
	}
	return len(a.groups)
}

func (a *file) Public(string) bool { return true }

// reopen opens the file again and checks that its footer or schema has not changed.
func (a *file) reopen(ctx context.Context) (scan.Handle, error) {
	return a.Reopen(ctx, func(f scan.Handle) bool {
		again := file{Origin: scan.Origin{Size: a.Size}}
		raw, err := again.head(f)
		return err == nil && sha256.Sum256(raw) == a.seal
	})
}

func (a *file) Read(ctx context.Context, split int, columns []string, _ int64,
	yield func(*table.Batch) error) (scan.Summary, error) {
	f, err := a.reopen(ctx)
	if err != nil {
		return scan.Summary{}, err
	}
	defer f.Close()
	s := a.newScan(ctx, f, split, columns)
	defer s.codecs.Close()
	s.yield = yield
	if a.streamed {
		err = s.stream()
	} else {
		err = s.blocks(split)
	}
	if err != nil {
		return scan.Summary{}, err
	}
	return scan.Summary{Digest: s.h.Sum(nil)}, nil
}

func (a *file) Digest(ctx context.Context, split int, columns []string) ([]byte, error) {
	s, err := a.Read(ctx, split, columns, 0, nil)
	return s.Digest, err
}

// loadFooter reads from the footer where record batches and dictionaries are. It returns the footer's schema.
func (a *file) loadFooter(f io.ReaderAt, raw []byte) (flatTable, error) {
	b := &flatBuffer{b: raw[:len(raw)-4-len(fileMagic)]}
	footer := b.root()
	end := a.Size - int64(len(raw))
	records, err := blocksOf(footer.vector(3, blockBytes), end)
	if err != nil {
		return flatTable{}, err
	}
	a.dicts, err = blocksOf(footer.vector(2, blockBytes), end)
	if err != nil {
		return flatTable{}, err
	}
	schema := footer.table(1)
	if b.bad || !footer.has(1) {
		return flatTable{}, fault.New(fault.CodeDamaged, "the footer cannot be decoded")
	}
	a.groups = groupBlocks(records)
	return schema, a.identify(f)
}

// identify sets the ids of the dictionary batches of a file, which it reads from the batches' metadata.
func (a *file) identify(f io.ReaderAt) error {
	for i := range a.dicts {
		m, err := a.dicts[i].message(f, headDictionary)
		if err != nil {
			return err
		}
		if a.dicts[i].id = m.table.table(slotHeader).i64(0); m.table.f.bad {
			return undecodedMessage()
		}
	}
	return nil
}
