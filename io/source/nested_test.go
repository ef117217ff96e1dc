package source_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/sourcetest"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// structOf returns a struct of a record's columns. Each row in blank is null, whatever the columns hold there.
func structOf(r arrow.Record, blank func(row int) bool) arrow.Array {
	bits := memory.NewResizableBuffer(memory.DefaultAllocator)
	bits.Resize(int(bitutil.BytesForBits(r.NumRows())))
	nulls := 0
	for i := range int(r.NumRows()) {
		bitutil.SetBitTo(bits.Bytes(), i, !blank(i))
		if blank(i) {
			nulls++
		}
	}
	columns := make([]arrow.ArrayData, r.NumCols())
	for i, c := range r.Columns() {
		columns[i] = c.Data()
	}
	data := array.NewData(arrow.StructOf(r.Schema().Fields()...), int(r.NumRows()), []*memory.Buffer{bits}, columns, nulls,
		0)
	return array.NewStructData(data)
}

// inStructs puts the columns of a record into a struct in a struct: `outer.inner.NAME`, both with nulls.
func inStructs(r arrow.Record) arrow.Record {
	inner := structOf(r, func(row int) bool { return row%7 == 3 })
	plain := array.NewRecord(arrow.NewSchema([]arrow.Field{
		{Name: "inner", Type: inner.DataType(), Nullable: true},
		{Name: "first", Type: r.Column(0).DataType(), Nullable: true},
	}, nil), []arrow.Array{inner, r.Column(0)}, r.NumRows())
	outer := structOf(plain, func(row int) bool { return row%5 == 2 })
	return array.NewRecord(arrow.NewSchema([]arrow.Field{
		{Name: "outer", Type: outer.DataType(), Nullable: true}, {Name: "after", Type: r.Column(0).DataType(),
			Nullable: true},
	}, nil), []arrow.Array{outer, r.Column(0)}, r.NumRows())
}

// agreesNested reads every column within the structs of a file and compares it with the library's reading of the
// record.
func agreesNested(t *testing.T, name string, content []byte, kinds []kindOf, r arrow.Record) {
	t.Helper()
	d := open(t, textfile.CSV{}, write(t, name, content))
	outer := r.Column(0).(*array.Struct)
	inner := outer.Field(0).(*array.Struct)
	for i, k := range kinds {
		path := "outer.inner." + k.name
		if f, _ := d.Schema().Lookup(path); f.Type != k.want {
			t.Errorf("%s: %s: type %v, want %v", name, k.name, f.Type, k.want)
			continue
		}
		want := make([][]any, r.NumRows())
		for j := range want {
			want[j] = []any{nil}
			if outer.IsValid(j) && inner.IsValid(j) {
				want[j][0] = oracle(inner.Field(i), j)
			}
		}
		if got := read(t, d, path); !equal(want, got) {
			t.Errorf("%s: %s: %s", name, k.name, difference(want, got))
		}
	}
	want := make([][]any, r.NumRows())
	for j := range want {
		want[j] = []any{oracle(r.Column(1), j), nil}
		if outer.IsValid(j) {
			want[j][1] = oracle(outer.Field(1), j)
		}
	}
	same(t, want, read(t, d, "after", "outer.first"))
	refused(t, d, "outer", fault.CodeType)
}

// Every type of Arrow within two structs, with nulls at each level, is read as the library reads it.
func TestNestedArrowTypes(t *testing.T) {
	flat := everyKind(1003, kinds)
	r := inStructs(flat)
	for name, options := range map[string][]ipc.Option{"plain": nil, "lz4": {ipc.WithLZ4()}} {
		agreesNested(t, name+".arrow", ipcFile(t, []arrow.Record{r}, options...), kinds, r)
		agreesNested(t, name+"-stream.arrow", ipcStream(t, []arrow.Record{r}, options...), kinds, r)
		pieces, sliced := withoutViews(kinds, flat)
		deep := inStructs(sliced)
		agreesNested(t, name+"-cut.feather", ipcFile(t, cut(deep, 101), options...), pieces, deep)
		agreesNested(t, name+"-cut-stream.arrow", ipcStream(t, cut(deep, 101), options...), pieces, deep)
	}
}

// arrowParquet writes a record as Parquet in all forms and calls f with each.
func arrowParquet(t *testing.T, r arrow.Record, f func(name string, content []byte)) {
	t.Helper()
	for name, version := range map[string]arrowparquet.DataPageVersion{"v1": arrowparquet.DataPageV1,
		"v2": arrowparquet.DataPageV2} {
		for _, dict := range []bool{true, false} {
			f(fmt.Sprintf("%s-%v.parquet", name, dict), sourcetest.Must(t)(sourcetest.MarshalArrowParquet(r,
				arrowparquet.WithDataPageVersion(version), arrowparquet.WithDictionaryDefault(dict),
				arrowparquet.WithDataPageSize(512), arrowparquet.WithMaxRowGroupLength(400))))
		}
	}
}

// The same types within two structs are read from Parquet too, if the library can write them.
func TestNestedParquetOfArrowTypes(t *testing.T) {
	some := slices.DeleteFunc(slices.Clone(kinds), func(k kindOf) bool {
		return k.ipc || k.want.Kind == table.List // the library writes no lists in a null struct
	})
	r := inStructs(everyKind(1003, some))
	arrowParquet(t, r, func(name string, content []byte) { agreesNested(t, name, content, some, r) })
}

// basket returns n rows of a list of structs and a map, within a struct, and the columns that are read from it.
func basket(n int) (r arrow.Record, want [][]any) {
	item := arrow.StructOf(arrow.Field{Name: "price", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		arrow.Field{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		arrow.Field{Name: "size", Type: arrow.StructOf(arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int32,
			Nullable: true}), Nullable: true})
	within := arrow.StructOf(arrow.Field{Name: "items", Type: arrow.ListOf(item), Nullable: true},
		arrow.Field{Name: "m", Type: arrow.MapOf(arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64), Nullable: true})
	schema := arrow.NewSchema([]arrow.Field{{Name: "b", Type: within, Nullable: true},
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	rng := rand.New(rand.NewSource(5))
	s := b.Field(0).(*array.StructBuilder)
	for i := range n {
		b.Field(1).(*array.Int64Builder).Append(int64(i))
		if rng.Intn(6) == 0 {
			s.AppendNull()
			want = append(want, []any{nil, nil, nil, nil, int64(i)})
			continue
		}
		s.Append(true)
		prices, sizes := fillItems(s.FieldBuilder(0).(*array.ListBuilder), rng)
		keys, values := fillEntries(s.FieldBuilder(1).(*array.MapBuilder), rng)
		want = append(want, []any{prices, sizes, keys, values, int64(i)})
	}
	return b.NewRecord(), want
}

func fillItems(l *array.ListBuilder, rng *rand.Rand) (prices, sizes any) {
	if rng.Intn(6) == 0 {
		l.AppendNull()
		return nil, nil
	}
	l.Append(true)
	item, nan := l.ValueBuilder().(*array.StructBuilder), math.NaN()
	p, n := []float64{}, []float64{}
	for range rng.Intn(4) * rng.Intn(3) {
		if rng.Intn(6) == 0 {
			item.AppendNull()
			p, n = append(p, nan), append(n, nan)
			continue
		}
		item.Append(true)
		x, k := math.Round(rng.Float64()*20), rng.Intn(9)
		size := item.FieldBuilder(2).(*array.StructBuilder)
		item.FieldBuilder(1).(*array.StringBuilder).Append("canary")
		if k == 0 {
			item.FieldBuilder(0).AppendNull()
			x = nan
		} else {
			item.FieldBuilder(0).(*array.Float64Builder).Append(x)
		}
		p = append(p, x)
		switch k {
		case 1:
			size.AppendNull()
			n = append(n, nan)
		case 2:
			size.Append(true)
			size.FieldBuilder(0).AppendNull()
			n = append(n, nan)
		default:
			size.Append(true)
			size.FieldBuilder(0).(*array.Int32Builder).Append(int32(k))
			n = append(n, float64(k))
		}
	}
	return tabletest.List(p...), tabletest.List(n...)
}

func fillEntries(m *array.MapBuilder, rng *rand.Rand) (keys, values any) {
	if rng.Intn(6) == 0 {
		m.AppendNull()
		return nil, nil
	}
	m.Append(true)
	k, v := []float64{}, []float64{}
	for i := range rng.Intn(4) {
		m.KeyBuilder().(*array.Int64Builder).Append(int64(i))
		m.ItemBuilder().(*array.Float64Builder).Append(float64(2 * i))
		k, v = append(k, float64(i)), append(v, float64(2*i))
	}
	return tabletest.List(k...), tabletest.List(v...)
}

// The numbers in lists of structs and in maps are lists, in every format, whole and in pieces.
func TestNestedLists(t *testing.T) {
	r, want := basket(2000)
	check := func(name string, content []byte) {
		d := open(t, textfile.CSV{}, write(t, name, content))
		got := read(t, d, "b.items.price", "b.items.size.n", "b.m.key", "b.m.value", "id")
		if !equal(want, got) {
			t.Errorf("%s: %s", name, difference(want, got))
		}
		refused(t, d, "b.items.name", fault.CodeType)
		refused(t, d, "b.items", fault.CodeType)
		refused(t, d, "b.m", fault.CodeType)
		refused(t, d, "b.items.size", fault.CodeColumn)
	}
	arrowParquet(t, r, check)
	check("a.arrow", ipcFile(t, []arrow.Record{r}, ipc.WithZstd()))
	check("b.arrow", ipcStream(t, cut(r, 77)))
}

// visit is a row with structs in the forms that parquet-go has.
type visit struct {
	Address *visitAddress `parquet:"address,optional"`
	Need    visitNeed     `parquet:"need"`
	Items   []visitItem   `parquet:"items"`
}

type visitAddress struct {
	City string    `parquet:"city,dict"`
	Geo  *visitGeo `parquet:"geo,optional"`
	Tags []int32   `parquet:"tags,list"`
}

type visitGeo struct {
	Lat  *float64 `parquet:"lat,optional"`
	Code int32    `parquet:"code"`
}

type visitNeed struct {
	X int64  `parquet:"x"`
	Y *int64 `parquet:"y,optional,dict"`
}

type visitItem struct {
	Price float64 `parquet:"price"`
}

// Structs of parquet-go, at two depths, are read unchanged.
func TestNestedStructsOfParquetGo(t *testing.T) {
	rows, want := visits(3000)
	for version := 1; version <= 2; version++ {
		for _, page := range []int{200, 1 << 20} {
			var b bytes.Buffer
			w := parquet.NewGenericWriter[visit](&b, parquet.DataPageVersion(version), parquet.PageBufferSize(page),
				parquet.MaxRowsPerRowGroup(1100))
			if _, err := w.Write(rows); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			d := open(t, textfile.CSV{}, write(t, fmt.Sprintf("v%d-%d.parquet", version, page), b.Bytes()))
			got := read(t, d, "address.city", "address.geo.lat", "address.geo.code", "need.x", "need.y", "items.price",
				"address.tags")
			if !equal(want, got) {
				t.Errorf("version %d, pages of %d: %s", version, page, difference(want, got))
			}
		}
	}
}

// visits returns some rows, and the columns that must be read from them.
func visits(n int) (rows []visit, want [][]any) {
	rng := rand.New(rand.NewSource(2))
	for i := range n {
		var v visit
		w := []any{nil, nil, nil, int64(i), nil, nil, nil}
		v.Need.X = int64(i)
		if y := int64(rng.Intn(9)); y > 2 {
			v.Need.Y, w[4] = &y, y
		}
		prices := []float64{}
		for range rng.Intn(3) {
			v.Items = append(v.Items, visitItem{float64(i)})
			prices = append(prices, float64(i))
		}
		w[5] = tabletest.List(prices...)
		if rng.Intn(4) > 0 {
			v.Address = &visitAddress{City: fmt.Sprint("city ", i%9)}
			v.Address.Tags = []int32{1, int32(i), 3}[:i%4]
			w[0], w[6] = v.Address.City, tabletest.List([]float64{1, float64(i), 3}[:i%4]...)
			if rng.Intn(3) > 0 {
				v.Address.Geo = &visitGeo{Code: int32(i)}
				w[2] = int64(i)
				if x := rng.Float64(); x > 0.3 {
					v.Address.Geo.Lat, w[1] = &x, tabletest.Float(x)
				}
			}
		}
		rows, want = append(rows, v), append(want, w)
	}
	return rows, want
}

// A name of the top level takes precedence over a path. If two paths are equal, neither is read.
func TestNestedNames(t *testing.T) {
	xs := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64},
		{Name: "y.z", Type: arrow.PrimitiveTypes.Int64}}, nil),
		[]arrow.Array{ints(1, 2), ints(3, 4)}, 2)
	never := func(int) bool { return false }
	y := structOf(array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "z", Type: arrow.PrimitiveTypes.Int64}}, nil),
		[]arrow.Array{ints(5, 6)}, 2), never)
	s := structOf(array.NewRecord(arrow.NewSchema(append(xs.Schema().Fields(), arrow.Field{Name: "y", Type: y.DataType()}),
		nil),
		append(xs.Columns(), y), 2), never)
	r := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "s", Type: s.DataType()},
		{Name: "s.x", Type: arrow.PrimitiveTypes.Int64}}, nil),
		[]arrow.Array{s, ints(7, 8)}, 2)
	check := func(name string, content []byte) {
		d := open(t, textfile.CSV{}, write(t, name, content))
		var names []string
		for _, f := range d.Schema().Fields {
			names = append(names, f.Name+" "+f.Type.String())
		}
		if want := []string{"s struct", "s.y.z ambiguous path", "s.x int"}; !slices.Equal(names, want) {
			t.Errorf("%s: columns %q, want %q", name, names, want)
		}
		same(t, [][]any{{int64(7)}, {int64(8)}}, read(t, d, "s.x"))
	}
	arrowParquet(t, r, check)
	check("a.arrow", ipcFile(t, []arrow.Record{r}))
}

// withinStructs puts the column x of a crafted file within optional structs s.
func withinStructs(structs int) func(*format.FileMetaData) {
	return func(m *format.FileMetaData) {
		schema := m.Schema[:1:1]
		for range structs {
			schema = append(schema, format.SchemaElement{Name: "s", RepetitionType: thrift.New(format.Optional),
				NumChildren: thrift.New(int32(1))})
		}
		schema = append(schema, m.Schema[1])
		m.Schema = schema
	}
}

// definedPage returns a data page of a column within structs: definition levels in runs, and values.
func definedPage(n int, levels []uint64, values ...int64) craftedPage {
	b := runsOf(levels...)
	return dataV1(n, format.Plain, slices.Concat(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b,
		int64s(values...)))
}

// Definition levels of structs are checked, and null structs at each level are null.
func TestHostileNested(t *testing.T) {
	good := onePage(4, definedPage(4, []uint64{1, 0, 1, 1, 2, 2}, 5, 6)).with(withinStructs(2))
	d := open(t, textfile.CSV{}, write(t, "a.parquet", good.file(t)))
	same(t, ofX(nil, nil, int64(5), int64(6)), read(t, d, "s.s.x"))
	for name, c := range map[string]lie{
		"a definition of 3":     {onePage(1, definedPage(1, []uint64{1, 3}, 1)), fault.CodeDamaged},
		"levels without values": {onePage(2, definedPage(2, []uint64{2, 2}, 1)), fault.CodeDamaged},
		"values without levels": {onePage(2, definedPage(2, []uint64{2, 1}, 1)), fault.CodeDamaged},
		"too few levels":        {onePage(2, definedPage(2, []uint64{1, 2}, 1)), fault.CodeDamaged},
		"more rows":             {onePage(1, definedPage(2, []uint64{2, 2}, 1, 2)), fault.CodeRowCount},
		"no levels":             {onePage(1, dataV1(1, format.Plain, nil)), fault.CodeDamaged},
	} {
		_, err := attemptColumns(write(t, "a.parquet", c.file.with(withinStructs(2)).file(t)), "s.s.x")
		if code := verdict(t, name, err); code != c.code {
			t.Errorf("%s: got %v, want %s", name, err, c.code)
		}
	}
	deep := onePage(1, definedPage(1, []uint64{1, 100}, 1)).with(withinStructs(100_000))
	path := write(t, "a.parquet", deep.file(t))
	before := allocated()
	d = open(t, textfile.CSV{}, path)
	if used := allocated() - before; used > 64<<20 {
		t.Errorf("%d MiB were allocated for a deep schema", used>>20)
	}
	for _, f := range d.Schema().Fields {
		if f.Type.Kind != table.Invalid {
			t.Errorf("column %s of %d bytes can be read", f.Type, len(f.Name))
		}
	}
}

// A long name in many paths takes only some MiB of memory.
func TestHostilePaths(t *testing.T) {
	const columns = 50_000
	file := onePage(1, onePlain).with(func(m *format.FileMetaData) {
		m.Schema[0].NumChildren = thrift.New(int32(2))
		m.Schema = append(m.Schema, format.SchemaElement{
			Name: strings.Repeat("long",
				10_000), RepetitionType: thrift.New(format.Optional), NumChildren: thrift.New(int32(columns)),
		})
		chunk := m.RowGroups[0].Columns[0]
		for i := range columns {
			c := int64Column
			c.Name = fmt.Sprint(i)
			m.Schema = append(m.Schema, c)
			m.RowGroups[0].Columns = append(m.RowGroups[0].Columns, chunk)
		}
	})
	path := write(t, "a.parquet", file.file(t))
	before := allocated()
	d := open(t, textfile.CSV{}, path)
	if used := allocated() - before; used > 200<<20 {
		t.Errorf("%d MiB were allocated", used>>20)
	}
	same(t, ofX(int64(7)), read(t, d, "x"))
}

// For any number at any place, and any flipped bit, reading a small file with structs ends in rows or in one of our
// errors, with little memory.
func TestNestedDamage(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	r, _ := basket(5)
	columns := []string{"b.items.price", "b.items.size.n", "b.m.key", "b.m.value", "id"}
	files := map[string][]byte{"a.arrow": ipcFile(t, []arrow.Record{r}),
		"b.arrow": ipcStream(t, []arrow.Record{r}, ipc.WithLZ4())}
	arrowParquet(t, r, func(name string, content []byte) { files[name] = content })
	for name, content := range files {
		seen := map[string]int{}
		for i := range 8 * damages() {
			bad := damaged(content, i)
			if i%8 < 4 {
				bad = bytes.Clone(content)
				copy(bad[i*4%len(bad):], [][]byte{{255, 255, 255, 127}, {255, 255, 255, 255}}[i/4%2])
			}
			before := allocated()
			_, err := attemptColumns(write(t, name, bad), columns...)
			if used := allocated() - before; used > 100<<20 {
				t.Errorf("%s, damage %d: %d MiB were allocated", name, i, used>>20)
			}
			seen[verdict(t, name, err)]++
		}
		t.Logf("%s: %d bytes, %v", name, len(content), seen)
	}
}
