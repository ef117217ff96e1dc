package derived

import (
	"bytes"
	"cmp"
	"math"
	"math/bits"
	"regexp"

	"github.com/expr-lang/expr/ast"

	"github.com/dprelease/dprelease/io/table"
)

func (c *compiler) unary(n *ast.UnaryNode) *compiled {
	x := c.compile(n.Node)
	switch {
	case c.message != "":
		return x
	case (n.Operator == "not" || n.Operator == "!") && x.typ == boolType:
		return each(boolType, []*compiled{x}, func(out *vector, in []*vector, i int) bool {
			out.ints[i] = 1 - in[0].ints[i]
			return true
		})
	case n.Operator == "+" && isNumber(x.typ):
		return x
	case n.Operator == "-" && isNumber(x.typ):
		return each(x.typ, []*compiled{x}, func(out *vector, in []*vector, i int) bool {
			if x.typ.Kind == table.Float {
				out.floats[i] = -in[0].floats[i]
				return true
			}
			out.ints[i] = -in[0].ints[i]
			return in[0].ints[i] != math.MinInt64
		})
	}
	c.hint = "not comes before == and in: write not (a == b)"
	return c.refuse("%s is not defined for a value of type %s", n.Operator, x.typ)
}

func (c *compiler) binary(n *ast.BinaryNode) *compiled {
	if n.Operator == "in" {
		return c.in(n)
	}
	a, b := c.compile(n.Left), c.compile(n.Right)
	if c.message != "" {
		return a
	}
	switch n.Operator {
	case "and", "&&", "or", "||":
		return c.logic(n.Operator == "and" || n.Operator == "&&", a, b)
	case "??":
		return c.coalesce(a, b)
	case "matches":
		return c.matches(a, n.Right)
	case "contains", "startsWith", "endsWith":
		return c.within(n.Operator, a, b)
	case "==", "!=", "<", "<=", ">", ">=":
		return c.compare(n.Operator, a, b)
	case "+", "-", "*", "/", "%":
		return c.arithmetic(n.Operator, a, b)
	}
	return c.refuse("expressions have no operator %s", n.Operator)
}

// logic compiles `and` or `or` with three values: false, true and null.
func (c *compiler) logic(and bool, a, b *compiled) *compiled {
	for _, x := range []*compiled{a, b} {
		if x.typ.Kind == table.Invalid {
			x.typ = boolType
		}
		if x.typ != boolType {
			return c.refuse("and, or: a value of type %s is not true or false", x.typ)
		}
	}
	decides := int64(1)
	if and {
		decides = 0
	}
	var out vector
	return &compiled{typ: boolType, run: func(n int) *vector {
		x, y := a.run(n), b.run(n)
		out.resize(n, table.Bool)
		for i := range n {
			switch {
			case x.valid[i] && x.ints[i] == decides, y.valid[i] && y.ints[i] == decides:
				out.ints[i], out.valid[i] = decides, true
			default:
				out.ints[i], out.valid[i] = 1-decides, x.valid[i] && y.valid[i]
			}
		}
		return &out
	}}
}

// choose compiles a choice between a and b: a row gets a's value if first reports true for it, otherwise b's. a and b
// are evaluated once each; first gets the vector of a.
func choose(a, b *compiled, first func(n int, x *vector) func(i int) bool) *compiled {
	var out vector
	t := a.typ
	return &compiled{typ: t, run: func(n int) *vector {
		x, y := a.run(n), b.run(n)
		is := first(n, x)
		out.resize(n, t.Kind)
		for i := range n {
			from := y
			if is(i) {
				from = x
			}
			out.valid[i] = from.valid[i]
			switch t.Kind {
			case table.Float:
				out.floats[i] = from.floats[i]
			case table.String:
				out.texts[i] = from.texts[i]
			default:
				out.ints[i] = from.ints[i]
			}
		}
		return &out
	}}
}

func (c *compiler) conditional(n *ast.ConditionalNode) *compiled {
	condition := c.compile(n.Cond)
	a, b := c.compile(n.Exp1), c.compile(n.Exp2)
	if c.message != "" {
		return a
	}
	if condition.typ != boolType {
		return c.refuse("a condition is true or false, and this one is of type %s", condition.typ)
	}
	a, b, ok := c.unify(a, b)
	if !ok {
		return c.refuse("both values of a condition need one type, and they are %s and %s", a.typ, b.typ)
	}
	return choose(a, b, func(n int, _ *vector) func(int) bool {
		v := condition.run(n)
		return func(i int) bool { return v.valid[i] && v.ints[i] != 0 }
	})
}

func (c *compiler) coalesce(a, b *compiled) *compiled {
	a, b, ok := c.unify(a, b)
	if !ok {
		return c.refuse("coalesce needs values of one type, and they are %s and %s", a.typ, b.typ)
	}
	return choose(a, b, func(_ int, x *vector) func(int) bool {
		return func(i int) bool { return x.valid[i] }
	})
}

// compare compiles a comparison. Numbers are compared by value, texts byte by byte, dates and times with the same type.
// Booleans have only == and !=, and so does nil.
func (c *compiler) compare(operator string, a, b *compiled) *compiled {
	equality := operator == "==" || operator == "!="
	if b.typ.Kind == table.Invalid {
		a, b = b, a
	}
	if a.typ.Kind == table.Invalid && equality {
		return isNull(b, operator == "==")
	}
	mixed := isNumber(a.typ) && isNumber(b.typ) && a.typ != b.typ
	if !mixed {
		var ok bool
		if a, b, ok = c.unify(a, b); !ok || a.typ.Kind == table.Invalid || a.typ == boolType && !equality {
			c.hint = "values of one type are compared; date(t) is the day of a time, and int, float and text convert"
			return c.refuse("%s is not defined for values of type %s and %s", operator, a.typ, b.typ)
		}
	}
	holds := map[string][3]bool{"==": {false, true, false}, "!=": {true, false, true}, "<": {true, false, false},
		"<=": {true, true, false}, ">": {false, false, true}, ">=": {false, true, true}}[operator]
	kind, left := a.typ.Kind, a.typ.Kind
	return each(boolType, []*compiled{a, b}, func(out *vector, in []*vector, i int) bool {
		order := 0
		switch {
		case mixed && left == table.Int:
			order = compareMixed(in[0].ints[i], in[1].floats[i])
		case mixed:
			order = -compareMixed(in[1].ints[i], in[0].floats[i])
		case kind == table.Float:
			order = cmp.Compare(in[0].floats[i], in[1].floats[i])
		case kind == table.String:
			order = bytes.Compare(in[0].texts[i], in[1].texts[i])
		default:
			order = cmp.Compare(in[0].ints[i], in[1].ints[i])
		}
		out.ints[i] = 0
		if holds[order+1] {
			out.ints[i] = 1
		}
		return true
	})
}

// isNull compiles a test: whether x is null (if null is set), or is not null.
func isNull(x *compiled, null bool) *compiled {
	var out vector
	return &compiled{typ: boolType, run: func(n int) *vector {
		v := x.run(n)
		out.resize(n, table.Bool)
		for i := range n {
			out.valid[i], out.ints[i] = true, 0
			if v.valid[i] != null {
				out.ints[i] = 1
			}
		}
		return &out
	}}
}

// compareMixed compares an integer with a float exactly. The float is not NaN.
func compareMixed(a int64, b float64) int {
	switch {
	case b >= 1<<63:
		return -1
	case b < -1<<63:
		return 1
	}
	whole := math.Floor(b)
	if order := cmp.Compare(a, int64(whole)); order != 0 || whole == b {
		return order
	}
	return -1
}

// in compiles `x in [a, b]`: whether x equals one of the literals.
func (c *compiler) in(n *ast.BinaryNode) *compiled {
	list, ok := n.Right.(*ast.ArrayNode)
	if !ok || len(list.Nodes) == 0 {
		return c.refuse("in needs a list of values: zone in [1, 2]")
	}
	left := c.compile(n.Left)
	var value *vector // the values of the left operand, which is evaluated once
	var equal *compiled
	for _, item := range list.Nodes {
		x := c.compile(item)
		if c.message != "" {
			return x
		}
		is := c.compare("==", &compiled{typ: left.typ, run: func(int) *vector { return value }}, x)
		if equal == nil {
			equal = is
		} else {
			equal = c.logic(false, equal, is)
		}
	}
	return &compiled{typ: boolType, run: func(n int) *vector {
		value = left.run(n)
		return equal.run(n)
	}}
}

func (c *compiler) within(operator string, a, b *compiled) *compiled {
	if a.typ != textType || b.typ != textType {
		return c.refuse("%s is defined for texts", operator)
	}
	test := map[string]func(s, part []byte) bool{"contains": bytes.Contains, "startsWith": bytes.HasPrefix,
		"endsWith": bytes.HasSuffix}[operator]
	return each(boolType, []*compiled{a, b}, func(out *vector, in []*vector, i int) bool {
		out.ints[i] = 0
		if test(in[0].texts[i], in[1].texts[i]) {
			out.ints[i] = 1
		}
		return true
	})
}

func (c *compiler) matches(a *compiled, pattern ast.Node) *compiled {
	re := c.pattern(pattern)
	if c.message != "" {
		return a
	}
	if a.typ != textType {
		return c.refuse("matches is defined for texts")
	}
	return each(boolType, []*compiled{a}, func(out *vector, in []*vector, i int) bool {
		out.ints[i] = 0
		if re.Match(in[0].texts[i]) {
			out.ints[i] = 1
		}
		return true
	})
}

// pattern compiles the regular expression in a literal. Searching takes time linear in the text's length.
func (c *compiler) pattern(n ast.Node) *regexp.Regexp {
	text, ok := n.(*ast.StringNode)
	if !ok || len(text.Value) > maxPattern {
		c.refuse("a regular expression is a literal text of at most %d bytes", maxPattern)
		return nil
	}
	re, err := regexp.Compile(text.Value)
	if err != nil {
		c.hint = "the syntax is RE2's: https://golang.org/s/re2syntax"
		c.refuse("not a regular expression: %v", err)
	}
	return re
}

// arithmetic compiles + - * / % of numbers, and + of texts. Dividing integers gives a float. The result is null if it
// overflows, divides by zero or is not finite.
func (c *compiler) arithmetic(operator string, a, b *compiled) *compiled {
	if operator == "+" && a.typ == textType && b.typ == textType {
		return each(textType, []*compiled{a, b}, func(out *vector, in []*vector, i int) bool {
			if len(in[0].texts[i])+len(in[1].texts[i]) > maxText {
				return false
			}
			out.texts[i] = append(append([]byte(nil), in[0].texts[i]...), in[1].texts[i]...)
			return true
		})
	}
	if !isNumber(a.typ) || !isNumber(b.typ) {
		c.hint = "days(a, b) and seconds(a, b) are the differences of dates and of times; int, float and text convert"
		return c.refuse("%s is not defined for values of type %s and %s", operator, a.typ, b.typ)
	}
	if a.typ == intType && b.typ == intType && operator != "/" {
		compute := integerOperators[operator]
		return each(intType, []*compiled{a, b}, func(out *vector, in []*vector, i int) (ok bool) {
			out.ints[i], ok = compute(in[0].ints[i], in[1].ints[i])
			return ok
		})
	}
	compute := floatOperators[operator]
	return each(floatType, []*compiled{toFloat(a), toFloat(b)}, func(out *vector, in []*vector, i int) bool {
		out.floats[i] = compute(in[0].floats[i], in[1].floats[i])
		return isFinite(out.floats[i])
	})
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// integerOperators compute with integers. They return false if the result is not an int64.
var integerOperators = map[string]func(a, b int64) (int64, bool){
	"+": func(a, b int64) (int64, bool) { return a + b, (a+b > a) == (b > 0) },
	"-": func(a, b int64) (int64, bool) { return a - b, (a-b < a) == (b > 0) },
	"*": multiply,
	"%": func(a, b int64) (int64, bool) {
		if b == 0 {
			return 0, false
		}
		return a % b, true
	},
}

// floatOperators compute with floats. A result that does not exist is NaN or infinite.
var floatOperators = map[string]func(a, b float64) float64{
	"+": func(a, b float64) float64 { return a + b },
	"-": func(a, b float64) float64 { return a - b },
	"*": func(a, b float64) float64 { return a * b },
	"/": func(a, b float64) float64 { return a / b },
	"%": math.Mod,
}

func multiply(a, b int64) (int64, bool) {
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	negative := (a < 0) != (b < 0)
	switch {
	case high != 0:
		return 0, false
	case negative:
		return -int64(low), low <= 1<<63
	}
	return int64(low), low < 1<<63
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// divide returns a/b, rounded down.
func divide(a, b int64) (int64, bool) {
	if b == 0 || a == math.MinInt64 && b == -1 {
		return 0, false
	}
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q, true
}
