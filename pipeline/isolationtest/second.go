package isolationtest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

//go:embed second.py
var secondReader string

// Second implements Format. Python's csv or json module reads the files, and the rows are compared with the intended
// ones.
func (t *Text) Second(dir string, table Table) (says string, doubted bool) {
	var names []string
	for i := range t.columns {
		names = append(names, t.name(i))
	}
	for file, rows := range table {
		text, packing := t.plain(rows), "" // the file's contents before compression
		if t.writer != "go" {
			path := filepath.Join(dir, t.paths(len(table))[file])
			var err error
			if text, err = os.ReadFile(path); err != nil {
				return err.Error(), false
			}
			packing = filepath.Ext(path)
		}
		ask, err := json.Marshal(map[string]any{
			"text": text, "packing": packing, "encoding": t.encoding, "mark": t.mark, "format": t.format, "columns": names,
			"delimiter": t.separator(),
			"quote":     t.quotes(), "preamble": map[bool]int{true: 1}[t.preamble], "header": t.header,
		})
		if err != nil {
			return err.Error(), false
		}
		cmd := exec.Command("python3", "-c", secondReader)
		cmd.Stdin = bytes.NewReader(ask)
		said, err := cmd.Output()
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			return fmt.Sprintf("Python cannot read file %d: %s", file, failed.Stderr), true
		}
		if err != nil {
			return "there is none: " + err.Error(), false
		}
		var cells [][]*[]byte // strings are sent back in base64
		if err := json.Unmarshal(said, &cells); err != nil {
			return err.Error(), false
		}
		if what := t.differs(rows, cells); what != "" {
			return fmt.Sprintf("Python reads file %d otherwise than it was meant: %s", file, what), true
		}
	}
	return "Python reads what was meant", false
}

// differs describes how the rows that a second reader found differ from the intended rows; "" if they do not.
func (t *Text) differs(rows []Row, cells [][]*[]byte) string {
	at := 0
	for _, row := range rows {
		if t.format != "jsonl" && t.line(row) == "" {
			continue // Python's reader skips a blank line
		}
		if at == len(cells) || len(cells[at]) != len(row) {
			return fmt.Sprintf("%d rows, of which the last one is another", at)
		}
		for i, cell := range row {
			want, null := t.nullWord(), true
			if c, ok := cell.(textCell); ok {
				want, null = c.text, false
			}
			got := cells[at][i]
			switch {
			case t.format == "jsonl" && null:
				if got != nil {
					return fmt.Sprintf("row %d has a value for a null", at)
				}
				continue
			case got == nil:
				return fmt.Sprintf("row %d has a null for a value", at)
			}
			text := string(*got)
			if t.trim {
				want, text = strings.Trim(want, " \t\"'|`"), strings.Trim(text, " \t\"'|`")
			}
			if c, ok := cell.(textCell); ok && c.token {
				continue
			}
			if t.wide() {
				if fmt.Sprint(sourcetest.Units(text)) == fmt.Sprint(sourcetest.Units(want)) {
					continue
				}
			}
			if text != want {
				return fmt.Sprintf("row %d, column %d: %.200q, want %.200q", at, i, text, want)
			}
		}
		at++
	}
	if at < len(cells) {
		return fmt.Sprintf("%d rows, want %d", len(cells), at)
	}
	return ""
}

// Second implements Format. Arrow's own readers count the distinct units in the files.
func (b *Binary) Second(dir string, t Table) (says string, doubted bool) {
	keys, seen := map[string]bool{}, map[string]bool{}
	n := 0
	for _, row := range slices.Concat(t...) {
		if key, ok := b.Key(row); ok && key != "" {
			keys[key] = true
		}
	}
	for _, path := range b.paths(len(t)) {
		text, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err.Error(), false
		}
		cells, err := b.cells(text)
		if err != nil {
			return "Arrow cannot read it: " + err.Error(), false
		}
		n += len(cells[0])
		for i := range cells[0] {
			key := ""
			for _, u := range b.unit {
				if cells[u][i] == nil {
					key = ""
					break
				}
				key += fmt.Sprint(cells[u][i]) + ";"
			}
			if key != "" {
				seen[key] = true
			}
		}
	}
	says = fmt.Sprintf("Arrow reads %d rows of %d units; %d rows of %d units were meant", n, len(seen),
		len(slices.Concat(t...)),
		len(keys))
	changed := b.writer.Encode == nil && len(seen) < len(keys) // whether the library that wrote the file changed keys
	return says, changed || n != len(slices.Concat(t...))
}

// cells returns the cells of each column of a file as Arrow reads them; nil is null.
func (b *Binary) cells(text []byte) (columns [][]any, err error) {
	columns = make([][]any, len(b.columns))
	add := func(of arrow.Record) {
		for i, c := range of.Columns() {
			for row := range c.Len() {
				var cell any
				if c.IsValid(row) {
					cell = c.ValueStr(row)
				}
				columns[i] = append(columns[i], cell)
			}
		}
	}
	switch b.writer.Name {
	case "arrow file":
		r, err := ipc.NewFileReader(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		for i := range r.NumRecords() {
			of, err := r.Record(i)
			if err != nil {
				return nil, err
			}
			add(of)
		}
		return columns, nil
	case "arrow stream":
		r, err := ipc.NewReader(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		for r.Next() {
			add(r.Record())
		}
		return columns, r.Err()
	}
	_, columns, err = sourcetest.ArrowCells(text)
	return columns, err
}
