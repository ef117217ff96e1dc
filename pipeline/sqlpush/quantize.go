package sqlpush

import (
	"fmt"
	"math"
	"strings"

	"github.com/dprelease/dprelease/queries/quantize"
)

// A value is quantized in SQL to the same integer as in queries/quantize, for every double. No product or cast in the
// expression can fail.

// quantizeValues adds the columns of quantized values. Rows without a value were dropped before, or count as the centre
// of the clamp.
func (c *contents) quantizeValues() {
	if c.Value == nil {
		return
	}
	if f := c.Value.Factors; f != nil {
		var v [2]string
		for i, factor := range []*quantize.Quantizer{f.Value, f.Weight} {
			v[i] = c.stage(c.quantize(factor, c.stage(c.asDouble(c.columns[factor.Value.Columns[0]]))))
		}
		c.values = append(c.values, c.alias("v0", fmt.Sprintf("(%s) * %s", less(v[0], f.Value.Centre), v[1])),
			c.alias("v1", v[1]))
		return
	}
	var x []string
	for i, name := range c.Value.Value.Columns {
		if v, ok := c.clamped(name); ok {
			c.values = append(c.values, c.alias(fmt.Sprint(c.prefix, "v", i), v))
			continue
		}
		x = append(x, c.stage(c.asDouble(c.columns[name])))
		if !c.Value.Clip && (!c.AllRows || len(c.Value.Value.Columns) == 1) {
			c.values = append(c.values, c.alias(fmt.Sprint(c.prefix, "v", i), c.quantize(c.Value, x[len(x)-1])))
		}
	}
	if c.AllRows && !c.Value.Clip && len(x) > 1 {
		c.values = c.quantizeVector(x)
	}
	if c.Value.Clip {
		c.values = c.clip(c.integers(), x, c.Value.Exponent, c.Value.Max)
	}
}

// quantizeVector adds columns with a vector's quantized components and returns their names. All of them are NULL in a
// row if one is, because such a row has no value.
func (c *contents) quantizeVector(x []string) (values []string) {
	var numbers []string
	for _, component := range x {
		numbers = append(numbers, c.isNumber(component))
	}
	there := strings.Join(numbers, " AND ")
	for i, component := range x {
		v := c.quantize(c.Value, component)
		values = append(values, c.alias(fmt.Sprint(c.prefix, "v", i), "CASE WHEN "+there+" THEN "+v+" END"))
	}
	return values
}

// quantize returns the expression for the quantized value of x, as queries/quantize defines it. x is clamped first, so
// that no product overflows. If an underflow may be an error, numbers below half a quantum become 0 first. Adding and
// subtracting 3·2^51 rounds to an integer, ties to even. NULL and NaN give NULL.
func (c *contents) quantize(v *quantize.Quantizer, x string) string {
	if tried, ok := c.tryQuantize(v, x); ok {
		return tried
	}
	small, rounder := "", c.float(3<<51)
	if v.Exponent > 0 && c.failsBelow() {
		half := math.Ldexp(1, v.Exponent-1)
		small = fmt.Sprintf(" WHEN %s > %s AND %s < %s THEN 0", x, c.float(-half), x, c.float(half))
	}
	return fmt.Sprintf("CASE WHEN %s <= %s THEN %d WHEN %s >= %s THEN %d%s ELSE %s END", x, c.float(v.Real(v.Min)), v.Min,
		x, c.float(v.Real(v.Max)), v.Max, small,
		c.integer(fmt.Sprintf("((%s * %s) + %s) - %s", x, c.float(math.Ldexp(1, -v.Exponent)), rounder, rounder)))
}
