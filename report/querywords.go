package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

// linear reports whether the query sums values, which may be negative; counts may not.
func (q *queryFacts) linear() bool { return query.Kind(q.kind).AddsUp() }

// unitText returns the unit of the query's numbers: the thing that it counts, or the unit of the column that it sums.
func (q *queryFacts) unitText(f *facts) string {
	if !q.linear() {
		return q.noun(f)
	}
	text := q.kind + " of " + q.valueName()
	if unit := q.valueUnit(); unit != "" {
		text += " (" + unit + ")"
	}
	return text
}

// valueUnit returns the unit of a query that sums values; "" if the job states none.
func (q *queryFacts) valueUnit() string {
	unit := q.columns[q.value].Unit
	if q.kind == "variance" {
		unit = squared(unit)
	}
	return shown(cmp.Or(q.counted, unit))
}

// squared returns the square of a unit, such as EUR² or (km/h)²; "" if the unit is "".
func squared(unit string) string {
	switch {
	case unit == "":
		return ""
	case strings.ContainsFunc(unit, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Sc, r) }):
		return "(" + unit + ")²"
	}
	return unit + "²"
}

// valueName returns the title of the column that is summed, or its name.
func (q *queryFacts) valueName() string { return shown(cmp.Or(q.columns[q.value].Title, q.value)) }

// noun returns the word for the things that a query counts: the job's word if it states one; the privacy units if each
// counts at most once; otherwise "rows".
func (q *queryFacts) noun(f *facts) string {
	switch {
	case q.counted != "" && q.maxKeys == 0:
		return shown(q.counted)
	case q.weight != "":
		return "rows, weighted by " + shown(cmp.Or(q.columns[q.weight].Title, q.weight))
	case q.maxKeys > 0:
		return "weights of " + q.unitNames(f)
	case (q.threshold > 0 || q.units || q.kind == overBound) && len(f.unit) > 0:
		return "number of " + q.unitWords(f)
	}
	return "rows"
}

// divisor returns the name of the noisy number by which the query's sums are divided, such as "number of rows".
func (q *queryFacts) divisor() string {
	if q.weight != "" {
		return "sum of weights"
	}
	return "number of rows"
}

// unitNames names the privacy units, by the job's word for what the query counts, or by their columns.
func (q *queryFacts) unitNames(f *facts) string {
	if q.counted != "" {
		return shown(q.counted)
	}
	var names []string
	for _, column := range f.unit {
		names = append(names, shown(cmp.Or(q.columns[column].Title, column)))
	}
	return strings.Join(names, ", ")
}

// unitWords returns unitNames for use after a number: the job's words unchanged, or the column's name in the singular.
func (q *queryFacts) unitWords(f *facts) string {
	untitled := func(column string) bool { return q.columns[column].Title == "" }
	if q.counted == "" && slices.ContainsFunc(f.unit, untitled) {
		return "units (" + q.unitNames(f) + ")"
	}
	return q.unitNames(f)
}

// edgeLabel returns the name of the column whose quantiles the query computes.
func (q *queryFacts) edgeLabel() string {
	for i := range q.axes {
		if d := &q.axes[i]; d.cut() {
			return d.label()
		}
	}
	return ""
}

func (q *queryFacts) halfText() string {
	if q.overRows {
		return short(q.half) + " / " + strings.TrimPrefix(q.divisor(), "number of ")
	}
	return short(q.half)
}

func (f *facts) queryView(i int, d *pageData) (queryView, error) {
	q := &f.queries[i]
	v := queryView{ID: fmt.Sprintf("query-%d", i+1), Name: shown(q.title), Question: q.question(f),
		Description: shown(q.about), About: q.remarks(), Denoised: q.denoised()}
	for at := range d.Tables {
		t := &d.Tables[at]
		if t.File != q.name && !strings.HasPrefix(t.File, q.name+".") {
			continue
		}
		_, holds, _ := strings.Cut(strings.TrimPrefix(t.File, q.name), ".")
		one := tableView{At: at, Title: titleOf(q, t), Note: noteOf(t), Bounded: q.bounded(holds)}
		switch {
		case t.Table.Shown == 0 || t.Picture == pictureNone:
		case t.isEmpty():
			one.Note = strings.TrimSpace("No cell has a value, so there is no picture. " + one.Note)
		default:
			var err error
			if one.Picture, err = embed(pictureFor(t, d.queries[at]), t.Name, describe(t)); err != nil {
				return v, err
			}
		}
		if t.Picture == pictureNumber && t.Table.Shown == 1 {
			estimate := (&figure{d: t}).value(estimateColumn, 0)
			if one.Number = tableNumber(estimate); t.isEmpty() {
				one.Number = cmp.Or(t.None, noValue)
			} else if q.kind == overBound {
				v.About = append([]string{q.overBoundText(f, estimate)}, v.About...)
			} else if q.linear() && holds == "" {
				one.Number = strings.TrimSpace(one.Number + " " + q.valueUnit())
			}
		}
		v.Tables = append(v.Tables, one)
	}
	if n := len(v.Tables); n > 1 && q.kind == string(query.Crosstab) {
		v.Tables = append(v.Tables[1:], v.Tables[0])
	}
	return v, nil
}

// describe returns the text that stands for a picture for readers who cannot see it.
func describe(t *tableData) string {
	count := spelling.Count(t.Table.Shown, "value")
	axes := axisNames(t.Axes)
	name := strings.TrimSuffix(t.Name, " (by "+axes+")")
	switch t.Picture {
	case pictureNumber:
		return name + ": the estimate with its 95 % interval, which the table below lists."
	case pictureLines:
		return "Line of " + name + " along " + axes + " with a band of 95 % intervals: " + count +
			", which the table below lists."
	case pictureCDF:
		return "Share below each " + axes + ", with a band of 95 % intervals, which the table below lists."
	case pictureHeat:
		return "Heat map of " + name + " by " + axes + ": " + count + ", which the table below lists."
	case pictureMap:
		return "Map of " + name + ": " + count + ", which the table below lists."
	case pictureQuantiles:
		return "Quantiles of " + name + " with 95 % intervals, which the table below lists."
	}
	return "Bars of " + name + " by " + axes + " with 95 % intervals: the largest of " + count +
		", which the table below lists."
}

func titleOf(q *queryFacts, t *tableData) string {
	switch {
	case t.Picture == pictureNone:
		return "What the tables are made of"
	case t.File == q.name:
		return ""
	case t.Picture == pictureQuantiles:
		return "Quantiles, read off the noisy counts"
	case t.File == q.name+"."+holdsSums && q.kind != crosstabs:
		return "Numbers below each edge"
	case t.Picture == pictureCDF:
		return "Share below each edge, read off the noisy counts"
	}
	if _, holds, _ := strings.Cut(t.File, "."); q.rate(holds) != nil {
		return shown(holds)
	}
	return "By " + axisNames(t.Axes)
}

// axisNames lists the labels of axes: "Ward, Age and Sex".
func axisNames(axes []axis) string {
	var by []string
	for _, a := range axes {
		by = append(by, a.Label)
	}
	return listed(by)
}

// listed joins names for a sentence: "Ward, Age and Sex".
func listed(names []string) string {
	last := max(0, len(names)-2)
	return strings.Join(append(names[:last:last], strings.Join(names[last:], " and ")), ", ")
}

// rate returns the rate whose values a table holds; nil if the table holds none.
func (q *queryFacts) rate(holds string) *manifest.Rate {
	if q.stated == nil {
		return nil
	}
	i := slices.IndexFunc(q.stated.Rates, func(r manifest.Rate) bool { return r.Name == holds })
	if i < 0 {
		return nil
	}
	return &q.stated.Rates[i]
}

// rateText describes a table of rates, such as cases per 100 000 inhabitants.
func rateText(q *queryFacts, r *manifest.Rate, f *facts) string {
	by := cmp.Or(r.Per, "the public numbers in column "+shown(r.Value)+" of "+shown(r.File))
	if per := f.find(r.Per); per != nil {
		by = shown(per.title)
	}
	times := ""
	if r.Times != 1 {
		times = ", times " + strconv.FormatFloat(r.Times, 'f', -1, 64)
	}
	text := "The noisy values of " + shown(q.title) + " divided by " + by + times + ". "
	if r.Per != "" {
		text += "The 95 % intervals (Fieller's) take the noise of both into account. A rate is empty if noise alone could " +
			"explain the number to divide by"
	} else {
		text += "A rate is empty if the file has no number for its cell"
	}
	if r.MaxHalfWidth > 0 {
		text += ", or if its interval reaches further than " + strconv.FormatFloat(r.MaxHalfWidth, 'f', -1, 64) +
			" to each side"
	}
	return text + "."
}

// noteOf returns a sentence about the rows or values that a picture leaves out; "" if there are none.
func noteOf(t *tableData) string {
	switch {
	case t.Picture == pictureNone && slices.ContainsFunc(t.Table.Keys,
		func(k pageKey) bool { return k.Name == numberKey }):
		return "The noisy numbers of each level. The tables above were computed from them."
	case t.Rate != "":
		return t.Rate
	case t.Picture == pictureNone:
		return "The noisy numbers that were drawn. The tables above were computed from them: nobody else needs them."
	case t.Table.Shown < t.Table.Rows:
		return fmt.Sprintf("The table has %s. This page holds the %s with the largest estimates; the files hold all. The "+
			"largest noisy values of many are too large on average: their noise is part of why they are the largest.",
			spelling.Count(t.Table.Rows, "row"), spelling.Integer(t.Table.Shown))
	case t.Picture == pictureTop && t.Table.Shown > 40:
		return fmt.Sprintf("The picture shows the 40 largest estimates of %s; the table holds all.",
			spelling.Count(t.Table.Rows, "row"))
	}
	return ""
}

// remarks returns sentences about the answer: how accurate it is, which values exceed the noise threshold, and which
// cells are left empty.
func (q *queryFacts) remarks() []string {
	out := []string{q.accuracy()}
	for _, text := range []string{q.sharing(), q.clamp, q.clampRisk, q.standsOutText(), q.grid()} {
		if text != "" {
			out = append(out, text)
		}
	}
	if p := q.publish; p != nil && (p.MinCount > 0 || p.MaxRelativeError > 0) {
		out = append(out, q.withheld())
	}
	return out
}

// question returns two sentences: what the query computes, and which rows count.
func (q *queryFacts) question(f *facts) string {
	var by []string
	for i := range q.axes {
		by = append(by, q.axes[i].label())
	}
	text := query.Kind(q.kind).Words()
	switch noun := q.noun(f); {
	case text != "":
		text += q.valueName()
		if q.weight != "" {
			text += ", weighted by " + shown(cmp.Or(q.columns[q.weight].Title, q.weight))
		}
	case q.nested:
		text = capital(noun) + " at several levels"
	case q.kind == crosstabs:
		text = capital(noun) + " in several tables"
	case q.kind == overBound:
		text = capital(noun) + " with " + q.excess()
	case q.kind == "count" && noun == "rows":
		text = "The number of rows"
	case noun == "rows":
		text = "Numbers of rows"
	default:
		text = capital(noun)
	}
	if len(by) > 0 {
		text += " by " + strings.Join(by, ", ")
	}
	if q.cells > 1 && q.kind != crosstabs {
		text += ": " + spelling.Count(q.cells, "cell")
	}
	return strings.TrimSpace(text + ". " + q.conditions)
}

// capital returns a text with a capital first letter.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// accuracy returns a sentence about the standard deviation or the interval of the noise.
func (q *queryFacts) accuracy() string {
	switch {
	case q.nested:
		text := "Each level has noise of its own, and the tables are the estimates by weighted least squares in which all " +
			"levels add up. Their standard deviations stand in the files and with the values here. The interval of a sum of " +
			"cells does not follow from those of the cells, whose errors depend on each other: release combine states it."
		if len(q.known) > 0 {
			text += " The totals of " + strings.Join(q.known, " and of ") + " are public: they come from a file that the job " +
				"names, not from the private table, and have no noise."
		}
		return text
	case q.kind == crosstabs:
		return "The noise is on what the tables share, so that they agree with each other. Each table has a standard " +
			"deviation of its own, which stands in its file and with its values here."
	case q.laidOut:
		return fmt.Sprintf("The noise is laid out for the numbers of rows below each edge, which are sums of cells: with "+
			"95 %% probability each of them is within %s of the exact number. The standard deviation of each cell and of each "+
			"sum stands in the tables.",
			spelling.Up(q.half, 4))
	case q.overRows:
		return fmt.Sprintf("The noise of the sums has a standard deviation of %s. A value's standard deviation is that "+
			"number divided by the %s. Its interval stands in the table.", short(q.deviation), q.divisor())
	}
	return fmt.Sprintf("The noise has a standard deviation of %s in every cell: with %s probability a noisy value is "+
		"within %s of the exact answer.", short(q.deviation), cmp.Or(q.coverage(), "95 %"), spelling.Up(q.half, 4))
}

// coverage returns the probability, in words, with which the 95 % intervals contain the exact values; "" if it is 95 %.
// Geometric noise takes few values, so the probability may be larger.
func (q *queryFacts) coverage() string {
	if q.gridStep == 0 || q.overRows || q.laidOut || q.nested || q.sums != nil || q.kind == crosstabs ||
		q.noise.Coverage() < 0.951 {
		return ""
	}
	return strconv.FormatFloat(math.Floor(1000*q.noise.Coverage())/10, 'f', -1, 64) + " %"
}

// bounded describes what the bounds of the job leave out of a table of the answer; "" if they leave out nothing: the
// privacy unit is a row, or the query counts units, and no value is clamped. holds names the table, "" for the answer
// itself.
func (q *queryFacts) bounded(holds string) string {
	why := q.why
	if _, implied, declared := strings.Cut(why, "implied: "); declared {
		why = implied
	}
	if cut := strings.LastIndex(why, ": "); cut >= 0 {
		why = why[:cut]
	}
	why, _, _ = strings.Cut(why, ", each ") // leave out how a value's size relates to the clamp's centre
	why, _, _ = strings.Cut(why, ", to ")   // leave out the sums of cells that get noise
	if q.kind == overBound {                // the query counts the rows over the bound, so it leaves out none
		return ""
	}
	const ends = "values outside of the range count as its nearer end"
	clamped := q.weight != "" || q.linear()
	if clamped && (q.overUnits || strings.HasPrefix(why, "as the table's producer promises") ||
		strings.HasPrefix(why, "each row")) {
		return "The numbers and their intervals are of bounded data: " + ends + "."
	}
	if q.overUnits || strings.HasPrefix(why, "each row") || !strings.HasPrefix(why, "each ") {
		return ""
	}
	text := "The numbers and their intervals are of bounded data: " + why
	if len(q.sampleBy) > 0 {
		var names []string
		for _, c := range q.sampleBy {
			names = append(names, shown(cmp.Or(q.columns[c].Title, c)))
		}
		if len(names) == 1 {
			text += ". The column " + names[0] + " decides which rows count"
		} else {
			text += ". The columns " + listed(names) + " decide which rows count"
		}
	}
	text += ". Rows above these bounds are not counted"
	switch {
	case clamped:
		text += ", and " + ends
	// Rows that are left out can move these numbers up or down.
	case q.reading(holds) == pictureQuantiles, q.reading(holds) == pictureCDF, q.rate(holds) != nil:
	default:
		text += ": true numbers can be higher"
	}
	return text + "."
}

// Remarks makes sentences about the tables of a release.
type Remarks struct{ facts *facts }

// NewRemarks returns the Remarks about the release of a manifest.
func NewRemarks(m *manifest.Manifest) Remarks { return Remarks{factsOf(m)} }

// Of returns sentences that a reader of a table must know: about the rows and values that bounds and clamps leave out
// and, for a query for units over a bound, the answer in words. query is the query's index in the manifest. holds names
// the table, "" for the answer itself. estimate is the table's first cell.
func (r Remarks) Of(query int, holds string, estimate float64) []string {
	q := &r.facts.queries[query]
	return slices.DeleteFunc([]string{q.bounded(holds), q.clampRisk, q.overBoundText(r.facts, estimate)},
		func(s string) bool { return s == "" })
}

// overBoundText returns the number of units over a bound in words; "" if the query counts something else.
func (q *queryFacts) overBoundText(f *facts, estimate float64) string {
	if q.kind != overBound || math.IsNaN(estimate) {
		return ""
	}
	left := "further rows of each"
	if len(q.sampleBy) > 0 { // rows that are alike are left out together
		left = "rows of each"
	}
	return fmt.Sprintf("About %s ± %s %s had %s: %s are left out by this bound.",
		spelling.Integer(int64(math.Round(max(estimate, 0)))), spelling.Up(q.half, 2), q.unitWords(f), q.excess(), left)
}

// excess returns how many rows make a unit exceed the bound, such as "more than 2 rows". It takes the words from the
// reason for the sensitivity.
func (q *queryFacts) excess() string {
	_, text, _ := strings.Cut(q.why, "more than ")
	text, _, _ = strings.Cut(text, ":")
	return "more than " + text
}

// grid explains that noisy values are multiples of the grid, and how estimates are rounded; "" if neither needs an
// explanation, such as for noisy values that are integers.
func (q *queryFacts) grid() string {
	if !(q.gridStep > 0) || q.kind == crosstabs || query.Kind(q.kind).IsQuotient() || q.laidOut || q.sums != nil ||
		q.overRows {
		return ""
	}
	const rounded = "Estimates are rounded to a hundredth of their error, unless they agree exactly with other tables " +
		"or a total."
	if q.gridStep == 1 {
		if len(q.steps) == 0 {
			return ""
		}
		return rounded
	}
	text := fmt.Sprintf("Noisy values are multiples of %s, because noise is drawn in steps of this size. ",
		short(q.gridStep))
	if q.gridStep < 1 {
		text = fmt.Sprintf("Noisy values have fractions, because noise is drawn in steps of %s: the fraction is noise "+
			"alone. ",
			short(q.gridStep))
	}
	return text + rounded
}

// clampRiskWords describes how likely it is that a clamp found with noise cut off more than the interval covers; "" if
// no clamp was found so.
func clampRiskWords(q *manifest.Query) string {
	if q.Search == nil {
		return ""
	}
	c, ok := q.Search.Cut()
	if !ok {
		return "No range of values was found: the narrowest is taken, and the interval does not cover what it cuts off."
	}
	return fmt.Sprintf("The range was found from noisy numbers: with a chance of about %.0f %% it cuts off more than "+
		"half the interval's length, which the interval does not cover. %s or more rows of about one size beyond it would "+
		"have been "+
		"noticed with 97.5 %% probability; fewer may have been missed.", 100*c.Chance, spelling.Integer(int64(q.Search.Noticed())))
}

// sharing describes how the errors of cells add up if the cells have noise in common; "" if the noise of cells is
// independent.
func (q *queryFacts) sharing() string {
	s, n := q.sums, float64(q.cells)
	if s == nil {
		return ""
	}
	return fmt.Sprintf("One unit may be in many of the cells, so that they share a part of their noise: the sum of all "+
		"%s has a standard deviation of %s, and the difference of two cells one of %s. That of the sum of k cells is the "+
		"square root of %s·k + %s·k².",
		spelling.Count(q.cells, "cell"), short(math.Sqrt(n*s.Each+n*n*s.Common)), short(math.Sqrt(2*s.Each)), short(s.Each),
		short(s.Common))
}

// selectedByWeights is the caution for keys that were selected by weights, in place of manifest.SelectedKeys.
const selectedByWeights = "Other keys may exist, and weights near the threshold are too large on average."

// standsOutText returns the value above which a cell or key exceeds the noise threshold, as text; "" if it is unknown.
func (q *queryFacts) standsOutText() string {
	switch {
	case q.keysOf != "":
		return fmt.Sprintf("The keys are those that %s selected by its noisy counts, for this query too: nothing was "+
			"computed for any other key, and they cost nothing more.", q.keysOf)
	case q.maxKeys > 0:
		return fmt.Sprintf("The keys come from the private table. A key is published if its noisy weight is at least %s: "+
			"each unit adds 1 to it, or more if the unit has fewer than %d keys, at most %s. So a weight is not a number of "+
			"units. %s",
			short(q.threshold), q.maxKeys, short(math.Sqrt(float64(q.maxKeys))), selectedByWeights)
	case q.threshold > 0:
		few := ""
		if q.minUnits > 1 {
			few = fmt.Sprintf(" Keys of fewer than %d units were left out, exactly.", q.minUnits)
		}
		return fmt.Sprintf("The keys come from the private table.%s A key is published if its noisy count is at least %s. %s",
			few, short(q.threshold), q.discovered)
	case (q.kind == "count" || q.kind == histogram || q.kind == overBound) && q.cells > 0 && !q.laidOut:
		text := fmt.Sprintf("If the exact answer is 0, the noisy value is above %s with a probability of 5 %%.",
			short(q.noiseThreshold(1)))
		if q.cells > 1 {
			atMost := ""
			if q.sums != nil { // common noise can lift all cells together above it
				atMost = "at most "
			}
			text += fmt.Sprintf(" If all %s were 0, the largest would be above %s with "+atMost+"that probability: values "+
				"up to there can be noise alone.", spelling.Count(q.cells, "cell"), short(q.noiseThreshold(q.cells)))
		}
		return text
	}
	return ""
}

// NoiseThreshold returns a threshold for Gaussian noise with a standard deviation: if all exact answers are 0, the
// largest of cells noisy values exceeds it with probability 5 %.
func NoiseThreshold(deviation float64, cells int) float64 {
	// Solve 1 - Phi(z)^n = 0.05 for the tail 1 - Phi(z). Expm1 keeps the digits that 1 - 0.95^(1/n) would lose.
	tail := -math.Expm1(math.Log(0.95) / float64(max(cells, 1)))
	return deviation * math.Sqrt2 * math.Erfcinv(2*tail)
}

// NoiseThresholdOf does the same as [NoiseThreshold] for Laplace and geometric noise. Laplace noise exceeds x with
// probability e^(-x/Scale)/2. Geometric noise exceeds k multiples of the grid with probability q^(k+1)/(1+q), q =
// e^(-Grid/Scale).
func NoiseThresholdOf(m calibrate.Mechanism, cells int) float64 {
	tail := -math.Expm1(math.Log(0.95) / float64(max(cells, 1)))
	if m.Noise != calibrate.Geometric {
		return m.Scale * math.Log(0.5/tail)
	}
	s := m.Scale / m.Grid
	return max(math.Ceil(s*math.Log(1/(tail*(1+math.Exp(-1/s))))-1), 0) * m.Grid
}

// withheld describes which cells the publish rules leave empty, and how many.
func (q *queryFacts) withheld() string {
	var rules []string
	if p := q.publish; p.MinCount > 0 {
		rules = append(rules, "its noisy count is below "+domain.FloatText(p.MinCount))
	}
	if p := q.publish; p.MaxRelativeError > 0 {
		rules = append(rules, fmt.Sprintf("its 95 %% interval reaches further than %s times the noisy value to each side",
			domain.FloatText(p.MaxRelativeError)))
	}
	cells, further := q.cells, ""
	if n := q.publish.Complementary; n > 0 {
		further = fmt.Sprintf("%s of these satisfy the rule, but the tables agree, and cells that do not satisfy it could "+
			"be computed. ", spelling.Integer(n))
	}
	if q.kind == string(query.Crosstab) {
		cells = 0
		for _, t := range q.stated.Strategy.Tables {
			cells += t.Cells
		}
		further += "The noisy numbers from which the tables were computed are left out for the same reason. "
	}
	are := "are"
	if q.publish.Withheld == 1 {
		are = "is"
	}
	return fmt.Sprintf("A cell is left empty if %s. The noisy values alone decide, and not the exact ones: of %s, %s %s "+
		"left empty, which the column withheld marks. %sThis does not protect anybody, which the noise does; it keeps "+
		"readers from numbers that are mostly noise.",
		strings.Join(rules, ", or if "), spelling.Count(cells, "cell"), spelling.Integer(q.publish.Withheld), are, further)
}

// noiseThreshold returns the noise threshold of a number of cells for the query's own noise.
func (q *queryFacts) noiseThreshold(cells int) float64 {
	if q.noise.Noise != calibrate.Gaussian {
		return NoiseThresholdOf(q.noise, cells)
	}
	return NoiseThreshold(q.deviation, cells)
}

// denoised returns sentences about the query's denoising steps.
func (q *queryFacts) denoised() []string {
	if len(q.steps) == 0 {
		var out []string
		for _, note := range q.notes {
			out = append(out, strings.TrimSuffix(strings.ToUpper(note[:1])+note[1:], ".")+".")
		}
		return out
	}
	out := []string{fmt.Sprintf("The estimates are the noisy values after: %s. This reads nothing but the noisy values "+
		"and public facts, and costs no budget.", strings.Join(q.steps, ", then "))}
	out = append(out, q.notes...)
	if e := q.expected; e != nil {
		out = append(out, fmt.Sprintf("The root mean squared error of the estimates is about %s (estimated from the noisy "+
			"values; 95 %% interval: %s to %s). That of the noisy values is %s.",
			short(e.RMSE), short(e.Low), short(e.High), short(q.deviation)))
	}
	return out
}

// tableNumber returns a number as page.js writes it in a table: without decimals from 1000 on, and otherwise with four
// significant digits.
func tableNumber(x float64) string {
	if math.Abs(x) >= 1000 {
		x = math.Round(x)
	}
	return spelling.Number(x, 4)
}
