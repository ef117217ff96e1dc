package columns

// Format is how a table is written, as the job's input.format says it.
type Format string

// The formats that are told apart. Excel workbooks and unknown binary files cannot be read by a job.
const (
	CSV     Format = "csv"
	TSV     Format = "tsv"
	JSONL   Format = "jsonl"
	Parquet Format = "parquet"
	Arrow   Format = "arrow"
	Excel   Format = "xlsx"
	Unknown Format = ""
)
