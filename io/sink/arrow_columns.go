package sink

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dprelease/dprelease/queries/domain"
)

// labelType is the Arrow type of a string key: 32-bit codes into a dictionary of labels.
var labelType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

// arrowSchema returns the table's schema. Only the columns after the keys may be null, and only if the table is
// nullable.
func arrowSchema(t *table) *arrow.Schema {
	var fields []arrow.Field
	for _, k := range t.keys {
		fields = append(fields, arrow.Field{Name: k.Name, Type: keyType(k.Labels)})
	}
	for _, v := range t.values {
		fields = append(fields, arrow.Field{Name: v.name, Type: arrow.PrimitiveTypes.Float64, Nullable: t.nullable})
	}
	return arrow.NewSchema(fields, nil)
}

func keyType(l domain.Labels) arrow.DataType {
	switch {
	case len(l.Strings) > 0:
		return labelType
	case len(l.Ints) > 0:
		return arrow.PrimitiveTypes.Int64
	default:
		return arrow.PrimitiveTypes.Float64
	}
}

// arrowColumns converts blocks of rows to record batches.
type arrowColumns struct {
	table  *table
	schema *arrow.Schema
	labels []arrow.Array // labels[k] is the dictionary of key k; nil if the key is not a string
}

func newArrowColumns(t *table) (*arrowColumns, error) {
	c := &arrowColumns{table: t, schema: arrowSchema(t)}
	for _, k := range t.keys {
		labels, err := arrowLabels(k.Labels.Strings)
		if err != nil {
			return nil, err
		}
		c.labels = append(c.labels, labels)
	}
	return c, nil
}

// arrowLabels returns the labels of a key as a dictionary.
func arrowLabels(labels []string) (arrow.Array, error) {
	bytes := 0
	for _, s := range labels {
		bytes += len(s)
	}
	if len(labels) > math.MaxInt32 || bytes > math.MaxInt32 {
		return nil, errLabelsTooLong
	}
	for _, s := range labels {
		if !utf8.ValidString(s) {
			return nil, errNotText
		}
	}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues(labels, nil)
	return b.NewArray(), nil
}

const errLabelsTooLong = reason("a key's labels are longer than 2 GiB together")

// record returns a block as a record batch. The record batch is valid as long as the block is.
func (c *arrowColumns) record(b *block) arrow.Record {
	var columns []arrow.Array
	for i := range c.table.keys {
		columns = append(columns, c.key(i, b.cells))
	}
	for _, values := range b.values {
		columns = append(columns, c.values(values))
	}
	return array.NewRecord(c.schema, columns, int64(len(b.cells)))
}

func (c *arrowColumns) key(i int, cells []int) arrow.Array {
	k := c.table.keys[i]
	n := labelCount(k.Labels)
	switch {
	case len(k.Labels.Strings) > 0:
		codes := perCell(cells, func(cell int) int32 { return int32(labelAt(k, n, cell)) })
		return array.NewDictionaryArray(labelType, fixedWidth(new(arrow.Int32Type), arrow.Int32Traits.CastToBytes(codes),
			nil), c.labels[i])
	case len(k.Labels.Ints) > 0:
		ints := perCell(cells, func(cell int) int64 { return k.Labels.Ints[labelAt(k, n, cell)] })
		return fixedWidth(new(arrow.Int64Type), arrow.Int64Traits.CastToBytes(ints), nil)
	default:
		floats := perCell(cells, func(cell int) float64 { return k.Labels.Floats[labelAt(k, n, cell)] })
		return fixedWidth(new(arrow.Float64Type), arrow.Float64Traits.CastToBytes(floats), nil)
	}
}

func perCell[T any](cells []int, label func(cell int) T) []T {
	out := make([]T, len(cells))
	for i, cell := range cells {
		out[i] = label(cell)
	}
	return out
}

// values returns a column of doubles. A missing value is a null with the bytes of 0, since the bytes of a NaN depend on
// the machine.
func (c *arrowColumns) values(values []float64) arrow.Array {
	var missing []bool
	if slices.ContainsFunc(values, c.table.isMissing) {
		missing, values = make([]bool, len(values)), slices.Clone(values)
		for i, v := range values {
			if missing[i] = c.table.isMissing(v); missing[i] {
				values[i] = 0
			}
		}
	}
	return fixedWidth(new(arrow.Float64Type), arrow.Float64Traits.CastToBytes(values), missing)
}

// fixedWidth returns an array of the values in raw. missing is nil if no value is missing.
func fixedWidth(typ arrow.FixedWidthDataType, raw []byte, missing []bool) arrow.Array {
	n, nulls := len(raw)*8/typ.BitWidth(), 0
	var present *memory.Buffer
	if missing != nil {
		bits := make([]byte, (n+7)/8)
		for i, m := range missing {
			if m {
				nulls++
			} else {
				bits[i/8] |= 1 << (i % 8)
			}
		}
		present = memory.NewBufferBytes(bits)
	}
	return array.MakeFromData(array.NewData(typ, n, []*memory.Buffer{present, memory.NewBufferBytes(raw)}, nil, nulls, 0))
}
