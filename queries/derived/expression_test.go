package derived_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/derived"
	"github.com/dprelease/dprelease/queries/problem"
)

// sample holds columns of every kind with the values that arithmetic and texts get wrong.
func sample() (names []string, columns []table.Column) {
	nulls := func(c table.Column, at ...int) table.Column {
		c.Valid = make([]bool, c.Len())
		for i := range c.Valid {
			c.Valid[i] = true
		}
		for _, i := range at {
			c.Valid[i] = false
		}
		return c
	}
	of := func(t table.Type, values ...int64) table.Column {
		return table.Column{Type: t, Values: table.Values{Ints: values}}
	}
	stamp := table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: table.UTC}
	clock := table.Type{Kind: table.Timestamp, Unit: 1e9, Zone: table.Local}
	hour := int64(3600_000_000)
	return []string{"i", "j", "k", "f", "g", "s", "c", "b", "d", "e", "t", "u", "l"}, []table.Column{
		ints(7, -7, 0, math.MaxInt64, math.MinInt64, 3),
		nulls(ints(2, 2, 0, 1, -1, 5), 5),
		of(table.Type{Kind: table.Uint}, 1, 2, 3, -1, math.MinInt64, math.MaxInt64),
		floats(0.5, -2.5, math.NaN(), math.Inf(1), 1e308, math.Copysign(0, -1)),
		nulls(floats(2, 0, 1, 1, 1e308, 3), 5),
		texts("Ab c", "  x", "NULL", "12", "\xff", "é2"),
		texts("b", "x", "b", "NULL", "1", "2013-02-29"),
		nulls(of(table.Type{Kind: table.Bool}, 1, 0, 1, 0, 1, 0), 2),
		nulls(of(table.Type{Kind: table.Date}, 0, -1, 15706, math.MaxInt64, 2932896, -719162), 2),
		of(table.Type{Kind: table.Date}, 10, 10, 15707, math.MinInt64, 0, 0),
		of(stamp, 0, -1, 1357005600_000_000, math.MaxInt64, 1362898800_000_000, 1362898799_000_000),
		of(stamp, hour, 0, 1357005600_000_000+3*hour, math.MinInt64, 1362898800_000_000, 0),
		of(clock, 0, 86399, 1356998399, math.MinInt64, -62135596801, -62135596800),
	}
}

// computed returns the values of an expression for the rows of the sample, in New York.
func computed(t *testing.T, text string, names []string, columns []table.Column) ([]string, error) {
	t.Helper()
	e, err := derived.Parse("input.derive.x", "x", text)
	if err != nil {
		return nil, err
	}
	set, err := derived.New([]derived.Definition{e})
	if err != nil {
		t.Fatal(err)
	}
	var s table.Schema
	for i, name := range names {
		s.Fields = append(s.Fields, table.Field{Name: name, Type: columns[i].Type})
	}
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	bound, err := set.Bind(s, zone)
	if err != nil {
		return nil, err
	}
	b, err := bound.Evaluator(names).Extend(&table.Batch{Rows: columns[0].Len(), Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	made := &b.Columns[len(names)]
	if f := bound.Schema.Fields[len(names)]; made.Type != f.Type || made.Len() != b.Rows {
		t.Fatalf("%s: type %v, %d rows", text, made.Type, made.Len())
	}
	return shown(made), nil
}

// Every operator has a value or null for every row.
func TestExpressions(t *testing.T) {
	names, columns := sample()
	for text, want := range map[string]string{
		"i + j":                         "9 -5 0 NULL NULL NULL",
		"i - j":                         "5 -9 0 9223372036854775806 -9223372036854775807 NULL",
		"i * j":                         "14 -14 0 9223372036854775807 NULL NULL",
		"-i":                            "-7 7 0 -9223372036854775807 NULL -3",
		"i / j":                         "3.5 -3.5 NULL 9.223372036854776e+18 9.223372036854776e+18 NULL",
		"i % j":                         "1 -1 NULL 0 0 NULL",
		"div(i, j)":                     "3 -4 NULL 9223372036854775807 NULL NULL",
		"k":                             "1 2 3 NULL NULL 9223372036854775807",
		"f + g":                         "2.5 -2.5 NULL NULL NULL NULL",
		"f / g":                         "0.25 NULL NULL NULL 1 NULL",
		"i + f":                         "7.5 -9.5 NULL NULL 1e+308 3",
		"i == 7 or j == 2":              "true true false false false NULL",
		"i == 7 and j == 2":             "true false false false false false",
		"not (i < 0)":                   "true false true true false true",
		"i < 9223372036854775807.0":     "true true true true true true",
		"i >= 9.3e18":                   "false false false false false false",
		"f >= 0":                        "true false NULL true true true",
		"j == nil":                      "false false false false false true",
		"nil != f":                      "true true false true true true",
		"j ?? -1":                       "2 2 0 1 -1 -1",
		"coalesce(f, g, 0)":             "0.5 -2.5 1 +Inf 1e+308 -0",
		"j > 1 ? i : nil":               "7 -7 NULL NULL NULL NULL",
		"b ? 1 : 2.5":                   "1 2.5 2.5 2.5 1 2.5",
		"if b { \"y\" } else { \"n\" }": "y n n n y n",
		"i in [7, 3, 0]":                "true false true false false true",
		"s not in [\"12\", \"x\"]":      "true true NULL false true true",
		"lower(s)":                      "ab c   x NULL 12 NULL é2",
		"upper(s) + \"!\"":              "AB C!   X! NULL 12! NULL É2!",
		"trim(s)":                       "Ab c x NULL 12 NULL é2",
		"len(s)":                        "4 3 NULL 2 NULL 2",
		"substring(s, 2, 2)":            "b   x NULL 2 NULL 2",
		"substring(s, 0, 2)":            "A   NULL 1 NULL é",
		"substring(s, -9223372036854775807, 9223372036854775807)": "  NULL  NULL ",
		"s matches \"^[A-Z]\"":        "true false NULL false false false",
		"extract(s, \"([0-9]).*\")":   "NULL NULL NULL 1 NULL 2",
		"extract(s, \"b c\")":         "b c NULL NULL NULL NULL NULL",
		"s contains c":                "true true NULL NULL false false",
		"s startsWith \"1\"":          "false false NULL true false false",
		"int(s)":                      "NULL NULL NULL 12 NULL NULL",
		"float(s)":                    "NULL NULL NULL 12 NULL NULL",
		"int(f)":                      "0 -2 NULL NULL NULL 0",
		"text(i)":                     "7 -7 0 9223372036854775807 -9223372036854775808 3",
		"text(d)":                     "1970-01-01 1969-12-31 NULL day 9223372036854775807 9999-12-31 0001-01-01",
		"date(c)":                     "NULL NULL NULL NULL NULL NULL",
		"round(f)":                    "1 -3 NULL +Inf 1e+308 -0",
		"abs(i)":                      "7 7 0 9223372036854775807 NULL 3",
		"year(d)":                     "1970 1969 NULL NULL 9999 1",
		"weekday(d)":                  "4 3 NULL NULL 5 1",
		"year(t)":                     "1969 1969 2012 NULL 2013 2013",
		"hour(t)":                     "19 18 21 NULL 3 1",
		"minute(l)":                   "0 59 59 NULL NULL 0",
		"date(t)":                     "-1 -1 15705 NULL 15774 15774",
		"days(d, e)":                  "10 11 NULL NULL -2932896 719162",
		"seconds(t, u)":               "3600 0 10800 NULL 0 -1362898799",
		"d >= \"1970-01-01\"":         "true false NULL true true false",
		"t < \"2013-01-01T00:00:00\"": "true true true false false false",
		"t < u":                       "true true true false false false",
		"s | upper()":                 "AB C   X NULL 12 NULL É2",
		"1 < i < 8":                   "true false false false false true",
	} {
		got, err := computed(t, text, names, columns)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if show := strings.Join(got, " "); show != want {
			t.Errorf("%s:\n got %s\nwant %s", text, show, want)
		}
	}
}

// Invalid expressions, expressions without types and expressions of unbounded cost are refused before a row is read.
func TestExpressionsThatAreRefused(t *testing.T) {
	names, columns := sample()
	names, columns = append(names, "v"), append(columns, table.Column{Type: table.Type{Kind: table.List}, Lists: make([]uint32, 7)})
	deep := "i"
	for range 300 {
		deep = "(1 < (" + deep + ") < 3 ? 1 : 2)"
	}
	for text, want := range map[string]string{
		"":                      "not an expression",
		"1 +":                   "not an expression",
		"1 + 2":                 "reads no column",
		"i +":                   "not an expression",
		"missing + 1":           "no column missing",
		"v":                     "list of numbers",
		"i + s":                 "+ is not defined for values of type int and text",
		"not i == 7":            "not is not defined for a value of type int",
		"i ? 1 : 2":             "a condition is true or false",
		"b ? 1 : \"x\"":         "need one type",
		"b < b":                 "< is not defined",
		"s == 1":                "== is not defined",
		"t == d":                "== is not defined",
		"t == l":                "== is not defined",
		"d == \"soon\"":         "is not a date or time",
		"filter([1, 2], # > i)": "no function \"filter\"",
		"map(1..i, #)":          "no function \"map\"",
		"sum([i])":              "no function \"sum\"",
		"i ** 2":                "no operator **",
		"1..i":                  "no operator ..",
		"let x = i; x":          "expressions have no VariableDeclarator",
		"i; j":                  "expressions have no Sequence",
		"{\"a\": i}":            "no Map",
		"s[1:2]":                "no Slice",
		"s matches c":           "a regular expression is a literal text",
		"s matches \"(\"":       "not a regular expression",
		"i in j":                "in needs a list",
		"lower(i)":              "lower needs the operands lower(text)",
		"lower(s, s)":           "lower needs the operands",
		"year(s)":               "year is not defined",
		"coalesce(i)":           "coalesce is not defined",
		"b ? nil : nil":         "always null",
		"env(\"HOME\") + s":     "no function \"env\"",
		"now() > t":             "no function \"now\"",
		"i + " + strings.Repeat("1 + ", 600) + "1": "more than 500",
		deep:                            "more than",
		strings.Repeat("(", 3000) + "i": "",
		strings.Repeat("i", 5000):       "more than 4096 bytes",
	} {
		_, err := computed(t, text, names, columns)
		if err == nil || len(problem.Errors(err)) != 1 || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}

// Names of other characters, and paths into structs, name columns.
func TestExpressionsNameColumns(t *testing.T) {
	names := []string{"trip distance", "address.city", "in"}
	got, err := computed(t, `column("trip distance") + column("in") > 2 ? address.city : "near"`, names,
		[]table.Column{ints(1, 2), texts("Rome", "Oslo"), ints(1, 1)})
	if err != nil || strings.Join(got, " ") != "near Oslo" {
		t.Error(got, err)
	}
}

// pieces are the parts of random expressions, by type.
var pieces = map[string][]string{
	"int": {"i", "j", "k", "7", "-1", "(INT + INT)", "(INT * INT)", "(INT - INT)", "(INT % INT)", "div(INT, INT)", "len(TEXT)",
		"int(TEXT)", "int(FLOAT)", "abs(INT)", "(BOOL ? INT : INT)", "(INT ?? INT)", "year(DATE)", "days(DATE, DATE)", "hour(t)",
		"seconds(t, u)", "coalesce(INT, INT, 0)", "month(DATE)", "day(u)", "weekday(l)", "minute(u)"},
	"float": {"f", "g", "0.5", "(FLOAT + INT)", "(INT / INT)", "(FLOAT * FLOAT)", "(FLOAT / FLOAT)", "round(FLOAT)", "float(TEXT)",
		"(BOOL ? FLOAT : INT)", "(FLOAT % FLOAT)", "floor(FLOAT)", "ceil(FLOAT)", "abs(FLOAT)"},
	"text": {"s", "c", `"b"`, "lower(TEXT)", "upper(TEXT)", "trim(TEXT)", "substring(TEXT, INT, INT)", "(TEXT + TEXT)", "text(INT)",
		"text(FLOAT)", "text(DATE)", `extract(TEXT, "[a-z0-9]+")`, "(BOOL ? TEXT : nil)", "(TEXT ?? TEXT)"},
	"bool": {"b", "true", "(BOOL and BOOL)", "(BOOL or BOOL)", "(not BOOL)", "(INT < FLOAT)", "(FLOAT >= INT)", "(TEXT == TEXT)",
		"(INT in [1, 7, 2])", `(TEXT matches "[0-9]$")`, "(TEXT contains TEXT)", "(DATE < DATE)", "(t < u)", "(INT == nil)"},
	"date": {"d", "e", "date(t)", "date(TEXT)", "(BOOL ? DATE : DATE)"},
}

func randomExpression(r *rand.Rand, kind string, depth int) string {
	list := pieces[kind]
	if depth == 0 {
		list = list[:2]
	}
	text := list[r.IntN(len(list))]
	for {
		at, found := len(text), ""
		for k := range pieces {
			if i := strings.Index(text, strings.ToUpper(k)); i >= 0 && i < at {
				at, found = i, k
			}
		}
		if found == "" {
			return text
		}
		text = text[:at] + randomExpression(r, found, max(depth-1, 0)) + text[at+len(found):]
	}
}

// A derived value depends only on its row: each row has the value that it has in a table of its own, and dictionaries
// give the same values as plain columns. No expression fails.
func TestExpressionsOfRandomShape(t *testing.T) {
	names, columns := sample()
	r := rand.New(rand.NewPCG(3, 5))
	n, tried, values := 750, 0, 0
	if owntest.Checking() {
		n = 3000
	}
	for range n {
		kinds := []string{"int", "float", "text", "bool", "date"}
		text := randomExpression(r, kinds[r.IntN(len(kinds))], 4)
		got, err := computed(t, text, names, columns)
		if err != nil {
			if !strings.Contains(err.Error(), "reads no column") && !strings.Contains(err.Error(), "more than") {
				t.Fatalf("%s: %v", text, err)
			}
			continue
		}
		tried++
		for row := range got {
			alone := make([]table.Column, len(columns))
			for i := range columns {
				alone[i] = columns[i].Slice(row, row+1)
			}
			one, err := computed(t, text, names, alone)
			if err != nil || one[0] != got[row] {
				t.Fatalf("%s: row %d has %s, and %s in a table of its own (%v)", text, row, got[row], one, err)
			}
			if got[row] != "NULL" {
				values++
			}
		}
	}
	if tried < n*2/3 || values < n {
		t.Errorf("%d expressions and %d values were compared", tried, values)
	}
}

// An expression of one column is evaluated once for each value of its dictionary.
func TestExpressionsOfDictionaries(t *testing.T) {
	coded := table.Column{Type: table.Type{Kind: table.String}, Dict: table.NextDictionary(),
		Values: table.Values{Offsets: []uint32{0, 2, 3, 3}, Data: []byte("Abc")}}
	plain := texts()
	for i := range 5000 {
		code := int32(i % 3)
		coded.Codes, coded.Valid = append(coded.Codes, code), append(coded.Valid, i%7 > 0)
		plain.Valid = append(plain.Valid, i%7 > 0)
		plain.Values.Data = append(plain.Values.Data, coded.Values.Bytes(int(code))...)
		plain.Values.Offsets = append(plain.Values.Offsets, uint32(len(plain.Values.Data)))
	}
	for _, text := range []string{"lower(s)", `s ?? "none"`, "len(s)", `s == nil`, `float(s) / 2`} {
		want, err := computed(t, text, []string{"s"}, []table.Column{plain})
		if err != nil {
			t.Fatal(err)
		}
		got, err := computed(t, text, []string{"s"}, []table.Column{coded})
		if err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%s: %v %s", text, err, cmp.Diff(want, got))
		}
	}
}

// Texts that are too long to hold are null: concatenation cannot make a batch of any size.
func TestLongTextsAreNull(t *testing.T) {
	long := strings.Repeat("x", 3000)
	columns := []table.Column{texts(long, "y", strings.Repeat("x", 1<<20+1))}
	for text, want := range map[string]string{`len(s + s)`: "NULL 2 NULL", `len(s)`: "3000 1 NULL", "len(upper(s))": "3000 1 NULL",
		`s matches "x$"`: "true false NULL"} {
		got, err := computed(t, text, []string{"s"}, columns)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func BenchmarkExpression(b *testing.B) {
	n := 1 << 16
	fares, distances := make([]float64, n), make([]float64, n)
	zones := make([]string, n)
	for i := range n {
		fares[i], distances[i], zones[i] = float64(i%50), float64(i%11), fmt.Sprint("Zone ", i%1000)
	}
	names, columns := []string{"fare", "distance", "zone"}, []table.Column{floats(fares...), floats(distances...), texts(zones...)}
	for _, text := range []string{"distance > 0.0 ? fare / distance : 0.0", `lower(zone) matches "^a.*n$" ? 1 : 0`} {
		b.Run(text, func(b *testing.B) {
			e, err := derived.Parse("", "x", text)
			if err != nil {
				b.Fatal(err)
			}
			set, _ := derived.New([]derived.Definition{e})
			var s table.Schema
			for i, name := range names {
				s.Fields = append(s.Fields, table.Field{Name: name, Type: columns[i].Type})
			}
			bound, err := set.Bind(s, nil)
			if err != nil {
				b.Fatal(err)
			}
			run := bound.Evaluator(names)
			for b.Loop() {
				if _, err := run.Extend(&table.Batch{Rows: n, Columns: columns}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
		})
	}
}
