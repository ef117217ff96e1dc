package source

import (
	"bytes"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

var codecsRead = []format.CompressionCodec{
	format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw,
}

// codecs decompresses pages. A page says how long it is, and no codec writes more, so a bomb is a damaged page. (The
// library's codecs write as much as there is, and its LZ4 tries ever larger buffers on damaged bytes, without end.)
type codecs struct {
	zstd   *zstd.Decoder
	gzip   *gzip.Reader
	brotli *brotli.Reader
}

// maxRatio bounds how much longer a page can be than it is stored.
func maxRatio(codec format.CompressionCodec) int64 {
	switch codec {
	case format.Snappy:
		return 32 // 64 bytes from a copy of 3
	case format.Lz4Raw:
		return 256 // 255 bytes from 1
	case format.Gzip:
		return 1040 // 258 bytes from 2 bits
	case format.Zstd:
		return 1 << 16 // 128 KiB from a block of 4 bytes
	case format.Uncompressed:
		return 1
	}
	return maxPage
}

// decompress fills dst, whose array may go on behind it, with what src holds.
func (c *codecs) decompress(codec format.CompressionCodec, dst, src []byte) error {
	n, err := len(dst), error(nil)
	switch codec {
	case format.Snappy:
		n, err = unsnappy(dst, src)
	case format.Gzip:
		err = c.gunzip(dst, src)
	case format.Brotli:
		err = c.unbrotli(dst, src)
	case format.Zstd:
		n, err = c.unzstd(dst, src)
	case format.Lz4Raw:
		n, err = lz4.UncompressBlock(src, dst)
	default:
		err = io.ErrShortBuffer
	}
	if err != nil || n != len(dst) {
		return fault(CodeDamaged, "a page cannot be decompressed")
	}
	return nil
}

func unsnappy(dst, src []byte) (int, error) {
	n, err := snappy.DecodedLen(src)
	if err != nil || n != len(dst) {
		return n, err
	}
	out, err := snappy.Decode(dst, src)
	return len(out), err
}

func (c *codecs) unzstd(dst, src []byte) (int, error) {
	if c.zstd == nil {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage),
			zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return 0, err
		}
		c.zstd = d
	}
	out, err := c.zstd.DecodeAll(src, dst[:0])
	return len(out), err
}

func (c *codecs) gunzip(dst, src []byte) (err error) {
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

func (c *codecs) unbrotli(dst, src []byte) error {
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
