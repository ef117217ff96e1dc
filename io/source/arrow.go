package source

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/table"
)

// arrowFile is an opened Arrow IPC file (Feather of version 2 is one) or stream. The library decodes the schema, after
// schemaWalk has seen that it can be trusted with it; its record reader is not used, since that trusts every length
// and reads whole record batches, of all columns, into memory.
type arrowFile struct {
	origin
	seal    [sha256.Size]byte // of the footer, or of a stream's schema
	columns []arrowColumn
	types   []arrow.DataType // of the columns

	streamed bool
	start    int64 // of a stream's messages after the schema

	groups [][]arrowBlock // of a file: the record batches of each split
	dicts  []arrowBlock   // and its dictionaries

	known knownDictionaries
}

// coded says whether a column is codes into a dictionary.
func (c *arrowColumn) coded() bool { return c.typ.ID() == arrow.DICTIONARY }

func openArrow(path string, mac blockMAC) (file, *Error) {
	a := &arrowFile{origin: origin{path: path, mac: mac}}
	a.known.of = map[int]knownDictionary{}
	err := guard(func() error {
		f, err := os.Open(path)
		if err != nil {
			return notOpened(err)
		}
		defer f.Close()
		return a.load(f)
	})
	if err != nil {
		return nil, own(err)
	}
	return a, nil
}

const (
	arrowMagic   = "ARROW1"
	featherMagic = "FEA1"
)

// load reads the schema, and of a file the footer.
func (a *arrowFile) load(f *os.File) error {
	if err := a.stat(f); err != nil {
		return err
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
	if a.columns, err = columnsOf(schema); err != nil {
		return err
	}
	for _, c := range a.columns {
		a.types = append(a.types, c.typ)
	}
	return nil
}

// head tells a file from a stream and returns the bytes that say what it is: a file's footer, a stream's schema.
func (a *arrowFile) head(f io.ReaderAt) ([]byte, error) {
	var magic [8]byte
	if err := readWithin(f, magic[:], 0, a.size); err != nil {
		return nil, err
	}
	switch {
	case string(magic[:len(arrowMagic)]) == arrowMagic:
		return readArrowFooter(f, a.size)
	case string(magic[:len(featherMagic)]) == featherMagic:
		return nil, fault(CodeUnsupported, "Feather of version 1 cannot be read").hint("write it as version 2, which is Arrow")
	}
	m, err := readMessage(f, 0, a.size)
	if marked := binary.LittleEndian.Uint32(magic[:]) == 1<<32-1; !marked && (err != nil || m.kind() != headSchema) {
		return nil, fault(CodeDamaged, "this is not an Arrow file")
	}
	if errors.Is(err, io.EOF) {
		err = fault(CodeDamaged, "the stream has no schema")
	}
	if err != nil {
		return nil, err
	}
	a.streamed, a.start = true, m.body+m.size
	return m.meta, nil
}

func (a *arrowFile) loadStream(f io.ReaderAt) (flatTable, error) {
	m, err := readMessage(f, 0, a.size)
	if err != nil {
		return flatTable{}, err
	}
	if m.kind() != headSchema {
		return flatTable{}, fault(CodeDamaged, "the stream does not begin with a schema")
	}
	return m.table.table(slotHeader), nil
}

func (a *arrowFile) schema() table.Schema {
	s := table.Schema{Fields: make([]table.Field, len(a.columns))}
	for i, c := range a.columns {
		s.Fields[i] = c.field
	}
	return s
}

func (a *arrowFile) splits() int {
	if a.streamed {
		return 1
	}
	return len(a.groups)
}

func (a *arrowFile) public(string) bool { return true }

// reopen opens the file and checks that it is the one that we know.
func (a *arrowFile) reopen() (*os.File, error) {
	return a.origin.reopen(func(f *os.File) bool {
		again := arrowFile{origin: origin{size: a.size}}
		raw, err := again.head(f)
		return err == nil && sha256.Sum256(raw) == a.seal
	})
}

// read implements file.
func (a *arrowFile) read(ctx context.Context, split int, columns []string, yield func(*table.Batch) error) (Summary, error) {
	f, err := a.reopen()
	if err != nil {
		return Summary{}, err
	}
	defer f.Close()
	s := a.newScan(ctx, f, split, columns)
	defer s.codecs.close()
	s.yield = yield
	if a.streamed {
		err = s.stream()
	} else {
		err = s.blocks(a.groups[split])
	}
	if err != nil {
		return Summary{}, err
	}
	return Summary{Digest: s.h.Sum(nil)}, nil
}

// digest implements file.
func (a *arrowFile) digest(ctx context.Context, split int, columns []string) ([]byte, error) {
	s, err := a.read(ctx, split, columns, nil)
	return s.Digest, err
}
