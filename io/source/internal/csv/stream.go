package csv

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// maxWindow is the most memory that a zstd stream may ask for.
const maxWindow = 128 << 20

// stream reads the text of a file, or of a piece of it, and hashes the bytes in the file.
type stream struct {
	file    *os.File
	section *scan.Section
	r       io.Reader // the text
	stop    func()    // ends all reading
	close   func()
}

// openStream opens a file for a piece of it: all of it, if it is compressed.
func (c *file) openStream(ctx context.Context, piece int) (*stream, error) {
	file, err := c.Reopen(func(*os.File) bool { return false })
	if err != nil {
		return nil, err
	}
	s := &stream{file: file, stop: func() {}, close: func() { _ = file.Close() }}
	start, end := c.piece(piece)
	s.section = scan.NewSection(ctx, file, c.MAC).Between(start, end)
	if err := s.decompress(c.packed); err != nil {
		s.close()
		return nil, streamError(err)
	}
	return s, nil
}

// Compression is how a CSV file is compressed, by its name.
type Compression uint8

const (
	Plain Compression = iota // none
	Gzip                     // .gz
	Zstd                     // .zst
)

// decompress puts a decompressor between the bytes and the text.
func (s *stream) decompress(packed Compression) error {
	s.r = s.section
	switch packed {
	case Gzip:
		z, err := gzip.NewReader(s.section)
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		s.r = z
		return err
	case Zstd:
		z, err := zstd.NewReader(s.section, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return err
		}
		s.r, s.close = z, func() { z.Close(); _ = s.file.Close() }
	}
	return nil
}

// ahead lets the text be decompressed ahead of its reader.
func (s *stream) ahead() {
	a, end := newAheadReader(s.r), s.close
	s.r, s.stop, s.close = a, a.stop, func() { a.stop(); end() }
}

// sum reads the rest of the piece and returns its digest.
func (s *stream) sum() ([]byte, error) {
	s.stop()
	sum, err := s.section.Sum()
	if err != nil {
		return nil, streamError(err)
	}
	return sum, nil
}

// streamError maps what a stream can answer to our errors; that of a context stays.
func streamError(err error) error {
	var own *scan.Error
	var path *fs.PathError
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &own):
		return err
	case errors.As(err, &path):
		return scan.Fault(scan.CodeUnreadable, "the file cannot be read")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return scan.Fault(scan.CodeTruncated, "the compressed file ends too early").Advise("copy it again from where it came from: gzip -t FILE, or zstd -t FILE, says whether it is whole")
	case errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch):
		return scan.Fault(scan.CodeChecksum, "the compressed file's checksum does not match")
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return scan.Fault(scan.CodeTooLarge, "the compressed file asks for more than 128 MiB of memory").
			Advise("compress it with a smaller window")
	}
	return scan.Fault(scan.CodeDamaged, "the compressed file cannot be read").Advise("is it compressed, as its name says? a plain table is called FILE.csv; else copy it again")
}
