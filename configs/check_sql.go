package configs

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// sqlInput checks that the input is either files or a table of a database, and the keys that name the table. No message
// shows the connection string.
func (c *checker) sqlInput(at *yamltree.Path) {
	in, sql := &c.job.Input, at.At("sql")
	if in.SQL == nil {
		if !c.has(at.At("files")) && !c.has(sql) {
			c.bad(at.At("files"), CodeMissing, "is required", missingHint("files", `["trips-*.parquet"]`))
		}
		if c.job.Engine != "" && c.isValid((*yamltree.Path)(nil).At("engine")) {
			c.bad((*yamltree.Path)(nil).At("engine"), CodeContradiction,
				"engine is for databases, and the input is files", "remove engine; files are read by this program")
		}
		return
	}
	for _, key := range []string{"files", "format", "csv", "jsonl", "folders", "missing", "statistics"} {
		if c.Has(at.At(key)) {
			c.bad(at.At(key), CodeContradiction, "goes with files, and the input is a table of a database",
				"remove "+key+", or sql")
		}
	}
	if (in.SQL.Table == "") == (in.SQL.Query == "") && c.isValid(sql) {
		c.bad(sql, CodeContradiction, "the input is a table or a query, one of them",
			"write table: SCHEMA.TABLE, or query: SELECT ...")
	}
	if in.SQL.Format != "" && (in.SQL.Driver != "duckdb" || in.SQL.Table == "") && c.isValid(sql) {
		c.bad(sql.At("format"), CodeContradiction, "only DuckDB reads a folder by its format, and table names it",
			"name the table of a catalogue without format: CATALOGUE.SCHEMA.TABLE; or write driver: duckdb and table: FOLDER")
	}
	if slices.Contains(strings.Split(in.SQL.Table, "."), "") && in.SQL.Table != "" && in.SQL.Format == "" {
		c.bad(sql.At("table"), CodeBadValue, "a part of the name is empty",
			"write SCHEMA.TABLE; for names with points in them use query: SELECT * FROM ...")
	}
	if strings.ContainsAny(in.SQL.Table, "\x00\"`\\") {
		c.bad(sql.At("table"), CodeBadValue, "the name has a quote or a backslash in it",
			"write the name without quotes; use query: SELECT * FROM ... for such names")
	}
	if strings.ContainsAny(in.SQL.Query, ";\x00") {
		c.bad(sql.At("query"), CodeBadValue, "a semicolon separates statements, and the query is one",
			"write one SELECT without a semicolon")
	}
	c.sqlReferences(at.At("sql"), in.SQL)
}

// plainName matches texts that have no special meaning in SQL: letters, digits, underscores and points.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_.]*$`)

// plainWord matches words without characters that have a meaning in a connection string.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// wordReferences checks the parameters in a connection string or in the ledger's store: their values must be words.
// Otherwise a user who sets a parameter could add another server, which would get the password, or session settings, or
// could choose a ledger without the earlier charges. env is the name that a hint suggests for a variable that holds the
// whole text.
func (c *checker) wordReferences(at *yamltree.Path, env string) {
	node, _, exact := yamltree.Find(c.Src.Root, at.String())
	if !exact {
		return
	}
	pieces, _ := yamltree.Pieces(yamltree.Follow(node).Value)
	values := c.job.ParamValues()
	for _, p := range pieces {
		if p.Ref && !strings.HasPrefix(p.Text, "env:") && !plainWord.MatchString(values[p.Text]) {
			c.bad(at, CodeBadValue, "a parameter here is a word of letters, digits, _ and -",
				"give ${"+p.Text+"} such a value, or write all of it to the environment: ${env:"+env+"}")
			return
		}
	}
}

// sqlReferences refuses references in the query. A user who sets a parameter must not write SQL, which could return
// rows twice. Also, the query is printed, so it must hold no value of the environment. In the name of a table, a
// parameter is a piece of a plain name.
func (c *checker) sqlReferences(at *yamltree.Path, sql *SQL) {
	c.wordReferences(at.At("dsn"), "DSN")
	for _, of := range [][2]string{{"table", sql.Table}, {"query", sql.Query}} {
		key, value := of[0], of[1]
		node, _, exact := yamltree.Find(c.Src.Root, at.At(key).String())
		if !exact {
			continue
		}
		pieces, _ := yamltree.Pieces(yamltree.Follow(node).Value)
		refers, env, points := false, false, 0
		for _, p := range pieces {
			if p.Ref {
				refers, env = true, env || strings.HasPrefix(p.Text, "env:")
			} else {
				points += strings.Count(p.Text, ".")
			}
		}
		switch {
		case !refers:
		case key == "query":
			c.bad(at.At(key), CodeBadValue, "a reference would be read as SQL",
				"write the query out, and choose rows with conditions under input.where, which take references as values")
		case env:
			c.bad(at.At(key), CodeBadValue, "the name of a table is printed, and a value of the environment is not",
				"write the name out, or use a parameter")
		case !plainName.MatchString(value) || strings.Count(value, ".") != points:
			c.bad(at.At(key), CodeBadValue, "a parameter makes the name other than one of letters, digits and _",
				"give a parameter without points and signs, or choose rows with conditions under input.where")
		}
	}
}
