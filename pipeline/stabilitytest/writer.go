package stabilitytest

import (
	"fmt"
	"math/rand/v2"
	"os"
)

// Writer writes tables with a library.
type Writer interface {
	// Name returns the name of the library and the format.
	Name() string
	// Extension returns the end of its files' names.
	Extension() string
	// Fits reports whether the writer supports the types of all columns.
	Fits(columns []Column) bool
	// Write writes rows to a file. The layout depends on r alone, so that two tables are written alike.
	Write(path string, columns []Column, rows []Row, r *rand.Rand) error
}

// encoder is a Writer that makes a file in memory.
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

// Writers returns the writers of this module's libraries. Some occur several times, so that they are drawn more often,
// since files in their format say more about their rows.
func Writers() []Writer {
	one := encoder{"parquet-go", ".parquet", nil, parquetGo}
	two := encoder{"arrow parquet", ".parquet", nil, arrowParquet}
	three := encoder{"xitongsys", ".parquet", []Kind{List}, xitongsys}
	return []Writer{
		one, one, one, one, one, two, two, three, three,
		encoder{"arrow file", ".arrow", nil, arrowFile}, encoder{"arrow stream", ".arrow", nil,
			arrowStream}, encoder{"feather", ".feather", nil, arrowFile},
		encoder{"csv", ".csv", csvWithout, plainCSV}, encoder{"csv.gz", ".csv.gz", csvWithout, gzipCSV}, encoder{"csv.zst",
			".csv.zst", csvWithout, zstdCSV},
		encoder{"json lines", ".jsonl", csvWithout, jsonLines},
	}
}

// inDialect returns a writer of CSV files whose texts a job with these options of CSV reads as they are, and any other
// writer as it is.
func inDialect(w Writer, options string) Writer {
	e, ok := w.(encoder)
	if !ok {
		return w
	}
	switch form := csvFormOf(options); e.extension {
	case ".csv":
		e.encode = form.plain
	case ".csv.gz":
		e.encode = form.gzip
	case ".csv.zst":
		e.encode = form.zstd
	}
	return e
}

// Plain is parquet-go with its default settings and dictionaries, which is what most Go programs would write.
var Plain Writer = encoder{"parquet-go with dictionaries", ".parquet", nil, plainParquetGo}

// Files returns the names of n files of a writer.
func Files(w Writer, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("t%d%s", i, w.Extension())
	}
	return names
}
