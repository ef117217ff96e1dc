package source

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow is the most memory that a zstd stream may ask for.
const maxWindow = 128 << 20

// csvStream reads a file's text and hashes the file's bytes.
type csvStream struct {
	file  *os.File
	bytes io.Reader // of the file, hashed
	h     hash.Hash
	r     io.Reader // the text
	close func()
}

// withContext is a reader that ends when ctx does.
type withContext struct {
	ctx context.Context
	r   io.Reader
}

func (w withContext) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}

func openStream(ctx context.Context, path string, f fileFormat) (*csvStream, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, exists(err)
	}
	s := &csvStream{file: file, h: sha256.New()}
	s.bytes = io.TeeReader(withContext{ctx, file}, s.h)
	s.close = func() { _ = file.Close() }
	if err := s.decompress(f); err != nil {
		s.close()
		return nil, streamError(err)
	}
	return s, nil
}

// decompress puts a decompressor between the bytes and the text.
func (s *csvStream) decompress(f fileFormat) error {
	s.r = s.bytes
	switch f {
	case formatGzip:
		z, err := gzip.NewReader(s.bytes)
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		s.r = z
		return err
	case formatZstd:
		z, err := zstd.NewReader(s.bytes, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return err
		}
		s.r, s.close = z, func() { z.Close(); _ = s.file.Close() }
	}
	return nil
}

// sum reads the rest of the file and returns the SHA-256 of its bytes.
func (s *csvStream) sum() ([]byte, error) {
	if _, err := io.Copy(io.Discard, s.bytes); err != nil {
		return nil, streamError(err)
	}
	return s.h.Sum(nil), nil
}

// streamError maps what a stream can answer to our errors; that of a context stays.
func streamError(err error) error {
	var own *Error
	var path *fs.PathError
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &own):
		return err
	case errors.As(err, &path):
		return fault(CodeUnreadable, "the file cannot be read")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault(CodeTruncated, "the compressed file ends too early")
	case errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch):
		return fault(CodeChecksum, "the compressed file's checksum does not match")
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fault(CodeTooLarge, "the compressed file asks for more than 128 MiB of memory").
			hint("compress it with a smaller window")
	}
	return fault(CodeDamaged, "the compressed file cannot be read")
}
