// Package sink writes releases to folders, publishes them and checks them.
//
// A release folder holds one table a query and format, `<query>.parquet`, `<query>.csv`, `<query>.arrow` and
// `<query>.json`, and `release.json`, the manifest, which names every other file with its SHA-256. A table has the query's
// key columns, then noisy, estimate, standard_deviation, ci95_low and ci95_high, then the answer's further columns; one row a cell, in
// the order of the cells; a sparse table has only the cells whose estimate is not zero. The same release gives the same
// bytes.
//
// A cell may have no value: a mean whose noisy count is not positive has none. In Parquet and Arrow the columns after the
// keys are nullable in the tables if this can happen, those of answers with further columns, and in no other; a cell
// without a value is null there and in JSON, and an empty field in CSV.
//
// # Formats
//
// Parquet: string keys are UTF8 (labels are taken to be valid), dictionary-encoded up to 65536 distinct values a row
// group; int64 and double are plain; pages are compressed with zstd and carry checksums.
//
// CSV: RFC 4180 with a header and \n as the line end; floats are the shortest text that reads back as the same float64.
// Labels are written as they are, since changing one would make it another: a spreadsheet takes a label that begins with
// =, +, - or @ for a formula.
//
// Arrow: an IPC file, which is Feather version 2, with a valid IPC stream inside. String keys are dictionaries of UTF8
// with int32 codes, in the order of the job's labels; int64 and float64 are plain. A record batch has at most 147456
// rows. Nothing is compressed, so that a reader can map the file; Parquet is the small one.
//
// JSON: one document a table, an array with an object a row, its keys in the order of the columns. Each object stands on a
// line of its own, so that line tools work too. Numbers are written as in CSV; readers that hold all numbers as doubles
// round integers beyond 2^53. JSON has no infinity: it is null, as an edge too.
//
// Arrow and JSON refuse labels that are not valid UTF-8.
//
// # Publishing
//
// How a folder becomes public: everything is written below a staging folder of mode 0700, beside the final place, so
// that nobody else can look in; the release folder inside it has the modes that it keeps (0755 and 0644, less the
// umask). Each table is synced, read back and compared with the answer bit by bit; the manifest is written last; one
// rename publishes. A reader sees the whole release or none.
package sink
