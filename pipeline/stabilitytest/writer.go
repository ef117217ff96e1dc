package stabilitytest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// Writer writes tables to files with some library.
type Writer struct {
	// Name names the library and the format. Extension is the extension of its files, with a dot.
	Name, Extension string
	// Encode returns the contents of a file. csv holds the CSV options of the job that reads it. r chooses the layout.
	Encode func(columns []Column, rows []Row, csv string, r *rand.Rand) ([]byte, error)
	// Without lists the kinds that its files cannot hold.
	Without []Kind
}

// types maps each kind to its types in the libraries.
var types = map[Kind]sourcetest.Type{
	Int64:   {Arrow: arrow.PrimitiveTypes.Int64, Node: parquet.Int(64), Tag: "type=INT64"},
	Int32:   {Arrow: arrow.PrimitiveTypes.Int32, Node: parquet.Int(32), Tag: "type=INT32"},
	Uint64:  {Arrow: arrow.PrimitiveTypes.Uint64, Node: parquet.Uint(64), Tag: "type=INT64, convertedtype=UINT_64"},
	Float64: {Arrow: arrow.PrimitiveTypes.Float64, Node: parquet.Leaf(parquet.DoubleType), Tag: "type=DOUBLE"},
	Float32: {Arrow: arrow.PrimitiveTypes.Float32, Node: parquet.Leaf(parquet.FloatType), Tag: "type=FLOAT"},
	Text:    {Arrow: arrow.BinaryTypes.String, Node: parquet.String(), Tag: "type=BYTE_ARRAY, convertedtype=UTF8"},
	Bool:    {Arrow: arrow.FixedWidthTypes.Boolean, Node: parquet.Leaf(parquet.BooleanType), Tag: "type=BOOLEAN"},
	Date:    {Arrow: arrow.FixedWidthTypes.Date32, Node: parquet.Date(), Tag: "type=INT32, convertedtype=DATE"},
	Instant: {Arrow: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
		Node: parquet.TimestampAdjusted(parquet.Microsecond, true), Tag: micros + "true"},
	Clock: {Arrow: &arrow.TimestampType{Unit: arrow.Microsecond},
		Node: parquet.TimestampAdjusted(parquet.Microsecond, false), Tag: micros + "false"},
	Cents: {Arrow: &arrow.Decimal128Type{Precision: 9, Scale: 2}, Node: parquet.Decimal(2, 9, parquet.Int32Type),
		Tag: "type=INT32, convertedtype=DECIMAL, scale=2, precision=9"},
	Whole: {Arrow: &arrow.Decimal128Type{Precision: 12}, Node: parquet.Decimal(0, 12, parquet.Int64Type),
		Tag: "type=INT64, convertedtype=DECIMAL, scale=0, precision=12"},
	List: {Arrow: arrow.ListOf(arrow.PrimitiveTypes.Float64), Node: parquet.List(parquet.Leaf(parquet.DoubleType))},
}

const micros = "type=INT64, logicaltype=TIMESTAMP, logicaltype.unit=MICROS, logicaltype.isadjustedtoutc="

// arrowTexts lists the types that a column of texts can have in Arrow files.
var arrowTexts = []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString,
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}}

// binary returns a writer that uses a library for a binary format. A column of texts in an Arrow file has a random
// type.
func binary(l sourcetest.Library, extension string, without ...Kind) Writer {
	encode := func(columns []Column, rows []Row, _ string, r *rand.Rand) ([]byte, error) {
		typed := make([]sourcetest.Column, len(columns))
		text := types[Text]
		if l.Ending == sourcetest.ArrowFile.Ending {
			text.Arrow = pick(r, arrowTexts)
		}
		for i, c := range columns {
			typed[i] = sourcetest.Column{Name: c.Name, Type: types[c.Kind], Optional: c.Optional}
			if c.Kind == Text {
				typed[i].Type = text
			}
		}
		return l.Encode(typed, rows, r)
	}
	return Writer{l.Name, extension, encode, without}
}

// Fits reports whether the writer supports the types of all columns.
func (w Writer) Fits(columns []Column) bool {
	return !slices.ContainsFunc(columns, func(c Column) bool { return slices.Contains(w.Without, c.Kind) })
}

// Write writes rows to a file, for a job with these CSV options. The layout depends on r alone, so that both tables of
// a pair have the same.
func (w Writer) Write(path string, columns []Column, rows []Row, csv string, r *rand.Rand) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s stopped with %v", w.Name, p)
		}
	}()
	b, err := w.Encode(columns, rows, csv, r)
	if err == nil {
		b, err = sourcetest.Pack(w.Extension, b)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.Name, err)
	}
	return os.WriteFile(path, b, 0o600)
}

// Writers returns the writers of this module's libraries. Formats with more statistics about their rows are listed
// several times, so that they are drawn more often.
func Writers() []Writer {
	one, two := binary(sourcetest.ParquetGo, ".parquet"), binary(sourcetest.ArrowParquet, ".parquet")
	three := binary(sourcetest.XitongsysParquet, ".parquet", List)
	feather := binary(sourcetest.ArrowFile, ".feather")
	feather.Name = "feather"
	return []Writer{
		one, one, one, one, one, two, two, three, three, binary(sourcetest.ArrowFile, ".arrow"),
		binary(sourcetest.ArrowStream, ".arrow"), feather, {"csv", ".csv", writeCSV, csvWithout},
		{"csv.gz", ".csv.gz", writeCSV, csvWithout}, {"csv.zst", ".csv.zst", writeCSV, csvWithout},
		{"json lines", ".jsonl", jsonLines, csvWithout},
	}
}

// Plain writes by parquet-go with its default settings and dictionaries, as most Go programs do.
var Plain = binary(sourcetest.Library{Name: "parquet-go with dictionaries", Encode: sourcetest.PlainParquetGo},
	".parquet")

// Files returns the names of n files of a writer.
func Files(w Writer, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("t%d%s", i, w.Extension)
	}
	return names
}
