package stabilitytest

import (
	"fmt"
	"slices"
	"strings"
)

// query draws a query without its name.
func (d *drawing) query() string {
	var q string
	kinds := 9
	if d.job.MaxChange > 0 { // a table of counts allows no values and no discovered keys
		kinds = 4
	}
	switch d.IntN(kinds) {
	case 0:
		q = "count: {" + strings.TrimPrefix(d.weight(), ", ") + "}"
	case 1, 2:
		q = d.histogram()
	case 3:
		return d.crosstabs()
	case 4:
		if d.sampled {
			return d.crosstabs()
		}
		return d.discovered()
	case 5:
		q = d.aggregate("sum")
	case 6, 7:
		q = d.aggregate("mean")
	default:
		q = "variance: {column: " + d.one("i", "f", "g", "m", "n", "s") + ", clamp: " + pick(d.Rand, clamps[:5]) +
			d.groups() + "}"
	}
	found := len(d.job.Unit) > 0 && !d.sampled && !strings.Contains(q, "discover") &&
		!strings.Contains(q, "optimize: cdf") &&
		d.chance(0.15)
	switch {
	case found:
		q += ", per_unit: {" + d.foundBounds() + "}"
	case len(d.job.Unit) > 0 && d.chance(0.4):
		q += ", per_unit: {" + d.bounds() + "}"
	}
	if strings.Contains(q, "optimize: cdf") || strings.Contains(q, "noise: auto") {
		return q // these queries can have none of the keys below
	}
	if !found && d.chance(0.05) {
		q += ", sensitivity: 100"
	}
	if !strings.HasPrefix(q, "count") && d.chance(0.2) {
		q += ", sparse: true"
	}
	if d.chance(0.2) {
		q += ", denoise: [{method: " + pick(d.Rand, methods) + "}]"
	}
	return q
}

// foundBounds draws contribution bounds with max_rows: discover.
func (d *drawing) foundBounds() string {
	return fmt.Sprintf("max_rows: discover, max_rows_up_to: %d, max_groups: %d, max_rows_per_group: %d", 4+d.IntN(20),
		1+d.IntN(4), 2+d.IntN(3)) +
		pick(d.Rand, []string{"", ", max_rows_share: 0.3"})
}

// methods lists denoising methods, mostly fast ones: they see only noisy values, so stability does not depend on them.
var methods = []string{"nonnegative", "round", "james-stein", "soft-threshold", "hard-threshold", "nonnegative",
	"round", "james-stein", "soft-threshold", "hard-threshold", "nonnegative", "round", "empirical-bayes", "auto"}

func (d *drawing) histogram() string {
	by := d.dimensions(1+d.IntN(2), false)
	more := ""
	if len(by) == 1 && (strings.Contains(by[0], "edges") || strings.Contains(by[0], "width")) {
		more = pick(d.Rand, []string{"", ", quantiles: [0.25, 0.5]", ", cdf: true", ", optimize: cells", ", optimize: cdf",
			", optimize: cdf, cdf: true"})
	}
	if !strings.Contains(more, "optimize: cdf") && !strings.Contains(fmt.Sprint(by), "kernel") {
		more += pick(d.Rand, []string{"", "", ", noise: independent", ", noise: auto"})
	}
	if strings.Contains(more, "optimize: cdf") || strings.Contains(more, "noise: auto") ||
		strings.Contains(fmt.Sprint(by), "kernel") {
		return "histogram: {by: [" + strings.Join(by, ", ") + "]" + more + "}"
	}
	return "histogram: {by: [" + strings.Join(by, ", ") + "]" + more + d.weight() + "}"
}

// weight draws the weight of rows; mostly none.
func (d *drawing) weight() string {
	if d.job.MaxChange > 0 || d.chance(0.7) {
		return ""
	}
	return ", weight: {column: " + d.one("i", "n", "k", "f", "h", "g", "m", "o", "s") + ", clamp: " +
		pick(d.Rand, []string{"[0, 50]", "[10, 40]", "[0, 0.5]", "[39.999, 40]", "[0, 9223372036854775807]"}) + "}"
}

// crosstabs draws a query of crosstabs. Its noise is added to residuals, not to the cells of its tables.
func (d *drawing) crosstabs() string {
	by := d.dimensions(1+d.IntN(3), false)
	if strings.Contains(fmt.Sprint(by), "kernel") {
		return "count: {}"
	}
	q := "crosstabs: {by: [" + strings.Join(by, ", ") + "], ways: [1" +
		pick(d.Rand, []string{"", fmt.Sprintf(", %d", len(by))}) + "]"
	if strings.Contains(by[0], "as: by0") {
		q += pick(d.Rand, []string{"", ", tables: [{by: [by0], weight: 2}]"})
	}
	if d.chance(0.3) {
		by[0] = "{column: " + d.one("d", "t") + ", from: 2012-12-30, to: 2013-01-03, every: day, levels: [year, month, " +
			"day], as: levels}"
		known := ""
		if d.chance(0.5) {
			by[0] = "{column: " + d.one("s", "c") + d.fold() + ", values_from: {file: places.csv, column: place}, levels: " +
				pick(d.Rand, []string{"[region, place]", "[country, region, place]"}) + ", as: levels}"
			known = pick(d.Rand, []string{"", ", known: [{level: region, file: people.csv, column: people}]"})
		}
		q = "crosstabs: {by: [" + strings.Join(by, ", ") + "]" + known
	}
	q += pick(d.Rand, []string{"", ", optimize: cells", ", optimize: tables", ", optimize: largest"}) + "}"
	if len(d.job.Unit) > 0 && d.chance(0.4) {
		q += ", per_unit: {" + d.bounds() + "}"
	}
	return q
}

// discovered draws a histogram with discovered keys, which needs its own bounds.
func (d *drawing) discovered() string {
	by := []string{"{column: " + d.one("s", "c", "i", "d", "b", "t", "o", "k") + ", keys: discover, as: key" + d.fold() +
		"}"}
	if d.chance(0.3) {
		by = append(by, d.dimensions(1, true)...)
	}
	d.Shuffle(len(by), func(i, j int) { by[i], by[j] = by[j], by[i] })
	d.selected = by
	q := "histogram: {by: [" + strings.Join(by, ", ") + "]" +
		pick(d.Rand, []string{"", "", "", ", min_units: 1", ", min_units: 2", ", min_units: 3"})
	if len(d.job.Unit) > 0 && !strings.Contains(q, "min_units") && d.chance(0.7) {
		q += ", optimize: keys"
	}
	q += "}"
	if len(d.job.Unit) > 0 {
		q += fmt.Sprintf(", per_unit: {max_groups: %d, max_rows_per_group: 1}", 1+d.IntN(4))
	}
	return q
}

// follower draws a sum, a mean or a variance by the keys that a histogram discovers, perhaps with a further dimension.
func (d *drawing) follower() string {
	kind := pick(d.Rand, []string{"sum", "mean", "variance"})
	by := slices.Clone(d.selected)
	if d.chance(0.3) {
		further := d.dimensions(1, true)[0]
		by = append(by, strings.ReplaceAll(further, "as: by0", "as: further"))
	}
	q := kind + ": {column: " + d.one("i", "f", "g", "m", "n", "s") + ", clamp: " + pick(d.Rand, clamps[:5])
	if kind == "mean" {
		q += d.weight()
	}
	q += ", by: [" + strings.Join(by, ", ") + "]}"
	if len(d.job.Unit) > 0 {
		q += fmt.Sprintf(", per_unit: {max_groups: %d, max_rows_per_group: %d}", 1+d.IntN(4), 1+d.IntN(3))
	}
	return q
}

var (
	clamps = []string{"[0, 50]", "[-5, 40]", "[10, 40]", "[-0.5, 0.5]", "[39.999, 40]",
		"[-9223372036854775808, 9223372036854775807]", "[0, 1e-140]", "[-1e140, 1e-140]"}
	clips = []string{"1", "40", "0.001", "1e140"}
)

// apart draws a query in which each row of a unit has a cell of its own, by the producer's promise.
func (d *drawing) apart() string {
	by := "by: [{column: " + d.job.Distinct + ", values: " + d.labels(d.kind(d.job.Distinct)) + "}]"
	if d.job.MaxChange > 0 {
		return "histogram: {" + by + "}"
	}
	return pick(d.Rand, []string{"histogram: {" + by + pick(d.Rand, []string{"", ", noise: auto"}) + "}",
		"histogram: {" + by + ", noise: auto}",
		"histogram: {by: [{column: " + d.job.Distinct + ", keys: discover}]}",
		"sum: {column: " + d.one("f", "m", "s") + ", clamp: " + pick(d.Rand, clamps[:5]) + ", " + by + "}"})
}

// aggregate draws a sum or a mean of a column, of several columns that form a vector, or of lists.
func (d *drawing) aggregate(kind string) string {
	bound := "clamp: " + pick(d.Rand, clamps)
	switch {
	case d.chance(0.15):
		return d.clamped(kind)
	case d.chance(0.4):
		bound = "clip_l2: " + pick(d.Rand, clips)
	}
	var value string
	switch d.IntN(5) {
	case 0:
		for _, c := range []string{"x", "y", "z"} {
			d.use(c)
		}
		value = "columns: [x, y, z]"
	case 1:
		value = fmt.Sprintf("column: %s, length: %d", d.use("v"), listLength)
	default:
		value = "column: " + d.one("i", "n", "k", "f", "h", "g", "m", "o", "s")
	}
	of := kind + ": {" + value + ", " + bound
	if kind == "mean" && strings.HasPrefix(value, "column:") && strings.HasPrefix(bound, "clamp: [") &&
		!strings.Contains(value+bound, "length") && !strings.Contains(bound, "e-140") {
		if w := d.weight(); w != "" {
			return of + w + d.groups() + "}"
		}
	}
	if kind == "mean" && d.job.Rows > 0 && len(d.job.Where) == 0 && d.chance(0.9) {
		return of + fmt.Sprintf(", rows: %d", d.job.Rows) + pick(d.Rand, []string{"", ", null: centre, nan: centre"}) + "}"
	}
	return of + d.groups() + pick(d.Rand, []string{"", "", ", null: drop, nan: drop"}) + "}"
}

// clamped draws a sum or a mean with clamp: discover.
func (d *drawing) clamped(kind string) string {
	of := kind + ": {column: " + d.one("i", "n", "k", "f", "h", "g", "m", "o", "s") + ", clamp: discover, range: " +
		pick(d.Rand, clamps) + pick(d.Rand, []string{"", ", clamp_share: 0.3"})
	if kind == "mean" && d.job.Rows > 0 && len(d.job.Where) == 0 && d.chance(0.5) {
		return of + fmt.Sprintf(", rows: %d}", d.job.Rows)
	}
	return of + d.groups() + "}"
}

// groups draws the dimensions of a sum, a mean or a variance, often none.
func (d *drawing) groups() string {
	if d.chance(0.5) {
		return ""
	}
	return ", by: [" + strings.Join(d.dimensions(1, false), ", ") + "]"
}

// dimensions draws n dimensions with different names. If whole is set, no row counts in several cells (no kernels), as
// discovered keys require.
func (d *drawing) dimensions(n int, whole bool) []string {
	var by []string
	grid := false
	for len(by) < n {
		dim, isGrid := d.dimension(whole)
		if isGrid && grid {
			continue
		}
		grid = grid || isGrid
		if !strings.Contains(dim, "kernel") {
			for _, policy := range []string{"null", "other"} {
				if d.chance(0.4) {
					dim += ", " + policy + ": bin"
				}
			}
		}
		if !isGrid {
			dim += fmt.Sprintf(", as: by%d", len(by))
		}
		by = append(by, "{"+dim+"}")
	}
	return by
}

var (
	dayParts   = []string{"day_of_week", "day_of_month", "week_of_year", "month", "quarter"}
	clockParts = append(slices.Clone(dayParts), "minute_of_hour", "hour_of_day", "hour_of_week")
)

// fold draws the key fold of a dimension of texts; often "".
func (d *drawing) fold() string {
	if d.chance(0.7) {
		return ""
	}
	return ", fold: [" + pick(d.Rand, []string{"case", "space", "accents", "case, space", "accents, case, space"}) + "]"
}

var calendars = []string{
	"from: 2012-12-30, to: 2013-01-03, every: day", "from: 2012-12-24, to: 2013-01-28, every: week",
	"from: 2012-11-01, to: 2013-05-01, every: month",
	"from: 2012-10-01, to: 2013-10-01, every: quarter", "from: 1969-01-01, to: 2015-01-01, every: year, last_edge: " +
		"excluded",
}

// dimension draws one dimension of any kind.
func (d *drawing) dimension(whole bool) (text string, grid bool) {
	switch d.IntN(11) {
	case 0, 1:
		name := d.one("s", "c", "i", "n", "k", "f", "g", "b", "d", "t", "l", "o")
		return "column: " + name + ", values: " + d.labels(d.kind(name)) + d.fold(), false
	case 2:
		return "column: " + d.one("s", "c") + ", values_from: {file: keys.csv, column: key}" + d.fold(), false
	case 3, 4:
		name := d.one("f", "g", "h", "i", "n", "k", "m", "o", "s", "d", "t", "l")
		return "column: " + name + ", edges: [" + quoted(some(d.Rand, 2+d.IntN(4), d.thresholds(d.kind(name)))) + "]" +
			pick(d.Rand, []string{"", "", ", last_edge: included", ", last_edge: excluded"}), false
	case 5:
		if d.chance(0.5) {
			return "column: " + d.one("d", "t", "l") + ", " + pick(d.Rand, calendars), false
		}
		return "column: " + d.one("f", "g", "i", "n", "k", "m", "s") + ", " +
			pick(d.Rand, []string{"from: 0, to: 50, width: 5", "from: -10, to: 40, width: 12.5",
				"from: 0, to: 1, width: 0.1"}), false
	case 6:
		return "column: " + d.one("t", "l") + ", part: " + pick(d.Rand, clockParts), false
	case 7:
		return "column: d, part: " + pick(d.Rand, dayParts), d.use("d") == ""
	case 8:
		d.use("lat")
		d.use("lon")
		return fmt.Sprintf("grid: {lat: lat, lon: lon, south: 40.7, west: -74.02, north: 40.88, east: -73.9, rows: %d, "+
			"cols: %d}", 1+d.IntN(4), 1+d.IntN(4)), true
	}
	d.use("lat")
	d.use("lon")
	kernel := ""
	if !whole && d.chance(0.4) {
		kernel = ", kernel: {bandwidth_m: " + pick(d.Rand, []string{"20", "150", "5000"}) + "}"
	}
	return "nearest: {lat: lat, lon: lon, points: points.csv, id: id, within_m: " +
		pick(d.Rand, []string{"50", "500", "100000"}) + kernel + "}", false
}

// labels draws a list of cells, some of them with aliases.
func (d *drawing) labels(k Kind) string {
	members := some(d.Rand, 2+d.IntN(4), d.listed(k))
	members = slices.DeleteFunc(members, func(m string) bool { return m == "null" || m == "other" })
	if len(members) < 2 || d.chance(0.6) {
		return "[" + quoted(members) + "]"
	}
	return fmt.Sprintf("{first: [%s], second: [%s]}", quoted(members[:1]), quoted(members[1:]))
}
