package source

// batchRows is the most rows of a batch: a column of it fits the second-level cache.
const batchRows = 1 << 16

// batchBytes ends a batch whose strings in one column are longer together.
const batchBytes = 16 << 20

// batchElements is the most elements of a batch's lists, except if one list has more.
const batchElements = batchBytes / 8

// maxListed is the most elements of a list that is read; a longer one is null.
const maxListed = 1 << 25

// maxFixed is the longest fixed-length value that is read.
const maxFixed = 1 << 15

const (
	// maxGroupRows is the most rows that a row group may announce. Writers stay below 2^27, but a few bytes can
	// announce any number of equal values.
	maxGroupRows = 1 << 32
	// maxPage is the longest page that is read, before and after decompression: the longest that the format knows. Writers aim at 1 MiB, but
	// one long text makes a page as long as itself.
	maxPage = 1<<31 - 1
)
