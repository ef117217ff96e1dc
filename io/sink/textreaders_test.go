package sink

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// ipcGrid reads an Arrow file by its footer.
func ipcGrid(t *testing.T, data []byte) grid {
	t.Helper()
	f, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var batches []arrow.Record
	for i := range f.NumRecords() {
		r, err := f.RecordAt(i)
		if err != nil {
			t.Fatal(err)
		}
		batches = append(batches, r)
	}
	return batchesGrid(t, f.Schema(), batches)
}

// streamGrid reads an Arrow file from its start to its end mark, like a pipe.
func streamGrid(t *testing.T, data []byte) grid {
	t.Helper()
	const magic = 8
	s, err := ipc.NewReader(bytes.NewReader(data[magic:]))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	var batches []arrow.Record
	for s.Next() {
		s.Record().Retain()
		batches = append(batches, s.Record())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return batchesGrid(t, s.Schema(), batches)
}

func batchesGrid(t *testing.T, s *arrow.Schema, batches []arrow.Record) grid {
	t.Helper()
	g := grid{}
	for i, f := range s.Fields() {
		var chunks []arrow.Array
		for _, b := range batches {
			if b.NumRows() > blockRows+chunkCells {
				t.Errorf("a record batch has %d rows", b.NumRows())
			}
			chunks = append(chunks, b.Column(i))
		}
		g.names = append(g.names, f.Name)
		g.columns = append(g.columns, arrowColumn(t, f.Type, chunks))
		g.optional = append(g.optional, f.Nullable)
	}
	return g
}

// jsonGrid reads JSON token by token. The types come from want.
func jsonGrid(t *testing.T, data []byte, want grid) grid {
	t.Helper()
	r := &jsonReader{T: t, d: json.NewDecoder(bytes.NewReader(data)), g: grid{names: want.names}}
	r.d.UseNumber()
	for _, c := range want.columns {
		switch c.(type) {
		case []string:
			r.g.columns = append(r.g.columns, []string{})
		case []int64:
			r.g.columns = append(r.g.columns, []int64{})
		default:
			r.g.columns = append(r.g.columns, []float64{})
		}
	}
	r.next(json.Delim('['))
	for r.d.More() {
		r.object()
	}
	r.next(json.Delim(']'))
	return r.g
}

type jsonReader struct {
	*testing.T
	d *json.Decoder
	g grid
}

func (r *jsonReader) token() json.Token {
	r.Helper()
	x, err := r.d.Token()
	if err != nil {
		r.Fatal(err)
	}
	return x
}

func (r *jsonReader) next(want json.Token) {
	r.Helper()
	if got := r.token(); got != want {
		r.Fatalf("%v, want %v", got, want)
	}
}

func (r *jsonReader) object() {
	r.Helper()
	r.next(json.Delim('{'))
	for i, name := range r.g.names {
		r.next(name)
		switch c := r.g.columns[i].(type) {
		case []string:
			r.g.columns[i] = append(c, r.token().(string))
		case []int64:
			v, err := r.token().(json.Number).Int64()
			if err != nil {
				r.Fatal(err)
			}
			r.g.columns[i] = append(c, v)
		case []float64:
			r.g.columns[i] = append(c, r.number())
		}
	}
	r.next(json.Delim('}'))
}

func (r *jsonReader) number() float64 {
	r.Helper()
	x := r.token()
	if x == nil {
		return null
	}
	v, err := x.(json.Number).Float64()
	if err != nil {
		r.Fatal(err)
	}
	return v
}
