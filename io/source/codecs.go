package source

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// codecs decompresses what is in memory, into memory of the length that is announced: no codec writes more, so a bomb is a damaged file.
// (parquet-go's codecs write as much as there is, and its LZ4 tries ever larger buffers on damaged bytes, without end.)
type codecs struct {
	zstd   *zstd.Decoder
	gzip   *gzip.Reader
	brotli *brotli.Reader
}

// filled is an error if fewer bytes were written than were announced.
func filled(dst []byte, n int, err error) error {
	if err == nil && n != len(dst) {
		return io.ErrShortBuffer
	}
	return err
}

// snappyInto fills dst with what src holds. So do the others.
func snappyInto(dst, src []byte) error {
	n, err := snappy.DecodedLen(src)
	if err != nil || n != len(dst) {
		return filled(dst, n, err)
	}
	out, err := snappy.Decode(dst, src)
	return filled(dst, len(out), err)
}

func lz4Into(dst, src []byte) error {
	n, err := lz4.UncompressBlock(src, dst)
	return filled(dst, n, err)
}

func (c *codecs) zstdInto(dst, src []byte) error {
	if c.zstd == nil {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage),
			zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
		c.zstd = d
	}
	out, err := c.zstd.DecodeAll(src, dst[:0])
	return filled(dst, len(out), err)
}

func (c *codecs) gzipInto(dst, src []byte) (err error) {
	if c.gzip == nil {
		c.gzip, err = gzip.NewReader(bytes.NewReader(src))
	} else {
		err = c.gzip.Reset(bytes.NewReader(src))
	}
	if err != nil {
		return err
	}
	return exactly(c.gzip, dst)
}

func (c *codecs) brotliInto(dst, src []byte) error {
	if c.brotli == nil {
		c.brotli = brotli.NewReader(bytes.NewReader(src))
	} else if err := c.brotli.Reset(bytes.NewReader(src)); err != nil {
		return err
	}
	return exactly(c.brotli, dst)
}

// exactly fills dst from r, which must end there.
func exactly(r io.Reader, dst []byte) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return err
	}
	var more [1]byte
	if n, err := io.ReadFull(r, more[:]); n > 0 || !errors.Is(err, io.EOF) {
		return io.ErrShortBuffer
	}
	return nil
}

// close frees what the decompressors hold.
func (c *codecs) close() {
	if c.zstd != nil {
		c.zstd.Close()
	}
}
