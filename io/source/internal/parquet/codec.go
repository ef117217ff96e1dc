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
		return 32 // a copy of 3 bytes stands for 64
	case format.Lz4Raw:
		return 256 // 1 byte stands for 255
	case format.Gzip:
		return 1040 // 2 bits stand for 258 bytes
	case format.Zstd:
		return 1 << 16 // a block of 4 bytes stands for 128 KiB
	case format.Uncompressed:
		return 1
	}
	return scan.MaxPage
}

// decompress decompresses src into dst, whose length is the decompressed length. The array of dst may be longer.
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
