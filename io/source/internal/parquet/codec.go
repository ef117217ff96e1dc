package parquet

import (
	"io"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
)

var codecsRead = []format.CompressionCodec{
	format.Uncompressed, format.Snappy, format.Gzip, format.Brotli, format.Zstd, format.Lz4Raw,
}

// maxRatio returns an upper bound on the ratio of a page's length to its stored length.
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
	return scan.MaxPage
}

// decompress fills dst with the decompressed src. The array of dst may be longer.
func decompress(c *scan.Codecs, codec format.CompressionCodec, dst, src []byte) error {
	err := io.ErrShortBuffer
	switch codec {
	case format.Snappy:
		err = scan.SnappyInto(dst, src)
	case format.Gzip:
		err = c.GzipInto(dst, src)
	case format.Brotli:
		err = c.BrotliInto(dst, src)
	case format.Zstd:
		err = c.ZstdInto(dst, src)
	case format.Lz4Raw:
		err = scan.LZ4Into(dst, src)
	}
	if err != nil {
		return fault.New(fault.CodeDamaged, "a page cannot be decompressed")
	}
	return nil
}
