package scan

import (
	"bufio"
	"compress/bzip2"
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/dprelease/dprelease/io/source/fault"
)

// Stream reads the text of a file, or of a piece of it. It hashes the bytes as they are in the file, before
// decompression.
type Stream struct {
	File    Handle
	Section *Section
	Text    io.Reader
	stop    func() // ends the goroutine of ReadAhead
	Close   func()
}

// OpenStream opens the bytes of a file from start up to, not including, end. It opens a compressed file whole.
func (o *Origin) OpenStream(ctx context.Context, start, end int64) (*Stream, error) {
	file, err := o.Reopen(ctx, func(Handle) bool { return false })
	if err != nil {
		return nil, err
	}
	s := &Stream{File: file, stop: func() {}, Close: func() { _ = file.Close() }}
	s.Section = NewSection(ctx, file, o.MAC, start, end)
	if err := s.decompress(o.Packed); err != nil {
		s.Close()
		return nil, StreamError(err)
	}
	return s, nil
}

// Compression is the compression of a text file. The file's name tells it.
type Compression uint8

// The kinds of compression, each with the ending of its files.
const (
	Plain Compression = iota // none
	Gzip                     // .gz
	Zstd                     // .zst
	Bzip2                    // .bz2
	XZ                       // .xz
)

// decompress sets Text to a reader of the decompressed bytes.
func (s *Stream) decompress(packed Compression) error {
	s.Text = s.Section
	switch packed {
	case Gzip:
		z, err := gzip.NewReader(s.Section)
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		s.Text = z
		return err
	case Zstd:
		z, err := NewZstdReader(s.Section)
		if err != nil {
			return err
		}
		s.Text, s.Close = z, func() { z.Close(); _ = s.File.Close() }
	case Bzip2:
		s.Text = bzip2.NewReader(s.Section)
	case XZ:
		// The decoder's dictionary may take up to 4 GiB of memory, the maximum in the format.
		z, err := xz.NewReader(bufio.NewReader(s.Section))
		if err != nil {
			return err
		}
		s.Text = z
	}
	return nil
}

// ReadAhead starts a goroutine that decompresses the text ahead of its reader.
func (s *Stream) ReadAhead() {
	a, end := NewAheadReader(s.Text), s.Close
	s.Text, s.stop, s.Close = a, a.Stop, func() { a.Stop(); end() }
}

// Sum reads the rest of the piece, and returns the digest of the whole piece.
func (s *Stream) Sum() ([]byte, error) {
	s.stop()
	sum, err := s.Section.Sum()
	if err != nil {
		return nil, StreamError(err)
	}
	return sum, nil
}

// StreamError converts an error of a stream to an error of package fault. It keeps an error of the context.
func StreamError(err error) error {
	var own *fault.Error
	var path *fs.PathError
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &own):
		return err
	case errors.As(err, &path):
		return fault.New(fault.CodeUnreadable, "the file cannot be read")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.CodeTruncated, "the compressed file ends too early").Advise("copy it again from where it " +
			"came from: gzip -t FILE, or zstd -t FILE, says whether it is whole")
	case errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch):
		return fault.New(fault.CodeChecksum, "the compressed file's checksum does not match")
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fault.New(fault.CodeTooLarge, "the compressed file has a window of more than 2 GiB").
			Advise("compress it with a smaller window")
	}
	return fault.New(fault.CodeDamaged, "the compressed file cannot be read").Advise("is it compressed, as its name " +
		"says? a plain table is called FILE.csv; else copy it again")
}
