package experiment

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Table is a table of results.
type Table struct {
	Columns []string
	Rows    [][]string
}

// Add adds a row: texts as they are, integers, and floats with nine digits.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Text(c)
	}
	t.Rows = append(t.Rows, row)
}

// Text returns the text of a cell.
func Text(cell any) string {
	switch x := cell.(type) {
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'g', 9, 64)
	default:
		return fmt.Sprint(x)
	}
}

// Table writes NAME.csv.
func (s *Session) Table(name string, t Table) error {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if err := w.Write(t.Columns); err != nil {
		return err
	}
	if err := w.WriteAll(t.Rows); err != nil {
		return err
	}
	path := filepath.Join(s.out, name+".csv")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		return err
	}
	s.Say("table  %s (%d rows)", path, len(t.Rows))
	return nil
}

// Numbers parses positive numbers separated by commas.
func Numbers(text string) (out []float64, err error) {
	for _, word := range strings.Split(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(x > 0) {
			return nil, fmt.Errorf("%q is no positive number", word)
		}
		out = append(out, x)
	}
	return out, nil
}
