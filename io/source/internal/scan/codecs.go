package scan

import (
	"bytes"
	"errors"
	"io"
	"math"

	"github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Codecs decompresses bytes in memory. The caller states the length of the result, and no codec writes more, so a
// decompression bomb is treated as a damaged file. The codecs of parquet-go are not used: they write any number of
// bytes, and its LZ4 codec retries damaged bytes with ever larger buffers.
type Codecs struct {
	zstd   *zstd.Decoder
	gzip   *gzip.Reader
	brotli *brotli.Reader
}

// checkFilled returns an error if n, the number of bytes written to dst, is less than dst's length.
func checkFilled(dst []byte, n int, err error) error {
	if err == nil && n != len(dst) {
		return io.ErrShortBuffer
	}
	return err
}

// SnappyInto decompresses src, a raw Snappy block, into dst. It fails if the result has another length than dst.
func SnappyInto(dst, src []byte) error {
	n, err := snappy.DecodedLen(src)
	if err != nil || n != len(dst) {
		return checkFilled(dst, n, err)
	}
	out, err := snappy.Decode(dst, src)
	return checkFilled(dst, len(out), err)
}

// LZ4Into decompresses src, a raw LZ4 block, into dst.
func LZ4Into(dst, src []byte) error {
	n, err := lz4.UncompressBlock(src, dst)
	return checkFilled(dst, n, err)
}

// ZstdInto decompresses src, zstd frames, into dst.
func (c *Codecs) ZstdInto(dst, src []byte) error {
	if c.zstd == nil {
		// The decoder copies within dst, so its window needs no memory of its own.
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(math.MaxInt64),
			zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
		c.zstd = d
	}
	out, err := c.zstd.DecodeAll(src, dst[:0])
	return checkFilled(dst, len(out), err)
}

// GzipInto decompresses src, a gzip stream, into dst.
func (c *Codecs) GzipInto(dst, src []byte) (err error) {
	if c.gzip == nil {
		c.gzip, err = gzip.NewReader(bytes.NewReader(src))
	} else {
		err = c.gzip.Reset(bytes.NewReader(src))
	}
	if err != nil {
		return err
	}
	return Exactly(c.gzip, dst)
}

// BrotliInto decompresses src, a brotli stream, into dst.
func (c *Codecs) BrotliInto(dst, src []byte) error {
	if c.brotli == nil {
		c.brotli = brotli.NewReader(bytes.NewReader(src))
	} else if err := c.brotli.Reset(bytes.NewReader(src)); err != nil {
		return err
	}
	return Exactly(c.brotli, dst)
}

// Exactly fills dst from r. It returns an error if r has more or fewer bytes.
func Exactly(r io.Reader, dst []byte) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return err
	}
	var more [1]byte
	if n, err := io.ReadFull(r, more[:]); n > 0 || !errors.Is(err, io.EOF) {
		return io.ErrShortBuffer
	}
	return nil
}

// Close frees the decompressors.
func (c *Codecs) Close() {
	if c.zstd != nil {
		c.zstd.Close()
	}
}
