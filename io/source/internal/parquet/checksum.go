package parquet

import (
	"hash/crc32"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/fault"
)

// verifyChecksum compares the stored bytes of a page with the CRC-32 in its header, which is 0 if there is none.
func verifyChecksum(h *format.PageHeader, stored []byte) error {
	if h.CRC != 0 && crc32.ChecksumIEEE(stored) != uint32(h.CRC) {
		return fault.New(fault.CodeChecksum, "a page's stored checksum does not match")
	}
	return nil
}
