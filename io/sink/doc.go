// Package sink writes releases to folders, publishes them and checks them.
//
// A release folder holds one table per query and format, `<query>.parquet`, `<query>.csv`, `<query>.arrow` and
// `<query>.json`, and `release.json`, the manifest, which lists every other file with its SHA-256. A table has the
// query's key columns, then noisy, estimate, standard_deviation, ci95_low and ci95_high, then the answer's further
// columns. It has one row per cell, in the order of the cells; a sparse table has only the cells whose estimate is not
// zero. The same release gives the same bytes.
//
// A cell may have no value: a mean has none if its noisy count is not positive. In Parquet and Arrow, the columns after
// the keys are nullable if this can happen, which is the case for answers with further columns and no others. A cell
// without a value is null there and in JSON, and an empty field in CSV.
//
// # Formats
//
// Parquet: string keys are UTF8 (labels are assumed to be valid), dictionary-encoded up to 65536 distinct values per
// row group; int64 and double are plain; pages are compressed with zstd and carry checksums.
//
// CSV: RFC 4180 with a header and \n as the line end. Floats are the shortest text that reads back as the same float64.
// Texts that a spreadsheet would read as a formula begin with an apostrophe, and so do texts that begin with an
// apostrophe already.
//
// Arrow: an IPC file, which is Feather version 2, with a valid IPC stream inside. String keys are dictionaries of UTF8
// with int32 codes, in the order of the job's labels; int64 and float64 are plain. A record batch has at most 147456
// rows. Nothing is compressed, so that a reader can map the file; use Parquet for small files.
//
// JSON: one document per table, an array with one object per row, whose keys are in the order of the columns. Each
// object is on a line of its own, so that line tools work too. Numbers are written as in CSV; readers that hold all
// numbers as doubles round integers beyond 2^53. JSON has no infinity: it is written as null, even as an edge.
//
// Arrow and JSON refuse labels that are not valid UTF-8.
//
// # Publishing
//
// A folder becomes public in these steps. Everything is written below a staging folder of mode 0700 beside the final
// place, so that nobody else can look in. The release folder inside it already has its final modes (0755 and 0644, less
// the umask). Each table is synced, read back and compared with the answer bit by bit. The manifest is written last.
// One rename publishes the folder, so a reader sees the whole release or none.
package sink
