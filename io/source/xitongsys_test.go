package source_test

import (
	"testing"

	xparquet "github.com/xitongsys/parquet-go/parquet"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// xitongRow has the names of the columns as its fields, since the library keeps names with a capital.
type xitongRow struct {
	Unit  int64    `parquet:"name=unit, type=INT64"`
	Cat   *string  `parquet:"name=cat, type=BYTE_ARRAY, convertedtype=UTF8, encoding=PLAIN_DICTIONARY"`
	Value *float64 `parquet:"name=value, type=DOUBLE"`
	Flag  *bool    `parquet:"name=flag, type=BOOLEAN"`
	Day   int32    `parquet:"name=day, type=INT32, convertedtype=DATE, encoding=DELTA_BINARY_PACKED"`
	At    int64    `parquet:"name=at, type=INT64, logicaltype=TIMESTAMP, logicaltype.isadjustedtoutc=true, logicaltype.unit=MICROS"`
	Note  string   `parquet:"name=note, type=BYTE_ARRAY, convertedtype=UTF8, encoding=DELTA_LENGTH_BYTE_ARRAY"`
}

// xitongsys writes the sample with xitongsys/parquet-go.
func xitongsys(t testing.TB, records []record, codec xparquet.CompressionCodec) []byte {
	t.Helper()
	var rows []any
	for _, r := range records {
		rows = append(rows, xitongRow{r.unit, r.cat, r.value, r.flag, r.day, r.at, r.note})
	}
	return sourcetest.Must(t)(sourcetest.MarshalXitongsys(new(xitongRow), rows, codec))
}
