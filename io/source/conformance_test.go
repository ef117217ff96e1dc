package source_test

import (
	"fmt"
	"testing"

	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	arrowcompress "github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
	xparquet "github.com/xitongsys/parquet-go/parquet"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source/textfile"
)

// formats returns the sample in every format and variant. The same rows must come out of each.
func formats(t testing.TB, records []record) map[string][]byte {
	out := map[string][]byte{}
	for version := 1; version <= 2; version++ {
		for name, codec := range map[string]compress.Codec{
			"none": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip,
			"brotli": &parquet.Brotli, "zstd": &parquet.Zstd, "lz4": &parquet.Lz4Raw,
		} {
			out[fmt.Sprintf("go-v%d-%s.parquet", version, name)] = parquetGo(t, records, mixed,
				parquet.DataPageVersion(version), parquet.Compression(codec), parquet.MaxRowsPerRowGroup(1500), parquet.PageBufferSize(8<<10))
		}
		for name, encodings := range encodingSets {
			out[fmt.Sprintf("go-v%d-%s.parquet", version, name)] = parquetGo(t, records, encodings,
				parquet.DataPageVersion(version))
		}
		out[fmt.Sprintf("go-v%d-overflow.parquet", version)] = parquetGo(t, records, encodingSets["dictionary"],
			parquet.DataPageVersion(version), parquet.DictionaryMaxBytes(4<<10), parquet.PageBufferSize(4<<10))
	}
	arrowFormats(t, records, out)
	arrowIPC(t, records, out)
	for name, codec := range map[string]xparquet.CompressionCodec{
		"none": xparquet.CompressionCodec_UNCOMPRESSED, "snappy": xparquet.CompressionCodec_SNAPPY,
		"gzip": xparquet.CompressionCodec_GZIP, "zstd": xparquet.CompressionCodec_ZSTD,
	} {
		out["xitongsys-"+name+".parquet"] = xitongsys(t, records, codec)
	}
	csv := text(t, records)
	out["text.csv"], out["text.csv.gz"], out["text.csv.zst"] = csv, gzipped(t, csv), zstandard(t, csv)
	return out
}

func arrowFormats(t testing.TB, records []record, out map[string][]byte) {
	for name, codec := range map[string]arrowcompress.Compression{
		"none": arrowcompress.Codecs.Uncompressed, "snappy": arrowcompress.Codecs.Snappy, "gzip": arrowcompress.Codecs.Gzip,
		"brotli": arrowcompress.Codecs.Brotli, "zstd": arrowcompress.Codecs.Zstd,
	} {
		for version, page := range map[int]arrowparquet.DataPageVersion{1: arrowparquet.DataPageV1,
			2: arrowparquet.DataPageV2} {
			for _, dict := range []bool{true, false} {
				out[fmt.Sprintf("arrow-v%d-%s-dict=%t.parquet", version, name, dict)] = arrowV17(t, records,
					arrowparquet.WithCompression(codec), arrowparquet.WithDataPageVersion(page), arrowparquet.WithDictionaryDefault(dict),
					arrowparquet.WithDataPageSize(8<<10), arrowparquet.WithMaxRowGroupLength(1500))
			}
		}
	}
	out["arrow-overflow.parquet"] = arrowV17(t, records, arrowparquet.WithDictionaryPageSizeLimit(4<<10),
		arrowparquet.WithDataPageSize(4<<10))
}

var mixed = map[string]encoding.Encoding{"cat": &parquet.RLEDictionary, "day": &parquet.RLEDictionary}

var encodingSets = map[string]map[string]encoding.Encoding{
	"plain": {"unit": &parquet.Plain, "cat": &parquet.Plain, "value": &parquet.Plain, "flag": &parquet.Plain,
		"day": &parquet.Plain, "at": &parquet.Plain, "note": &parquet.Plain},
	"dictionary": {"unit": &parquet.RLEDictionary, "cat": &parquet.RLEDictionary, "value": &parquet.RLEDictionary,
		"day": &parquet.RLEDictionary, "at": &parquet.RLEDictionary, "note": &parquet.RLEDictionary},
	"delta": {"unit": &parquet.DeltaBinaryPacked, "cat": &parquet.DeltaByteArray, "day": &parquet.DeltaBinaryPacked,
		"at": &parquet.DeltaBinaryPacked, "note": &parquet.DeltaLengthByteArray, "flag": &parquet.RLE},
	"split": {"unit": &parquet.ByteStreamSplit, "value": &parquet.ByteStreamSplit, "day": &parquet.ByteStreamSplit},
}

// The same table has the same rows in every format, for any columns in any order.
func TestFormatsAgree(t *testing.T) {
	records := sample(1600) // two row groups
	if owntest.Checking() {
		records = sample(4000)
	}
	want := rowsOf(records)
	for name, content := range formats(t, records) {
		t.Run(name, func(t *testing.T) {
			d := open(t, sampleCSV, write(t, name, content))
			same(t, want, read(t, d, sampleColumns...))
			some := read(t, d, "note", "unit", "note")
			for i, r := range some {
				if r[0] != want[i][6] || r[1] != want[i][0] || r[2] != want[i][6] {
					t.Fatalf("row %d: %v", i, r)
				}
			}
			if rows := read(t, d); len(rows) != len(want) {
				t.Fatalf("%d rows without columns, want %d", len(rows), len(want))
			}
		})
	}
}

// All files together are one table.
func TestManyFilesAreOneTable(t *testing.T) {
	records := sample(500)
	var paths []string
	var want [][]any
	for name, content := range formats(t, records) {
		paths = append(paths, write(t, name, content))
		want = append(want, rowsOf(records)...)
	}
	d := open(t, sampleCSV, paths...)
	same(t, want, read(t, d, sampleColumns...))
}

// A dictionary-encoded column arrives as codes into one dictionary per row group.
func TestDictionariesStayCodes(t *testing.T) {
	records := sample(10_000)
	content := parquetGo(t, records, mixed, parquet.MaxRowsPerRowGroup(5000), parquet.PageBufferSize(8<<10))
	d := open(t, textfile.CSV{}, write(t, "a.parquet", content))
	dictionaries := map[uint64]int{}
	batches(t, d, []string{"cat", "note"}, func(b batch) {
		if b.Columns[0].Codes == nil || b.Columns[1].Codes != nil {
			t.Error("cat should be codes and note should not")
		}
		dictionaries[b.Columns[0].Dict] = b.Columns[0].Values.Len(b.Columns[0].Type.Kind)
	})
	if len(dictionaries) != 2 || d.Splits() != 2 {
		t.Errorf("%d dictionaries in %d row groups", len(dictionaries), d.Splits())
	}
	for id, n := range dictionaries {
		if n > 40 {
			t.Errorf("dictionary %d has %d values", id, n)
		}
	}
}
