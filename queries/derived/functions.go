package derived

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// function is a function of expressions, such as lower: new compiles a call of it.
type function struct {
	// operands are the kinds of the operands, in order; nil if new checks them itself.
	operands []table.Kind
	new      func(c *compiler, x []*compiled, nodes []ast.Node) *compiled
}

// functions are the functions of expressions, by name.
var functions map[string]function

func init() { //nolint:gochecknoinits // coalesce and extract read the map's own compiler
	texts := []table.Kind{table.String}
	functions = map[string]function{
		"lower":     {texts, textFunction(bytes.ToLower)},
		"upper":     {texts, textFunction(bytes.ToUpper)},
		"trim":      {texts, textFunction(bytes.TrimSpace)},
		"len":       {texts, lengthOf},
		"substring": {[]table.Kind{table.String, table.Int, table.Int}, substring},
		"extract":   {nil, extract},
		"coalesce":  {nil, coalesceAll},
		"div":       {[]table.Kind{table.Int, table.Int}, intFunction(divide)},
		"abs":       {nil, absolute},
		"floor":     {nil, rounded(math.Floor)},
		"ceil":      {nil, rounded(math.Ceil)},
		"round":     {nil, rounded(math.Round)},
		"int":       {nil, toInt},
		"float":     {nil, toNumber},
		"text":      {nil, toText},
		"year":      {nil, timeField(func(t time.Time) int { return t.Year() })},
		"month":     {nil, timeField(func(t time.Time) int { return int(t.Month()) })},
		"day":       {nil, timeField(func(t time.Time) int { return t.Day() })},
		"weekday":   {nil, timeField(func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 })},
		"hour":      {nil, timeField(func(t time.Time) int { return t.Hour() })},
		"minute":    {nil, timeField(func(t time.Time) int { return t.Minute() })},
		"date":      {nil, toDate},
		"days": {[]table.Kind{table.Date, table.Date}, intFunction(func(a, b int64) (int64,
			bool) {
			return integerOperators["-"](b, a)
		})},
		"seconds": {[]table.Kind{table.Timestamp, table.Timestamp}, seconds},
	}
}

func (c *compiler) call(n ast.Node) *compiled {
	name, nodes := called(n)
	f, ok := functions[name]
	if !ok {
		c.hint = "functions: " + strings.Join(slices.Sorted(maps.Keys(functions)), ", ")
		return c.refuse("expressions have no function %q", name)
	}
	var x []*compiled
	for _, operand := range nodes {
		x = append(x, c.compile(operand))
	}
	if c.message != "" {
		return c.refuse("")
	}
	if f.operands != nil {
		fits := len(x) == len(f.operands)
		for i := range min(len(x), len(f.operands)) {
			fits = fits && x[i].typ.Kind == f.operands[i]
		}
		if !fits {
			return c.mismatch(name, f.operands)
		}
	}
	out := f.new(c, x, nodes)
	if out == nil {
		return c.mismatch(name, nil)
	}
	return out
}

// mismatch reports a call with operands of other kinds than want.
func (c *compiler) mismatch(name string, want []table.Kind) *compiled {
	if want == nil {
		return c.refuse("%s is not defined for these operands", name)
	}
	kinds := make([]string, len(want))
	for i, k := range want {
		kinds[i] = k.String()
	}
	return c.refuse("%s needs the operands %s(%s)", name, name, strings.Join(kinds, ", "))
}

// textFunction compiles a function f that changes a text, character by character. The result is null if the text is not
// UTF-8 or if the result is too long.
func textFunction(f func([]byte) []byte) func(*compiler, []*compiled, []ast.Node) *compiled {
	return func(_ *compiler, x []*compiled, _ []ast.Node) *compiled {
		return each(textType, x, func(out *vector, in []*vector, i int) bool {
			text := in[0].texts[i]
			if len(text) > maxText || !utf8.Valid(text) {
				return false
			}
			out.texts[i] = f(text)
			return true
		})
	}
}

func intFunction(f func(a, b int64) (int64, bool)) func(*compiler, []*compiled, []ast.Node) *compiled {
	return func(_ *compiler, x []*compiled, _ []ast.Node) *compiled {
		return each(intType, x, func(out *vector, in []*vector, i int) (ok bool) {
			out.ints[i], ok = f(in[0].ints[i], in[1].ints[i])
			return ok
		})
	}
}

// lengthOf returns the number of characters.
func lengthOf(_ *compiler, x []*compiled, _ []ast.Node) *compiled {
	return each(intType, x, func(out *vector, in []*vector, i int) bool {
		out.ints[i] = int64(utf8.RuneCount(in[0].texts[i]))
		return utf8.Valid(in[0].texts[i])
	})
}

// substring returns up to length characters of a text, from a position counted from 1. Positions outside the text are
// skipped.
func substring(_ *compiler, x []*compiled, _ []ast.Node) *compiled {
	return each(textType, x, func(out *vector, in []*vector, i int) bool {
		text, from, length := in[0].texts[i], in[1].ints[i], in[2].ints[i]
		if !utf8.Valid(text) {
			return false
		}
		if from < 1 {
			length = max(max(length, 0)+from, 1) - 1
			from = 1
		}
		text = skipCharacters(text, from-1)
		out.texts[i] = text[:len(text)-len(skipCharacters(text, max(length, 0)))]
		return true
	})
}

func skipCharacters(text []byte, n int64) []byte {
	for ; n > 0 && len(text) > 0; n-- {
		_, size := utf8.DecodeRune(text)
		text = text[size:]
	}
	return text
}

// extract returns the first group of the first match of a regular expression, or the whole match if there is no group;
// null if there is no match.
func extract(c *compiler, x []*compiled, nodes []ast.Node) *compiled {
	if len(x) != 2 || x[0].typ != textType {
		return nil
	}
	re := c.pattern(nodes[1])
	if re == nil {
		return x[0]
	}
	group := 2 * min(re.NumSubexp(), 1)
	return each(textType, x[:1], func(out *vector, in []*vector, i int) bool {
		at := re.FindSubmatchIndex(in[0].texts[i])
		if at == nil || at[group] < 0 {
			return false
		}
		out.texts[i] = in[0].texts[i][at[group]:at[group+1]]
		return true
	})
}

func coalesceAll(c *compiler, x []*compiled, _ []ast.Node) *compiled {
	if len(x) < 2 {
		return nil
	}
	out := x[len(x)-1]
	for i := len(x) - 2; i >= 0; i-- {
		out = c.coalesce(x[i], out)
	}
	return out
}

func absolute(_ *compiler, x []*compiled, _ []ast.Node) *compiled {
	if len(x) != 1 || !isNumber(x[0].typ) {
		return nil
	}
	return each(x[0].typ, x, func(out *vector, in []*vector, i int) bool {
		if x[0].typ.Kind == table.Float {
			out.floats[i] = math.Abs(in[0].floats[i])
			return true
		}
		out.ints[i] = max(in[0].ints[i], -in[0].ints[i])
		return in[0].ints[i] != math.MinInt64
	})
}

func rounded(f func(float64) float64) func(*compiler, []*compiled, []ast.Node) *compiled {
	return func(_ *compiler, x []*compiled, _ []ast.Node) *compiled {
		switch {
		case len(x) != 1 || !isNumber(x[0].typ):
			return nil
		case x[0].typ == intType:
			return x[0]
		}
		return each(floatType, x, func(out *vector, in []*vector, i int) bool {
			out.floats[i] = f(in[0].floats[i])
			return true
		})
	}
}

// toInt converts a float (dropping its fraction), a text of decimal digits, or a boolean to an integer.
func toInt(_ *compiler, x []*compiled, _ []ast.Node) *compiled {
	if len(x) != 1 || !isNumber(x[0].typ) && x[0].typ != textType && x[0].typ != boolType {
		return nil
	}
	return each(intType, x, func(out *vector, in []*vector, i int) bool {
		switch x[0].typ.Kind {
		case table.Float:
			v := math.Trunc(in[0].floats[i])
			if v < -1<<63 || v >= 1<<63 {
				return false
			}
			out.ints[i] = int64(v)
		case table.String:
			v, err := strconv.ParseInt(string(in[0].texts[i][:min(len(in[0].texts[i]), 32)]), 10, 64)
			out.ints[i] = v
			return err == nil && len(in[0].texts[i]) <= 32
		default:
			out.ints[i] = in[0].ints[i]
		}
		return true
	})
}

// toNumber converts an integer or a text to a float.
func toNumber(_ *compiler, x []*compiled, _ []ast.Node) *compiled {
	switch {
	case len(x) != 1:
		return nil
	case isNumber(x[0].typ):
		return toFloat(x[0])
	case x[0].typ != textType:
		return nil
	}
	return each(floatType, x, func(out *vector, in []*vector, i int) bool {
		v, ok := domain.ParseFloat(in[0].texts[i])
		out.floats[i] = v
		return ok && isFinite(v)
	})
}

// toText converts a value to text, as it is written in the tables of a release.
func toText(_ *compiler, x []*compiled, _ []ast.Node) *compiled {
	switch {
	case len(x) != 1 || !columnar.HasCanonicalForm(x[0].typ):
		return nil
	case x[0].typ == textType:
		return x[0]
	}
	t := x[0].typ
	return each(textType, x, func(out *vector, in []*vector, i int) bool {
		word := uint64(0)
		if t.Kind == table.Float {
			word = math.Float64bits(in[0].floats[i])
		} else {
			word = uint64(in[0].ints[i])
		}
		out.texts[i] = columnar.AppendWord(nil, word, t)
		return true
	})
}

// calendarTime converts a value of a date or time column to a time whose fields can be read; ok is false outside of the
// years 1 to 9999.
func calendarTime(x int64, t table.Type, zone *time.Location) (at time.Time, ok bool) {
	if t.Kind == table.Date {
		if x < columnar.FirstDay || x > columnar.LastDay {
			return at, false
		}
		return time.Unix(x*columnar.DaySeconds, 0).UTC(), true
	}
	perSecond := int64(time.Second) / t.Unit
	second, _ := divide(x, perSecond)
	if second < domain.FirstSecond || second > domain.LastSecond {
		return at, false
	}
	at = time.Unix(second, 0).UTC()
	if t.Zone == table.UTC {
		at = at.In(zone)
	}
	return at, at.Year() >= 1 && at.Year() <= 9999
}

// timeField compiles a function that returns a field, such as the hour, of a date or time. Instants are read in the
// job's zone.
func timeField(f func(time.Time) int) func(*compiler, []*compiled, []ast.Node) *compiled {
	return func(c *compiler, x []*compiled, _ []ast.Node) *compiled {
		if len(x) != 1 || !isTime(x[0].typ) || !columnar.HasCanonicalForm(x[0].typ) {
			return nil
		}
		t, zone := x[0].typ, c.zone
		return each(intType, x, func(out *vector, in []*vector, i int) bool {
			at, ok := calendarTime(in[0].ints[i], t, zone)
			out.ints[i] = int64(f(at))
			return ok
		})
	}
}

// toDate returns the day of a time, or of a text YYYY-MM-DD.
func toDate(c *compiler, x []*compiled, _ []ast.Node) *compiled {
	if len(x) != 1 || !columnar.HasCanonicalForm(x[0].typ) {
		return nil
	}
	t, zone := x[0].typ, c.zone
	switch {
	case t == dateType:
		return x[0]
	case t == textType:
		return each(dateType, x, func(out *vector, in []*vector, i int) bool {
			if len(in[0].texts[i]) != len(time.DateOnly) {
				return false
			}
			at, err := time.Parse(time.DateOnly, string(in[0].texts[i]))
			out.ints[i] = at.Unix() / columnar.DaySeconds
			return err == nil && at.Year() >= 1
		})
	case t.Kind != table.Timestamp:
		return nil
	}
	return each(dateType, x, func(out *vector, in []*vector, i int) bool {
		at, ok := calendarTime(in[0].ints[i], t, zone)
		y, m, d := at.Date()
		out.ints[i], _ = divide(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix(), columnar.DaySeconds)
		return ok
	})
}

// seconds returns the number of whole seconds from one time to another of the same type, rounded down.
func seconds(_ *compiler, x []*compiled, _ []ast.Node) *compiled {
	if x[0].typ != x[1].typ || !columnar.HasCanonicalForm(x[0].typ) {
		return nil
	}
	perSecond := int64(time.Second) / x[0].typ.Unit
	return each(intType, x, func(out *vector, in []*vector, i int) bool {
		units, ok := integerOperators["-"](in[1].ints[i], in[0].ints[i])
		out.ints[i], _ = divide(units, perSecond)
		return ok
	})
}
