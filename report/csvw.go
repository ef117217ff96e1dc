package report

import (
	"fmt"
	"net/url"
	"strings"
)

// csvw returns metadata for all CSV tables in the format CSV on the Web (W3C Recommendation, 2015).
func (r *catalogue) csvw() object {
	var tables []object
	for _, t := range r.csvTables() {
		f := t.Files[0]
		var columns []object
		for i, c := range t.Columns {
			column := object{
				"name": nameOf(c.Name, i), "titles": f.inCSV(c.Name), "dc:description": c.words(), "datatype": []string{"string",
					"integer", "double"}[c.Type],
			}
			if c.Key && c.Type != textColumn {
				column["required"] = true
			}
			columns = append(columns, column)
		}
		schema := object{"columns": columns}
		var keys []string
		for i, c := range t.Columns {
			if c.Key {
				keys = append(keys, nameOf(c.Name, i))
			}
		}
		if len(keys) > 0 {
			schema["primaryKey"] = keys
		}
		tables = append(tables, object{"url": url.PathEscape(f.Path), "dc:title": t.Name, "dc:description": t.Description,
			"tableSchema": schema})
	}
	out := object{
		"@context": []any{"http://www.w3.org/ns/csvw",
			object{"@language": "en"}}, "dc:title": r.Title, "dc:description": r.Description + " " +
			r.Guarantee, "tables": tables,
		"dialect": object{"header": true, "encoding": "utf-8"},
	}
	if isAddress(r.Licence) {
		out["dc:license"] = object{"@id": r.Licence}
	} else {
		out.set("dc:license", r.Licence)
	}
	return out
}

// nameOf returns a name for a column that URI templates allow: letters, digits and underscores, without an underscore
// at the beginning. If nothing is left of the column's name, the name contains the number at.
func nameOf(column string, at int) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, column)
	if name != column || strings.HasPrefix(name, "_") || len(name) > 80 {
		return fmt.Sprintf("c%d_%.60s", at+1, strings.TrimLeft(name, "_"))
	}
	return name
}

func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}
