package columns

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// lookAtObjects finds the columns of JSON lines: the members of the objects.
func (t *Text) lookAtObjects(text string) {
	t.Header = true
	place := map[string]int{}
	for line := range strings.Lines(text) {
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(line), &object) != nil {
			if strings.TrimSpace(line) != "" {
				t.Ragged++
			}
			continue
		}
		t.Records++
		for _, name := range slices.Sorted(maps.Keys(object)) {
			i, known := place[name]
			if !known {
				i = len(t.Columns)
				place[name] = i
				t.Columns = append(t.Columns, Column{Name: name})
			}
			raw := object[name]
			t.Columns[i].cells = append(t.Columns[i].cells, jsonText(raw))
			t.Columns[i].bare = t.Columns[i].bare || raw[0] != '"' && string(raw) != "null"
		}
	}
	t.judge()
	t.Decimal, t.Thousands, t.NullValues = '.', 0, nil
}

// jsonText returns a member's value as a text; "" for null.
func jsonText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}
