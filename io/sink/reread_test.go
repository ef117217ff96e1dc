package sink

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/sink/internal/reread"
)

// rereadGrid reads Parquet with this module's own second reader.
func rereadGrid(t *testing.T, data []byte, want grid) grid {
	t.Helper()
	g := grid{optional: want.optional}
	for _, c := range want.columns {
		switch c.(type) {
		case []string:
			g.columns = append(g.columns, []string{})
		case []int64:
			g.columns = append(g.columns, []int64{})
		default:
			g.columns = append(g.columns, []float64{})
		}
	}
	_, err := reread.Read(bytes.NewReader(data), int64(len(data)), func(columns []reread.Column) error {
		g.names = nil
		for i, c := range columns {
			g.names = append(g.names, c.Name)
			switch c.Kind {
			case reread.Text:
				g.columns[i] = append(g.columns[i].([]string), c.Texts...)
			case reread.Int64:
				g.columns[i] = append(g.columns[i].([]int64), c.Ints...)
			default:
				for r, missing := range c.Null {
					if missing {
						c.Floats[r] = null
					}
				}
				g.columns[i] = append(g.columns[i].([]float64), c.Floats...)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if g.names == nil { // a table without rows
		g.names = want.names
	}
	return g
}

// Whatever bytes of a file are changed or cut, the second reader answers with an error or with columns of the rows that it says, and
// never panics.
func TestRereadOfDamage(t *testing.T) {
	good := written(t, parquetFormat{}, samples(true)[0])
	rapid.Check(t, func(rt *rapid.T) {
		bad := damaged(rt, good)
		_, err := reread.Read(bytes.NewReader(bad), int64(len(bad)), func(columns []reread.Column) error {
			for _, c := range columns {
				if n := len(columns[0].Ints) + len(columns[0].Floats) + len(columns[0].Texts); n != len(c.Ints)+len(c.Floats)+len(c.Texts) {
					rt.Fatalf("columns of different lengths")
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, reread.ErrFormat) {
			rt.Fatalf("%v", err)
		}
	})
}
