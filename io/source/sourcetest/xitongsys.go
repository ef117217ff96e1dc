package sourcetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/xitongsys/parquet-go/layout"
	"github.com/xitongsys/parquet-go/marshal"
	"github.com/xitongsys/parquet-go/parquet"
	"github.com/xitongsys/parquet-go/schema"
)

const page = 8 << 10

// MarshalXitongsys returns a Parquet file of one row group whose pages xitongsys/parquet-go made. That library's
// writer, which only joins pages, is not used, since it needs another module. The rows are structs with that library's
// field tags; row points to one such struct.
func MarshalXitongsys(row any, rows []any, codec parquet.CompressionCodec) ([]byte, error) {
	handler, err := schema.NewSchemaHandlerFromStruct(row)
	if err != nil {
		return nil, err
	}
	tables, err := marshal.Marshal(rows, handler)
	if err != nil {
		return nil, err
	}
	out := bytes.NewBufferString("PAR1")
	group := parquet.NewRowGroup()
	group.NumRows = int64(len(rows))
	footer := &parquet.FileMetaData{Version: 1, NumRows: group.NumRows, RowGroups: []*parquet.RowGroup{group}}
	for i, e := range handler.SchemaElements {
		if e.GetNumChildren() == 0 {
			c := chunk(out, (*tables)[handler.IndexMap[int32(i)]], codec)
			c.MetaData.PathInSchema = []string{handler.Infos[i].ExName}
			group.Columns = append(group.Columns, c)
		}
		e.Name = handler.Infos[i].ExName
		footer.Schema = append(footer.Schema, e)
	}
	serializer := thrift.NewTSerializer()
	serializer.Protocol = thrift.NewTCompactProtocolFactoryConf(nil).GetProtocol(serializer.Transport)
	meta, err := serializer.Write(context.Background(), footer)
	if err != nil {
		return nil, err
	}
	out.Write(meta)
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(meta))))
	out.WriteString("PAR1")
	return out.Bytes(), nil
}

// chunk writes one column's pages and returns its metadata.
func chunk(out *bytes.Buffer, table *layout.Table, codec parquet.CompressionCodec) *parquet.ColumnChunk {
	var pages []*layout.Page
	var c *layout.Chunk
	at := int64(out.Len())
	if table.Info.Encoding == parquet.Encoding_PLAIN_DICTIONARY {
		dict := layout.NewDictRec(*table.Schema.Type)
		data, _ := layout.TableToDictDataPages(dict, table, page, 32, codec)
		first, _ := layout.DictRecToDictPage(dict, page, codec)
		pages = append([]*layout.Page{first}, data...)
		c = layout.PagesToDictChunk(pages)
		c.ChunkHeader.MetaData.DictionaryPageOffset = &at
		c.ChunkHeader.MetaData.DataPageOffset = at + int64(len(first.RawData))
	} else {
		pages, _ = layout.TableToDataPages(table, page, codec)
		c = layout.PagesToChunk(pages)
		c.ChunkHeader.MetaData.DataPageOffset = at
	}
	for _, p := range pages {
		out.Write(p.RawData)
	}
	return c.ChunkHeader
}

func xitongsys(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		of, tag := goType(c.Type.Tag), "name="+c.Name+", "+c.Type.Tag
		if chance(r, 0.5) && of.Kind() != reflect.Bool && c.Type.Tag != "type=INT96" {
			tag += ", encoding=PLAIN_DICTIONARY"
		}
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
		for k, cell := range row {
			if cell == nil {
				continue
			}
			f := p.Field(k)
			if f.Kind() == reflect.Pointer {
				f.Set(reflect.New(f.Type().Elem()))
				f = f.Elem()
			}
			if x, ok := cell.(*big.Int); ok {
				if cell = x.Int64(); f.Kind() == reflect.String {
					cell = string(shortest(x))
				}
			}
			f.Set(reflect.ValueOf(cell).Convert(f.Type()))
		}
		out[i] = p.Interface()
	}
	return MarshalXitongsys(reflect.New(of).Interface(), out,
		pick(r, parquet.CompressionCodec_UNCOMPRESSED, parquet.CompressionCodec_SNAPPY))
}

// goType returns the Go type of a struct field with the given tag.
func goType(tag string) reflect.Type {
	name, _, _ := strings.Cut(strings.TrimPrefix(tag, "type="), ",")
	switch unsigned := strings.Contains(tag, "convertedtype=UINT_"); {
	case name == "BOOLEAN":
		return reflect.TypeFor[bool]()
	case name == "INT32" && unsigned:
		return reflect.TypeFor[uint32]()
	case name == "INT32":
		return reflect.TypeFor[int32]()
	case name == "INT64" && unsigned:
		return reflect.TypeFor[uint64]()
	case name == "INT64":
		return reflect.TypeFor[int64]()
	case name == "FLOAT":
		return reflect.TypeFor[float32]()
	case name == "DOUBLE":
		return reflect.TypeFor[float64]()
	}
	return reflect.TypeFor[string]()
}
