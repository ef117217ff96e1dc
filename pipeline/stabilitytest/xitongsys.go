package stabilitytest

import (
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/xitongsys/parquet-go/parquet"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// xitongTypes are the tags of the kinds, and the Go types of the fields with these tags.
var xitongTypes = map[Kind]struct {
	tag string
	of  reflect.Type
}{
	Int64: {"type=INT64", reflect.TypeFor[int64]()}, Int32: {"type=INT32", reflect.TypeFor[int32]()},
	Uint64: {"type=INT64, convertedtype=UINT_64", reflect.TypeFor[uint64]()}, Float64: {"type=DOUBLE",
		reflect.TypeFor[float64]()},
	Float32: {"type=FLOAT", reflect.TypeFor[float32]()}, Text: {"type=BYTE_ARRAY, convertedtype=UTF8",
		reflect.TypeFor[string]()},
	Bool: {"type=BOOLEAN", reflect.TypeFor[bool]()}, Date: {"type=INT32, convertedtype=DATE", reflect.TypeFor[int32]()},
	Instant: {"type=INT64, logicaltype=TIMESTAMP, logicaltype.isadjustedtoutc=true, logicaltype.unit=MICROS",
		reflect.TypeFor[int64]()},
	Clock: {"type=INT64, logicaltype=TIMESTAMP, logicaltype.isadjustedtoutc=false, logicaltype.unit=MICROS",
		reflect.TypeFor[int64]()},
	Cents: {"type=INT32, convertedtype=DECIMAL, scale=2, precision=9", reflect.TypeFor[int32]()},
	Whole: {"type=INT64, convertedtype=DECIMAL, scale=0, precision=12", reflect.TypeFor[int64]()},
}

func xitongsys(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	fields := make([]reflect.StructField, len(columns))
	codec := pick(r, []parquet.CompressionCodec{parquet.CompressionCodec_UNCOMPRESSED, parquet.CompressionCodec_SNAPPY})
	for i, c := range columns {
		t := xitongTypes[c.Kind]
		tag := "name=" + c.Name + ", " + t.tag
		if r.IntN(2) == 0 && c.Kind != Bool {
			tag += ", encoding=PLAIN_DICTIONARY"
		}
		of := t.of
		if c.Optional {
			of = reflect.PointerTo(of)
		}
		fields[i] = reflect.StructField{Name: strings.ToUpper(c.Name), Type: of,
			Tag: reflect.StructTag(`parquet:"` + tag + `"`)}
	}
	of := reflect.StructOf(fields)
	out := make([]any, len(rows))
	for i, row := range rows {
		p := reflect.New(of).Elem()
		for k, v := range row {
			setField(p.Field(k), v)
		}
		out[i] = p.Interface()
	}
	return sourcetest.MarshalXitongsys(reflect.New(of).Interface(), out, codec)
}

// setField stores a cell in a field, which is a pointer if the column has nulls.
func setField(f reflect.Value, v any) {
	if v == nil {
		return
	}
	if f.Kind() == reflect.Pointer {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	f.Set(reflect.ValueOf(v).Convert(f.Type()))
}
