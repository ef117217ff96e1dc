package sqlpush

import (
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/expr"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/numerals"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// readNumerals adds their numbers to the columns of texts that a query and filters read as numbers. It returns the conditions that they be numbers, if rows
// are left out otherwise, or refuses to.
func (w *writer) readNumerals(query string, o *queries.Outline, filters []domain.FilterRule, s table.Schema, columns map[string]Column) (conditions []string, refused error) {
	var values []string
	if o.Value != nil {
		values = o.Value.Value.Columns
	}
	for _, name := range numerals.Columns(values, o.Axes, filters, s) {
		if w.exactly() == nil {
			return nil, problem.One(query, "", queries.CodeNotPushed, "texts are not read as numbers in this database: column "+name+" holds texts", queries.HintLocal)
		}
		c := columns[name]
		c.Double, c.Whole = numerals.Read(w, w.exactly().Dialect, c.Expr, c.Binary)
		columns[name] = c
		if !o.AllRows && slices.Contains(values, name) {
			conditions = append(conditions, c.Double+" IS NOT NULL")
		}
	}
	return conditions, nil
}

// numeralSteps is the code of a text among edges: whole numbers are compared as such.
func (w *writer) numeralSteps(r *domain.Rule, c *Column) string {
	return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN %s WHEN %s IS NOT NULL THEN %s ELSE %s END", c.Whole, expr.IntSteps(c.Whole, r.IntSteps), c.Double, w.floatSteps(c.Double, r.FloatSteps), expr.Code(r.Null))
}

// numeralCondition is what a text must fulfil that passes a range.
func (w *writer) numeralCondition(r *domain.FilterRule, c *Column) string {
	whole, others := *r, *r
	whole.FloatRange, others.IntRange = nil, nil
	return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN %s ELSE %s END", c.Whole, w.condition(&whole, c.Whole, false), w.condition(&others, c.Double, false))
}
