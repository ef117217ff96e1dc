package configs

import (
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// sqlInput checks that the input is files or a table of a database, and what says which table. No message shows the connection string.
func (c *checker) sqlInput(at *yamltree.Path) {
	in, sql := &c.job.Input, at.At("sql")
	if in.SQL == nil {
		if !c.has(at.At("files")) && !c.has(sql) {
			c.bad(at.At("files"), CodeMissing, "is required", missingHint("files", `["trips-*.parquet"]`))
		}
		if c.job.Engine != "" && c.sound((*yamltree.Path)(nil).At("engine")) {
			c.bad((*yamltree.Path)(nil).At("engine"), CodeContradiction, "says who adds the rows of a database up, and the input is files", "remove engine; files are read by this program")
		}
		return
	}
	for _, key := range []string{"files", "format", "csv", "jsonl", "folders", "statistics"} {
		if c.Has(at.At(key)) {
			c.bad(at.At(key), CodeContradiction, "goes with files, and the input is a table of a database", "remove "+key+", or sql")
		}
	}
	if (in.SQL.Table == "") == (in.SQL.Query == "") && c.sound(sql) {
		c.bad(sql, CodeContradiction, "the input is a table or a query, one of them", "write table: SCHEMA.TABLE, or query: SELECT ...")
	}
	if slices.Contains(strings.Split(in.SQL.Table, "."), "") && in.SQL.Table != "" {
		c.bad(sql.At("table"), CodeBadValue, "a part of the name is empty", "write SCHEMA.TABLE; for names with points in them use query: SELECT * FROM ...")
	}
	if strings.ContainsAny(in.SQL.Table, "\x00\"`\\") {
		c.bad(sql.At("table"), CodeBadValue, "the name has a quote or a backslash in it", "write the name without quotes; use query: SELECT * FROM ... for such names")
	}
	if strings.ContainsAny(in.SQL.Query, ";\x00") {
		c.bad(sql.At("query"), CodeBadValue, "a semicolon separates statements, and the query is one", "write one SELECT without a semicolon")
	}
}
