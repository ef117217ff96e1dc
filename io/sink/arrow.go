package sink

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// arrowFormat writes an Arrow IPC file with one record batch for each block of rows. If the table has no rows, the file
// has one empty batch.
type arrowFormat struct{}

func (arrowFormat) Extension() string { return ".arrow" }

func (arrowFormat) Write(ctx context.Context, w io.Writer, t *table) (rows int, err error) {
	columns, err := newArrowColumns(t)
	if err != nil {
		return 0, err
	}
	out, err := newArrowFile(w, columns.schema)
	if err != nil {
		return 0, err
	}
	for b, err := range t.blocks(ctx) {
		if err != nil {
			return rows, err
		}
		if err := out.write(columns.record(b)); err != nil {
			return rows, err
		}
		rows += len(b.cells)
	}
	if rows == 0 {
		if err := out.write(columns.record(newBlock(t))); err != nil {
			return 0, err
		}
	}
	return rows, out.close()
}

// arrowFile is an Arrow IPC file that is being written.
type arrowFile struct {
	buffer *bufio.Writer
	at     *countingWriter
	out    *ipc.FileWriter
}

func newArrowFile(w io.Writer, s *arrow.Schema) (*arrowFile, error) {
	f := &arrowFile{buffer: bufio.NewWriterSize(w, 1<<16)}
	f.at = &countingWriter{Writer: f.buffer}
	var err error
	f.out, err = ipc.NewFileWriter(f.at, ipc.WithSchema(s))
	return f, err
}

func (f *arrowFile) write(r arrow.Record) error {
	defer r.Release()
	if err := f.out.Write(r); err != nil {
		return fmt.Errorf("record batch: %w", err)
	}
	return nil
}

// endOfStream ends the stream of messages between a file's magic and its footer. The library omits it (apache/arrow,
// 43837), and programs that read the file as a stream need it.
var endOfStream = []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}

func (f *arrowFile) close() error {
	if _, err := f.at.Write(endOfStream); err != nil {
		return err
	}
	if err := f.out.Close(); err != nil {
		return fmt.Errorf("footer: %w", err)
	}
	return f.buffer.Flush()
}

// countingWriter is a writer that counts the written bytes. It has a method Seek because the library calls Seek to
// learn that count.
type countingWriter struct {
	io.Writer
	at int64
}

func (p *countingWriter) Write(data []byte) (int, error) {
	n, err := p.Writer.Write(data)
	p.at += int64(n)
	return n, err
}

// Seek returns the number of written bytes. It fails if the caller asks to move.
func (p *countingWriter) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errNoSeek
	}
	return p.at, nil
}

const errNoSeek = reason("a stream can't be written out of order")
