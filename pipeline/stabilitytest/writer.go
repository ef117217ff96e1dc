package stabilitytest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

// Writer writes tables as a library does.
type Writer interface {
	// Name is the library's and the format's.
	Name() string
	// Extension is how the names of its files end.
	Extension() string
	// Fits says whether the writer has all of the columns' types.
	Fits(columns []Column) bool
	// Write writes rows to a file. The layout follows from r alone, so that two tables are written alike.
	Write(path string, columns []Column, rows []Row, r *rand.Rand) error
}

// encoder is a Writer that makes a file in memory and adds what it chose to notes.
type encoder struct {
	name, extension string
	without         []Kind
	encode          func(columns []Column, rows []Row, r *rand.Rand) ([]byte, error)
}

func (e encoder) Name() string { return e.name }

func (e encoder) Extension() string { return e.extension }

func (e encoder) Fits(columns []Column) bool {
	for _, c := range columns {
		for _, k := range e.without {
			if c.Kind == k {
				return false
			}
		}
	}
	return true
}

func (e encoder) Write(path string, columns []Column, rows []Row, r *rand.Rand) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s stopped with %v", e.name, p)
		}
	}()
	b, err := e.encode(columns, rows, r)
	if err != nil {
		return fmt.Errorf("%s: %w", e.name, err)
	}
	return os.WriteFile(path, b, 0o600)
}

// Writers are those of this module's libraries. Some are there several times: they are drawn more often, since files in their
// format say more about their rows.
func Writers() []Writer {
	one := encoder{"parquet-go", ".parquet", nil, parquetGo}
	two := encoder{"arrow parquet", ".parquet", nil, arrowParquet}
	three := encoder{"xitongsys", ".parquet", []Kind{List}, xitongsys}
	return []Writer{
		one, one, one, one, one, two, two, three, three,
		encoder{"arrow file", ".arrow", nil, arrowFile}, encoder{"arrow stream", ".arrow", nil, arrowStream}, encoder{"feather", ".feather", nil, arrowFile},
		encoder{"csv", ".csv", csvWithout, plainCSV}, encoder{"csv.gz", ".csv.gz", csvWithout, gzipCSV}, encoder{"csv.zst", ".csv.zst", csvWithout, zstdCSV},
	}
}

// Plain is parquet-go with its own settings and dictionaries: what most Go programs would write.
var Plain Writer = encoder{"parquet-go with dictionaries", ".parquet", nil, plainParquetGo}

// Files are the names of n files of a writer.
func Files(w Writer, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("t%d%s", i, w.Extension())
	}
	return names
}

// timeText writes an instant or a reading of a clock, in microseconds.
func timeText(us int64, layout string) string { return time.UnixMicro(us).UTC().Format(layout) }

// inYears says whether a text can hold a time: in the years 1 to 9999.
func inYears(us int64) bool { return us >= -62135596800e6 && us < 253402300800e6 }
