package scan

// The limits of batches, and of lengths that a file may state. A few flipped bits can announce gigabytes, so a stated
// length is compared with one of these limits, or with the number of available bytes, before memory is allocated.
const (
	// BatchRows is the maximum number of rows in a batch. A column with this number of rows fits the second-level cache.
	BatchRows = 1 << 16
	// BatchValues is the maximum number of values in a batch of more than BatchValues / BatchRows columns.
	BatchValues = 1 << 20
	// BatchBytes is the maximum total length of the strings in one column of a batch, unless one string is longer.
	BatchBytes = 16 << 20
	// BatchElements is the maximum number of elements in the lists of a batch, unless one list has more.
	BatchElements = BatchBytes / 8
	// MaxListed is the maximum number of elements of a list. A longer list is null.
	MaxListed = 1 << 25
	// MaxFixed is the maximum length of a fixed-length value, in bytes. Columns of longer ones are not read.
	MaxFixed = 1 << 15
	// MaxRows is the maximum number of rows, or of elements of lists, that a file or a record batch may announce: as
	// many as answers can count (package calibrate).
	MaxRows = 1 << 48
	// MaxPage is the maximum length of a Parquet page or text, before and after decompression: the most that Parquet
	// can state. Writers aim at pages of 1 MiB, but one long text makes a page as long as itself.
	MaxPage = 1<<31 - 1
)

// RowsOf returns the maximum number of rows in a batch of some columns. It is BatchRows, or less if there are so many
// columns that the batch would take much memory.
func RowsOf(columns int) int { return max(min(BatchRows, BatchValues/max(columns, 1)), 1) }
