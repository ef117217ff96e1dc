package scan

// The limits of batches, and of what a file may ask for. A few flipped bits can announce gigabytes, so nothing is
// allocated before it is compared with one of these or with the bytes that are there.
const (
	// BatchRows is the most rows of a batch: a column of it fits the second-level cache.
	BatchRows = 1 << 16
	// BatchBytes ends a batch whose strings in one column are longer together.
	BatchBytes = 16 << 20
	// BatchElements is the most elements of a batch's lists, unless one list has more.
	BatchElements = BatchBytes / 8
	// MaxListed is the most elements of a list that is read; a longer one is null.
	MaxListed = 1 << 25
	// MaxFixed is the longest fixed-length value that is read, in bytes.
	MaxFixed = 1 << 15
	// MaxRows is the most rows, and elements of lists, that a file may announce, and a record batch: as many as answers
	// can count (calibrate).
	MaxRows = 1 << 48
	// MaxPage is the longest Parquet page or text that is read, before and after decompression: the longest that Parquet
	// knows. Writers aim at pages of 1 MiB, but one long text makes a page as long as itself.
	MaxPage = 1<<31 - 1
)
