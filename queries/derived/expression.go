package derived

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// Expressions: columns that are computed from columns of the same row
//
// Package expr parses the text. This package checks the types and evaluates by columns: each operator is a loop over
// the rows of a batch (docs/adr/0043). An expression has no loops and no variables, so the lengths of the expression
// and of the row's texts bound the time for a row.
//
// Every operator has a value or null for every row, and no error. An operator with a null operand is null, except: `a
// and b` is false if one is false, `a or b` is true if one is true, `c ? a : b` takes b if c is null, and `a ?? b`,
// coalesce and `a == nil` look at nulls. A result is also null if it overflows, divides by zero, is not finite or does
// not parse. NaN in a column of the input is null.

// Expression is a column that an expression computes.
type Expression struct {
	field, name string
	root        ast.Node
	reads       []string
}

// Limits of expressions and their texts, in bytes.
const (
	// maxExpression is the longest expression.
	maxExpression = 4096
	// maxText is the longest text that an expression returns; a longer one is null. A batch of such texts has 256 MiB.
	maxText = 4096
	// maxInput is the longest text of the input that an expression reads; a longer one is null.
	maxInput = 1 << 20
	// maxPattern is the longest regular expression.
	maxPattern = 1024
	// maxNodes is the largest number of operators, columns and literals in an expression.
	maxNodes = 500
)

// Parse parses an expression. field is its path in the job, name the column that it makes. It returns an error if the
// text is not an expression or reads no column.
func Parse(field, name, text string) (*Expression, error) {
	e := &Expression{field: field, name: name}
	bad := func(message, hint string) (*Expression, error) {
		return nil, problem.One("", field, problem.CodeBadValue, message, hint)
	}
	if len(text) > maxExpression {
		return bad(fmt.Sprintf("the expression has more than %d bytes", maxExpression), "split it: an expression can read "+
			"other derived columns")
	}
	tree, err := parse(text)
	if err != nil {
		return bad("not an expression: "+strings.ReplaceAll(err.Error(), "\n", " "), "for example "+
			`distance > 0 ? fare / distance : nil`)
	}
	e.root = tree.Node
	e.gather(tree.Node)
	if c := (&compiler{zone: time.UTC}); len(e.reads) == 0 {
		if c.compile(e.root); c.message != "" {
			return bad(c.message, c.hint)
		}
		return bad("the expression reads no column", "name columns of the input, or column(\"NAME\") if a name has other "+
			"characters than letters, digits and _")
	}
	return e, nil
}

// parse parses an expression. If the parser panics, it returns an error: the plan fails before any row is read.
func parse(text string) (tree *parser.Tree, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return parser.Parse(text)
}

// Reads implements Definition.
func (e *Expression) Reads() []string { return e.reads }

// Makes implements Definition.
func (e *Expression) Makes() []string { return []string{e.name} }

func (e *Expression) place() string { return e.field }

// gather adds the columns that a node reads to e.reads.
func (e *Expression) gather(n ast.Node) {
	if name, ok := columnName(n); ok {
		if !slices.Contains(e.reads, name) {
			e.reads = append(e.reads, name)
		}
		return
	}
	for _, child := range children(n) {
		e.gather(child)
	}
}

// columnName returns the column that a node names. The node is an identifier (fare), identifiers with points between
// them (trip.fare), or column("NAME").
func columnName(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value, true
	case *ast.MemberNode:
		before, ok := columnName(n.Node)
		after, plain := n.Property.(*ast.StringNode)
		if ok && plain && !n.Method && !n.Optional {
			return before + "." + after.Value, true
		}
	case *ast.CallNode:
		if name, args := called(n); name == "column" && len(args) == 1 {
			if text, ok := args[0].(*ast.StringNode); ok {
				return text.Value, true
			}
		}
	}
	return "", false
}

// called returns the function that a node calls, and its arguments.
func called(n ast.Node) (string, []ast.Node) {
	switch n := n.(type) {
	case *ast.CallNode:
		if f, ok := n.Callee.(*ast.IdentifierNode); ok {
			return f.Value, n.Arguments
		}
	case *ast.BuiltinNode:
		return n.Name, n.Arguments
	}
	return "", nil
}

// children returns the operands of a node; nil for a node that is not allowed, which compile refuses.
func children(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.UnaryNode:
		return []ast.Node{n.Node}
	case *ast.BinaryNode:
		return []ast.Node{n.Left, n.Right}
	case *ast.ConditionalNode:
		return []ast.Node{n.Cond, n.Exp1, n.Exp2}
	case *ast.ArrayNode:
		return n.Nodes
	case *ast.CallNode, *ast.BuiltinNode:
		_, args := called(n)
		return args
	}
	return nil
}

func (e *Expression) bind(types []table.Type, zone *time.Location, p *problem.Problems) ([]table.Type, func() program) {
	compile := func() (*compiler, *compiled) {
		c := &compiler{zone: zone}
		if c.zone == nil {
			c.zone = time.UTC
		}
		for i, name := range e.reads {
			c.columns = append(c.columns, &input{name: name, typ: types[i]})
		}
		return c, c.compile(e.root)
	}
	c, out := compile()
	if c.message == "" && out.typ.Kind == table.Invalid {
		c.refuse("the expression is always null")
	}
	if c.message != "" {
		p.Add(e.field, problem.CodeBadValue, c.message, c.hint)
		return nil, nil
	}
	return []table.Type{out.typ}, func() program {
		c, out := compile()
		return &expressionProgram{inputs: c.columns, root: out}
	}
}

// compiled evaluates a checked expression, for one goroutine. run computes n rows; before it, the caller sets the
// inputs.
type compiled struct {
	typ table.Type // type of the result; of kind Invalid if the result is always null
	run func(n int) *vector
	// literal is set if the expression is a text literal. Next to a date or time it is read as one.
	literal *ast.StringNode
}

// vector holds the values of some rows. Its type says which slice holds them. Texts may share memory with the input.
type vector struct {
	valid  []bool
	ints   []int64 // integers, booleans, dates and timestamps
	floats []float64
	texts  [][]byte
}

// resize gives the vector n rows, whose values are unspecified.
func (v *vector) resize(n int, kind table.Kind) {
	v.valid = slices.Grow(v.valid[:0], n)[:n]
	switch kind {
	case table.Float:
		v.floats = slices.Grow(v.floats[:0], n)[:n]
	case table.String:
		v.texts = slices.Grow(v.texts[:0], n)[:n]
	default:
		v.ints = slices.Grow(v.ints[:0], n)[:n]
	}
}

// input is a column that an expression reads, with the vector of its current rows.
type input struct {
	name string
	typ  table.Type
	vector
}

// kindRead returns the type that values of a column have in expressions.
func kindRead(t table.Type) table.Type {
	if t.Kind == table.Uint {
		return table.Type{Kind: table.Int}
	}
	return t
}

// compiler checks the types of an expression and compiles it. It keeps the first problem.
type compiler struct {
	columns       []*input
	zone          *time.Location
	nodes         int // number of nodes compiled so far
	message, hint string
}

func (c *compiler) refuse(format string, args ...any) *compiled {
	if c.message == "" {
		c.message = fmt.Sprintf(format, args...)
	}
	return &compiled{run: func(int) *vector { return nil }}
}

var (
	boolType  = table.Type{Kind: table.Bool}
	intType   = table.Type{Kind: table.Int}
	floatType = table.Type{Kind: table.Float}
	textType  = table.Type{Kind: table.String}
	dateType  = table.Type{Kind: table.Date}
)

func isNumber(t table.Type) bool { return t.Kind == table.Int || t.Kind == table.Float }

// compile compiles a node and its operands.
func (c *compiler) compile(n ast.Node) *compiled {
	if c.nodes++; c.nodes > maxNodes {
		c.refuse("the expression has more than %d operators, columns and literals", maxNodes)
	}
	if c.message != "" {
		return c.refuse("")
	}
	if name, ok := columnName(n); ok {
		return c.column(name)
	}
	switch n := n.(type) {
	case *ast.NilNode:
		return c.null()
	case *ast.BoolNode:
		x := int64(0)
		if n.Value {
			x = 1
		}
		return constant(boolType, func(v *vector, i int) { v.ints[i] = x })
	case *ast.IntegerNode:
		return constant(intType, func(v *vector, i int) { v.ints[i] = int64(n.Value) })
	case *ast.FloatNode:
		return constant(floatType, func(v *vector, i int) { v.floats[i] = n.Value })
	case *ast.StringNode:
		text := []byte(n.Value)
		out := constant(textType, func(v *vector, i int) { v.texts[i] = text })
		out.literal = n
		return out
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ConditionalNode:
		return c.conditional(n)
	case *ast.CallNode, *ast.BuiltinNode:
		return c.call(n)
	}
	return c.refuse("expressions have no %s", strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast."),
		"Node"))
}

func (c *compiler) column(name string) *compiled {
	at := slices.IndexFunc(c.columns, func(in *input) bool { return in.name == name })
	in := c.columns[at]
	if in.typ.Kind == table.List || in.typ.Kind == table.Invalid {
		return c.refuse("column %s is of type %s, which expressions do not read", name, in.typ)
	}
	return &compiled{typ: kindRead(in.typ), run: func(int) *vector { return &in.vector }}
}

// null compiles `nil`. It takes the type of the other operand.
func (c *compiler) null() *compiled {
	var v vector
	return &compiled{run: func(n int) *vector {
		v.valid, v.ints = slices.Grow(v.valid[:0], n)[:n], slices.Grow(v.ints[:0], n)[:n]
		v.floats, v.texts = slices.Grow(v.floats[:0], n)[:n], slices.Grow(v.texts[:0], n)[:n]
		clear(v.valid)
		return &v
	}}
}

// constant compiles a literal. set writes its value into row i of a vector.
func constant(t table.Type, set func(v *vector, i int)) *compiled {
	var v vector
	return &compiled{typ: t, run: func(n int) *vector {
		if len(v.valid) < n { // rows that a longer batch has filled already keep the value
			v.resize(n, t.Kind)
			for i := range n {
				v.valid[i] = true
				set(&v, i)
			}
		}
		return &v
	}}
}

// each compiles a function that is applied row by row. set computes row i and returns false if the result is null. If
// an operand is null, the result is null and set is not called.
func each(t table.Type, operands []*compiled, set func(out *vector, in []*vector, i int) bool) *compiled {
	var out vector
	in := make([]*vector, len(operands))
	return &compiled{typ: t, run: func(n int) *vector {
		for k := range operands {
			in[k] = operands[k].run(n)
		}
		out.resize(n, t.Kind)
		for i := range n {
			ok := true
			for k := range in {
				ok = ok && in[k].valid[i]
			}
			out.valid[i] = ok && set(&out, in, i)
		}
		return &out
	}}
}

// toFloat converts integers to the nearest floats.
func toFloat(x *compiled) *compiled {
	if x.typ.Kind == table.Float {
		return x
	}
	return each(floatType, []*compiled{x}, func(out *vector, in []*vector, i int) bool {
		out.floats[i] = float64(in[0].ints[i])
		return true
	})
}

// unify converts two operands to one type. An integer beside a float becomes a float, a text literal beside a date or
// time becomes a date or time, and nil takes any type. It returns false if that is not possible.
func (c *compiler) unify(a, b *compiled) (*compiled, *compiled, bool) {
	switch {
	case a.typ.Kind == table.Invalid:
		a.typ = b.typ
	case b.typ.Kind == table.Invalid:
		b.typ = a.typ
	case isNumber(a.typ) && isNumber(b.typ) && a.typ != b.typ:
		a, b = toFloat(a), toFloat(b)
	case isTime(a.typ) && b.literal != nil:
		b = c.timeOf(b.literal, a.typ)
	case isTime(b.typ) && a.literal != nil:
		a = c.timeOf(a.literal, b.typ)
	}
	return a, b, a.typ == b.typ || c.message != ""
}

func isTime(t table.Type) bool { return t.Kind == table.Date || t.Kind == table.Timestamp }

// timeOf parses a literal as a date or time.
func (c *compiler) timeOf(n *ast.StringNode, t table.Type) *compiled {
	x, err := domain.ParseInt(n.Value, t, c.zone)
	if err != nil {
		return c.refuse("%s", err.Message)
	}
	return constant(t, func(v *vector, i int) { v.ints[i] = x })
}

// expressionProgram evaluates an expression for batches. A column without a dictionary is valid until the next call.
// The values of a dictionary stay valid, because later batches may hold them too.
type expressionProgram struct {
	inputs  []*input
	root    *compiled
	out     table.Column
	present []bool // whether each row of out, or each entry of its dictionary, has a value
	dict    uint64 // number of the dictionary whose values are in out; 0 if there is none
	codes   []int32
	valid   []bool
}

// chunkRows is how many rows are evaluated at a time, so that intermediate results stay in the processor's cache.
const chunkRows = 1024

func (p *expressionProgram) run(b *table.Batch, at []int) ([]table.Column, error) {
	columns := make([]*table.Column, len(at))
	for k, in := range p.inputs {
		if columns[k] = &b.Columns[at[k]]; columns[k].Type != in.typ || columns[k].Len() < b.Rows {
			return nil, errShape
		}
	}
	if c := columns[0]; len(at) == 1 && c.Codes != nil && c.Values.Len(c.Type.Kind) < b.Rows {
		return p.runDictionary(c, b.Rows), nil
	}
	p.begin()
	p.add(columns, b.Rows)
	p.out.Valid = p.present
	return []table.Column{p.out}, nil
}

// runDictionary evaluates the expression once for each value of a dictionary, and once for null.
func (p *expressionProgram) runDictionary(c *table.Column, rows int) []table.Column {
	null := c.Values.Len(c.Type.Kind)
	if p.dict == 0 || p.dict != c.Dict {
		p.out = table.Column{} // earlier batches may still use the memory of the previous dictionary
		p.begin()
		p.add([]*table.Column{{Type: c.Type, Values: c.Values}}, null)
		p.addNull()
		p.dict, p.out.Dict = c.Dict, table.NextDictionary()
	}
	p.codes, p.valid = slices.Grow(p.codes[:0], rows)[:rows], slices.Grow(p.valid[:0], rows)[:rows]
	for i := range rows {
		code := int32(null)
		if !c.IsNull(i) {
			code = int32(c.Index(i))
		}
		p.codes[i], p.valid[i] = code, p.present[code]
	}
	out := p.out
	out.Codes, out.Valid = p.codes, p.valid
	return []table.Column{out}
}

// begin empties out.
func (p *expressionProgram) begin() {
	if p.dict != 0 {
		p.out = table.Column{}
	}
	v := &p.out.Values
	p.dict, p.present = 0, p.present[:0]
	p.out = table.Column{Type: p.root.typ, Values: table.Values{Ints: v.Ints[:0], Floats: v.Floats[:0]}}
	if p.root.typ.Kind == table.String {
		p.out.Values = table.Values{Offsets: append(v.Offsets[:0], 0), Data: v.Data[:0]}
	}
}

// add evaluates the expression for the first n rows of the columns that it reads, and appends the results to out.
func (p *expressionProgram) add(columns []*table.Column, n int) {
	for from := 0; from < n; from += chunkRows {
		rows := min(chunkRows, n-from)
		for k, in := range p.inputs {
			in.load(columns[k], from, rows)
		}
		p.evaluate(rows)
	}
}

// addNull evaluates the expression for a null.
func (p *expressionProgram) addNull() {
	p.inputs[0].resize(1, p.inputs[0].typ.Kind)
	p.inputs[0].valid[0] = false
	p.evaluate(1)
}

// evaluate computes the expression for the first rows rows of the inputs and appends the results to out.
func (p *expressionProgram) evaluate(rows int) {
	r, v := p.root.run(rows), &p.out.Values
	first := len(p.present)
	p.present = append(p.present, r.valid[:rows]...)
	switch p.root.typ.Kind {
	case table.Float:
		v.Floats = append(v.Floats, r.floats[:rows]...)
	case table.String:
		for i, text := range r.texts[:rows] {
			if p.present[first+i] = r.valid[i] && len(text) <= maxText; p.present[first+i] {
				v.Data = append(v.Data, text...)
			}
			v.Offsets = append(v.Offsets, uint32(len(v.Data)))
		}
	default:
		v.Ints = append(v.Ints, r.ints[:rows]...)
	}
}
