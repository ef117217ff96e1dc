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

// A statement is nested SELECTs, written from the inside out: the input's rows with the needed columns, the filters,
// the code of each dimension and the quantized values, the contribution bounds, and last the totals of cells. The
// query's [aggregation.Aggregation] describes this computation as plain data. A statement answers one query, or several
// that read the same rows and have the same cells.

// Statement is a SQL statement that returns the totals of one or more queries, one row per table and cell. The first
// column is the number of the table (0 if there is only one), the second the cell. For each query follow its number of
// rows and its sums as texts: one for each component of the value and, if the query needs it, one of squares. The last
// columns are the values of a discovered key, if there is one.
type Statement struct {
	Query   string // the query's name, or several names separated by commas
	Text    string
	answers []answer
	// If sets is nil, every row has totals of all queries. Otherwise the rows come from several grouping sets, the first
	// column is the number of the grouping set, and answers[i] has totals only in the rows of grouping set sets[i].
	sets []int
}

// answer describes a query's columns in the result of a statement.
type answer struct {
	aggregation *aggregation.Aggregation
	query       int // the index of the query in the plan
	sums        int // the number of columns with sums
}

// input is the source of the rows: a table expression and its columns.
type input struct {
	dialect
	from    string // a table expression
	columns map[string]column
}

// statements returns the statements that answer a plan's queries. Errors are of type *problem.Error; see
// [problem.Errors].
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
	byCells := map[string]int{} // index of the statement, by the result of cellsOf
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
		out[n].answers = append(out[n].answers, answerOf(of[i], i))
	}
	for i := range out {
		s := &out[i]
		var names []string
		aggregations := make([]*aggregation.Aggregation, len(s.answers))
		for k, a := range s.answers {
			names, aggregations[k] = append(names, p.Queries()[a.query].Query.Name()), a.aggregation
		}
		s.Query = strings.Join(names, ", ")
		if _, together := in.cellsOf(aggregations[0]); together && aggregations[0].SampleBy != nil {
			s.Text, s.sets = in.sampled(p, aggregations)
			continue
		}
		s.Text = in.statement(p, aggregations...)
		if leader, follows := p.Queries()[s.answers[0].query].Leader(); follows {
			s.Text = amongKeys(s.Text, in.statement(p, of[leader]), of[leader].Keys)
		}
	}
	return out, all.Err()
}

// answerOf returns the answer of the query with an index in the plan.
func answerOf(o *aggregation.Aggregation, at int) answer {
	a := answer{aggregation: o, query: at}
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

// statement returns the text of the statement for one aggregation, or for several whose result of cellsOf is equal.
// None of them is refused.
func (in *input) statement(p *pipeline.Plan, all ...*aggregation.Aggregation) string {
	o := all[0]
	if o.SampleBy != nil {
		return in.sampledAlone(p, o)
	}
	if len(all) > 1 {
		o = rowsOfAll(all)
	}
	w, columns := in.rows(p, o)
	if len(all) > 1 {
		return groupedFirst(contentsOf(all, w, columns))
	}
	c := &contents{writer: w, Aggregation: o, columns: columns, times: map[int]int64{}}
	return c.statement()
}

// rows returns a writer over the rows that pass an aggregation's filters, and the columns that the aggregation reads.
// Rows that the aggregation drops for another reason, such as a missing value, may be left out already.
func (in *input) rows(p *pipeline.Plan, o *aggregation.Aggregation) (*writer, map[string]column) {
	needed, filters := o.ColumnNames(), o.Filters
	for i := range filters {
		if name := filters[i].Column; !slices.Contains(needed, name) {
			needed = append(needed, name)
		}
	}
	needs := presenceOf(o)
	spans := in.spans(p, o)
	base, columns := in.base(p, needed, needs, &reading{spans: spans,
		unchecked: func(name string) bool { return in.canSkipCheck(o, name) },
		grouped:   func(name string) bool { return in.grouped(p, o, name, spans[name]) }})
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
		if needs[name] == needsCondition && c.Check == "" && !c.Unchecked {
			conditions = append(conditions, c.Expr+" IS NOT NULL")
		}
		w.neverNull[c.Expr] = !c.Unchecked && (c.Check != "" || needs[name] > needsCode)
	}
	w.filter(conditions...)
	w.oneAxis = len(o.Axes) == 1 && !o.CellPerAxis && len(o.Keys) == 0
	return w, columns
}

// presence states which step drops the rows in which a column is NULL.
type presence int

const (
	needsNothing   presence = iota
	needsCode               // the code of the column's dimension: NULL has no cell
	needsFilter             // a condition of the job
	needsCondition          // a condition IS NOT NULL that the statement must add
)

// presenceOf returns the presence of each column of a query; needsNothing for a column in which NULL counts.
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

// reading determines how the columns of a query are read. spans lists ranges by column: the table scan drops rows
// outside of them. unchecked and grouped return column.Unchecked and column.Grouped for a name.
type reading struct {
	spans              map[string][]domain.Span[int64]
	unchecked, grouped func(name string) bool
}

// base returns a table expression for the rows of a query: the input's rows, once for each event of a row, with the
// needed logical columns named l0, l1, … Rows in which a needed column is NULL may be dropped if needs allows it.
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
			} else if c.Unchecked = c.Check != "" && how.unchecked(name); c.Unchecked {
				c.Expr = c.Bare
			} else if needs[name] > needsNothing && c.Check != "" {
				c.Expr, check = c.Bare, c.Check
				where += map[bool]string{true: "\n WHERE ", false: " AND "}[where == ""] + check
			}
			read = append(read, c.Expr+" AS "+as)
			columns[name] = column{Type: c.Type, Expr: as, Binary: c.Binary, Check: check, Unchecked: c.Unchecked, Scan: c.Scan,
				Within: how.spans[name], Grouped: c.Grouped}
		}
		if len(read) == 0 {
			read = []string{"1 AS l"}
		}
		events = append(events, "SELECT "+strings.Join(read, ", ")+"\n FROM "+in.from+where)
	}
	return "(" + strings.Join(events, "\n UNION ALL ") + ")", columns
}

// contents is a query's part of a statement under construction: the rows so far, with the columns of their cells,
// values and units.
type contents struct {
	*writer
	*aggregation.Aggregation
	columns map[string]column

	cells, values, units []string      // column names
	times                map[int]int64 // times[i] is the factor of the sum of values[i]; 1 if it is not set
	keys                 []string      // columns of discovered keys, which are also the first ones in cells
	missing              bool          // set if there may be rows without a cell
	prefix               string        // the prefix of this query's columns; "" if the statement answers only one query
	first                int           // the value of the column cell for cell 0
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
		return c.totals(c.from, c.rowCount())
	case c.Value == nil && !c.binding().rows:
		return c.boundedCounts() + c.countUnits()
	}
	return c.boundedRows() + c.countUnits()
}

// cellsInAll returns the largest number of cells in which one unit can have rows.
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

// findCells adds the columns of cells and drops rows without a cell. A query with one table has one such column;
// marginals have one per dimension.
func (c *contents) findCells() {
	var codes []string
	for i := range c.Axes {
		if !c.dropUncoded(&c.Axes[i], c.columns) {
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

// radix returns the number of the cell in a table, from the codes of the table's axes.
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

// findUnits names the columns of the privacy unit. Rows without a unit were dropped before.
func (c *contents) findUnits() {
	for _, name := range c.Unit {
		c.units = append(c.units, c.columns[name].Expr)
	}
}

// Expressions for the number of rows of a group: countRows if each row stands for one row of the input, noRows if the
// number is not needed.
const (
	countRows = "COUNT(*)"
	noRows    = "0"
)

// totals returns the statement that adds up the rows of a table expression by cell. The expression rows counts the rows
// of a group.
func (c *contents) totals(from, rows string) string {
	var sums []string
	for i, s := range c.sums(rows) {
		as := fmt.Sprint(" AS sum", i)
		if i == len(c.values) {
			as = " AS squares"
		}
		sums = append(sums, c.sumText(s, s.x, s.max, rows)+as)
	}
	columns := append([]string{rows + " AS n"}, sums...)
	if len(c.Keys) > 0 {
		least := c.MinUnits // only the query that discovers the keys drops keys of few units
		if c.Value != nil {
			least = 0
		}
		return keyTotals(from, c.cells, strings.Join(columns, ", "), rows, least)
	}
	list := strings.Join(columns, ", ")
	var missing []string // conditions that drop the group of the rows without a cell
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
	if rows != countRows { // the rows are groups, whose number of rows is in n
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

// term returns the number that a row adds to a sum: x, or 0 for rows without a value if these count. So a sum is NULL
// only over no row.
func (c *contents) term(x string) string {
	if c.AllRows {
		return "COALESCE(" + x + ", 0)"
	}
	return x
}
