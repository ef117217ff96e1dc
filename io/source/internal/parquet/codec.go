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

// maxRatio returns an upper bound on the compression ratio of a page: its decompressed length divided by its stored
// length.
func maxRatio(codec format.CompressionCodec) int64 {
	switch codec {
	case format.Snappy:
		return 32 // 3 bytes can mean: repeat 64 bytes of the text
	case format.Lz4Raw:
		return 256 // 1 byte can mean 255 bytes
	case format.Gzip:
		return 1040 // 2 bits can mean 258 bytes
	case format.Zstd:
		return 1 << 16 // a block of 4 bytes can mean 128 KiB
	case format.Uncompressed:
		return 1
	}
	return scan.MaxPage
}

// decompress decompresses src into dst. len(dst) must be the decompressed length; the decoder may also use the capacity
// of dst.
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
