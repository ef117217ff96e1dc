package sqlpush

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// A statement is written from the inside out: the input's rows with the columns that the query needs, the filters, the
// code of each dimension and the quantized values, the bounds of units, and last the totals of cells. The query's
// aggregation describes the computation as plain data. A statement answers one query, or several that read the same rows
// and have the same cells.

// Statement asks the database for the totals of the cells of a query. Its columns are the number of the table (0 if
// there is one table), the cell and, for each query, the number of rows and, for each component of the value and for its
// square, the sum as a text. If keys are discovered, the values of their dimensions follow.
type Statement struct {
	Query string // the query's name; names of several queries are separated by commas
	Text  string
	parts []answer
}

// answer is what a statement answers of one query.
type answer struct {
	of   *aggregation.Aggregation
	at   int // the query's number in the plan
	sums int // the number of columns with sums
}

// input describes the rows that statements read.
type input struct {
	dialect
	from    string // a table expression
	columns map[string]column
}

// statements returns the statements of a plan over a table expression with some columns. Errors are of type
// *problem.Error; see [problem.Errors].
func (in *input) statements(p *pipeline.Plan) ([]Statement, error) {
	var out []Statement
	all := &problem.Problems{}
	of, err := p.Aggregations(in.schema())
	if err != nil {
		return nil, err
	}
	for _, place := range p.Derived().Places() {
		all.Add(place, CodeNotPushed, "columns that are derived from others are not computed in a database", HintLocal)
	}
	for i, q := range p.Queries() {
		if p.Queries()[i].OverUnits() {
			all.List = append(all.List, &problem.Error{Query: q.Query.Name(), Field: "over", Code: CodeNotPushed,
				Message: "tables of units are not made in a database", Hint: HintLocal})
		}
	}
	if len(all.List) > 0 {
		return nil, all.Err()
	}
	refused := make([]error, len(of))
	for i, q := range p.Queries() {
		refused[i] = in.refuses(p, q.Query.Name(), of[i])
		all.List = append(all.List, problem.Errors(refused[i])...)
	}
	byCells := map[string]int{} // the statement that answers the queries of the same cells
	for i, q := range p.Queries() {
		leader, follows := q.Leader()
		if refused[i] != nil || follows && refused[leader] != nil {
			continue
		}
		cells, ok := in.cellsOf(of[i])
		n, found := byCells[cells]
		if !ok || !found {
			n = len(out)
			out = append(out, Statement{})
		}
		if ok {
			byCells[cells] = n
		}
		out[n].parts = append(out[n].parts, answerOf(of[i], i))
	}
	for i := range out {
		s := &out[i]
		var names []string
		aggregations := make([]*aggregation.Aggregation, len(s.parts))
		for k, a := range s.parts {
			names, aggregations[k] = append(names, p.Queries()[a.at].Query.Name()), a.of
		}
		s.Query, s.Text = strings.Join(names, ", "), in.statement(p, aggregations...)
		if leader, follows := p.Queries()[s.parts[0].at].Leader(); follows {
			s.Text = amongKeys(s.Text, in.statement(p, of[leader]), of[leader].Keys)
		}
	}
	return out, all.Err()
}

// answerOf returns the answer of a query by its number in the plan.
func answerOf(o *aggregation.Aggregation, at int) answer {
	a := answer{of: o, at: at}
	if o.Value != nil {
		a.sums = o.Value.Numbers()
		if o.Second != nil {
			a.sums++
		}
	}
	return a
}

func (in *input) schema() (s table.Schema) {
	for _, name := range slices.Sorted(maps.Keys(in.columns)) {
		s.Fields = append(s.Fields, table.Field{Name: name, Type: in.columns[name].Type})
	}
	return s
}

// statement writes the statement of an aggregation that was not refused, or of several that cellsOf allows together.
func (in *input) statement(p *pipeline.Plan, all ...*aggregation.Aggregation) string {
	o := all[0]
	if len(all) > 1 {
		o = rowsOfAll(all)
	}
	needed, filters := o.ColumnNames(), o.Filters
	for i := range filters {
		if name := filters[i].Column; !slices.Contains(needed, name) {
			needed = append(needed, name)
		}
	}
	needs := presenceOf(o)
	spans := in.spans(p, o)
	base, columns := in.base(p, needed, needs, &reading{spans: spans,
		late:    func(name string) bool { return in.late(o, name) },
		grouped: func(name string) bool { return in.grouped(p, o, name, spans[name]) }})
	w := newWriter(in.dialect, base)
	var conditions []string
	for i := range filters {
		c := columns[filters[i].Column]
		if r := filters[i].IntRange; r != nil && slices.Contains(c.Within, *r) {
			continue
		}
		conditions = append(conditions, w.condition(&filters[i], c.Expr, c.Binary))
	}
	for _, name := range needed {
		c := columns[name]
		if needs[name] == needsCondition && c.Check == "" && !c.Late {
			conditions = append(conditions, c.Expr+" IS NOT NULL")
		}
		w.sure[c.Expr] = !c.Late && (c.Check != "" || needs[name] > needsCode)
	}
	w.filter(conditions...)
	w.alone = len(o.Axes) == 1 && !o.CellPerAxis && len(o.Keys) == 0
	if len(all) > 1 {
		return groupedFirst(contentsOf(all, w, columns))
	}
	c := &contents{writer: w, Aggregation: o, columns: columns, times: map[int]int64{}}
	return c.statement()
}

// presence tells which step drops the rows in which a column is NULL. All steps but the first do.
type presence int

const (
	needsNothing   presence = iota
	needsCode               // rows without a value have no cell
	needsFilter             // a filter of the job drops them
	needsCondition          // no step drops them: a condition is needed
)

// presenceOf returns the presence of each column of a query.
func presenceOf(o *aggregation.Aggregation) map[string]presence {
	needs := map[string]presence{}
	for i := range o.Axes {
		if r := &o.Axes[i]; r.Null == domain.Dropped {
			for _, name := range r.Columns() {
				needs[name] = needsCode
			}
		}
	}
	for _, name := range o.Unit {
		needs[name] = needsCondition
	}
	for i := range o.Keys {
		if o.Keys[i].Axis < 0 {
			needs[o.Keys[i].Column] = needsCondition
		}
	}
	if o.Value != nil && !o.AllRows {
		for _, name := range o.Value.Value.AllColumns() {
			needs[name] = needsCondition
		}
	}
	for i := range o.Filters {
		needs[o.Filters[i].Column] = needsFilter
	}
	return needs
}

// reading tells how the columns of a query are read: the ranges outside of which rows are dropped, the columns that are
// read late, and those that are read in the form by which rows are grouped.
type reading struct {
	spans         map[string][]domain.Span[int64]
	late, grouped func(name string) bool
}

// base returns the rows of all queries: the input's rows, once for each event, with the logical columns that are
// needed, named l0, l1, … Rows in which a needed column is NULL may be dropped.
func (in *input) base(p *pipeline.Plan, needed []string, needs map[string]presence, how *reading) (from string,
	columns map[string]column) {
	columns = map[string]column{}
	var events []string
	for _, view := range p.EventColumns() {
		read, where := make([]string, 0, len(needed)), ""
		for i, name := range needed {
			c := in.columns[p.Columns()[view[slices.Index(p.Logical(), name)]]]
			as, check := fmt.Sprint("l", i), ""
			for _, s := range how.spans[name] {
				if check, _ = c.Scan.within(s); check != "" {
					where += map[bool]string{true: "\n WHERE ", false: " AND "}[where == ""] + check
				}
			}
			if c.Grouped = how.grouped(name); c.Grouped {
				c.Expr = c.Scan.Grouped
			} else if c.Late = c.Check != "" && how.late(name); c.Late {
				c.Expr = c.Bare
			} else if needs[name] > needsNothing && c.Check != "" {
				c.Expr, check = c.Bare, c.Check
				where += map[bool]string{true: "\n WHERE ", false: " AND "}[where == ""] + check
			}
			read = append(read, c.Expr+" AS "+as)
			columns[name] = column{Type: c.Type, Expr: as, Binary: c.Binary, Check: check, Late: c.Late, Scan: c.Scan,
				Within: how.spans[name], Grouped: c.Grouped}
		}
		if len(read) == 0 {
			read = []string{"1 AS l"}
		}
		events = append(events, "SELECT "+strings.Join(read, ", ")+"\n FROM "+in.from+where)
	}
	return "(" + strings.Join(events, "\n UNION ALL ") + ")", columns
}

// contents is a statement under construction: the rows of a query with their cells, values and units.
type contents struct {
	*writer
	*aggregation.Aggregation
	columns map[string]column

	cells, values, units []string      // names of columns
	times                map[int]int64 // factors by which the sums of some values are multiplied afterwards
	keys                 []string      // columns with the parts of discovered keys, which come first in cells
	missing              bool          // rows may be without a cell
	among                string        // prefix of names if the statement answers several queries; then values may be NULL
	first                int           // the number of the first cell
}

func (c *contents) statement() string {
	if c.groupsFirst() {
		return groupedFirst([]*contents{c})
	}
	c.findCells()
	c.quantizeValues()
	c.findUnits()
	switch {
	case len(c.units) == 0:
		return c.totals(c.from, c.counted())
	case c.Value == nil && !c.binding().rows:
		return c.boundedCounts() + c.countUnits()
	}
	return c.boundedRows() + c.countUnits()
}

// cellsInAll returns the largest number of cells, in all dimensions together, in which one unit can be.
func (c *contents) cellsInAll() int64 {
	if len(c.Keys) > 0 {
		return math.MaxInt64
	}
	n := int64(1)
	for _, s := range c.Sizes {
		n = product(n, int64(s))
	}
	return n
}

// findCells drops rows without a cell. A query with one table has one column of cells; crosstabs have one for each
// dimension.
func (c *contents) findCells() {
	var codes []string
	for i := range c.Axes {
		if !c.present(&c.Axes[i], c.columns) {
			c.missing = true
		}
	}
	for i := range c.Axes {
		codes = append(codes, c.axis(&c.Axes[i], c.columns))
	}
	if len(c.Keys) > 0 {
		c.findKeys(codes)
	}
	place, placed := c.onlyPlace()
	switch {
	case len(c.Tables[0]) == 0 && !c.CellPerAxis:
	case placed:
		c.cells, c.first = []string{c.alias("cell", place)}, 1
	case !c.CellPerAxis:
		c.cells = append(c.cells, c.alias("cell", c.radix(codes, c.Tables[0])))
	default:
		for i, code := range codes {
			c.cells = append(c.cells, c.alias(fmt.Sprint("cell", i), code))
		}
	}
	if c.missing && (len(c.Unit) > 0 || c.CellPerAxis || len(c.Keys) > 0) {
		c.filterFound(notNull(c.cells)...)
		c.missing = false
	}
}

// alias adds a column under a chosen name.
func (c *contents) alias(name, x string) string {
	c.push(x + " AS " + name)
	return name
}

// radix returns the number of the cell in a table with some axes.
func (c *contents) radix(codes []string, axes []int) string {
	number := ""
	for _, i := range axes {
		code := "(" + codes[i] + ")"
		if number == "" {
			number = code
			continue
		}
		number = fmt.Sprintf("(%s * %d + %s)", number, c.Sizes[i], code)
	}
	if number == "" {
		return "0"
	}
	return number
}

// findUnits names the columns of the unit. Rows without a unit were dropped before.
func (c *contents) findUnits() {
	for _, name := range c.Unit {
		c.units = append(c.units, c.columns[name].Expr)
	}
}

// countRows is the count if each row stands for itself; noRows is used if rows are not counted.
const (
	countRows = "COUNT(*)"
	noRows    = "0"
)

// totals adds up the rows of a table expression by cell. The expression rows counts the rows of a group.
func (c *contents) totals(from, rows string) string {
	var sums []string
	for i, s := range c.sums(rows) {
		as := fmt.Sprint(" AS sum", i)
		if i == len(c.values) {
			as = " AS squares"
		}
		sums = append(sums, c.sumText(s, s.of, s.most, rows)+as)
	}
	columns := append([]string{rows + " AS n"}, sums...)
	if len(c.Keys) > 0 {
		least := c.MinUnits // the pre-threshold of the query that counts the units of keys
		if c.Value != nil {
			least = 0
		}
		return keyTotals(from, c.cells, strings.Join(columns, ", "), rows, least)
	}
	list := strings.Join(columns, ", ")
	var missing []string // all rows without a cell are one group
	if c.missing {
		missing = notNull(c.cells)
	}
	if c.Bins != nil {
		from = fmt.Sprintf("(SELECT k.*, %s AS tab FROM %s AS k)",
			bin(c.values[0], c.Bins, c.Value.Min, c.Value.Max, c.AllRows), from)
	}
	switch {
	case c.Bins != nil || c.Steps != nil:
		by, cell := "tab", "0"
		if len(c.cells) > 0 {
			by, cell = "tab, cell", "cell"
		}
		return fmt.Sprintf("SELECT tab AS t, %s AS cell, %s\nFROM %s AS x\nGROUP BY %s", cell, list, from, by) +
			having(missing)
	case len(c.cells) == 0:
		return fmt.Sprintf("SELECT 0 AS t, 0 AS cell, %s\nFROM %s AS x", list, from)
	case !c.CellPerAxis && c.first > 0:
		return fmt.Sprintf("SELECT 0 AS t, x.cell - %d AS cell, %s\nFROM %s AS x\nGROUP BY x.cell", c.first, list, from) +
			having([]string{"x.cell IS NOT NULL"})
	case !c.CellPerAxis:
		return fmt.Sprintf("SELECT 0 AS t, cell, %s\nFROM %s AS x\nGROUP BY cell", list, from) + having(missing)
	}
	number := ""
	if rows != countRows { // the rows are groups that were counted before
		number = ", n"
	}
	var all []string
	for i, axes := range c.Tables {
		all = append(all, fmt.Sprintf("SELECT %d AS t, cell, %s\nFROM (SELECT %s AS cell%s FROM counted) AS x\nGROUP BY cell",
			i, list, c.radix(c.cells, axes), number))
	}
	return "WITH counted AS (SELECT " + strings.Join(c.cells, ", ") + number + " FROM " + from + " AS y)\n" +
		strings.Join(all, "\nUNION ALL\n")
}

// term returns what a row adds to a sum: 0 if the row counts without a value. So a sum is NULL only if there is no row.
func (c *contents) term(x string) string {
	if c.AllRows {
		return "COALESCE(" + x + ", 0)"
	}
	return x
}
