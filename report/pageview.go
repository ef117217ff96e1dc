package report

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/report/picture"
)

// view is the data of the page's template.
type view struct {
	CSP         string
	CSS         template.CSS
	Data        template.JS
	Script      template.JS
	Synthetic   string // the banner of a preview; "" on the page of a release
	Name        string
	Description string
	Params      [][2]string
	What        []string
	Facts       []fact
	Guarantee   guaranteeView
	// NotProtected, Limits and Stated are sentences for the page.
	NotProtected, Limits []string
	Stated               [][2]string
	Queries              []queryView
	Columns              [][2]string // name and description of each column of the tables
	Shares               []shareView
	Budget               []string
	Files                []fileView
	Program              string
	Prefix               string // prefix of the file names of a preview
}

type fact struct{ Label, Text, More string }

type guaranteeView struct {
	Suppose, Half, Holds, Statement, GuessCaption, AlarmCaption string
	Guesses                                                     [][3]string // belief, right without and with release
	Alarms, Epsilons                                            [][2]string
	How                                                         []string
	Curve                                                       *shownPicture
}

type queryView struct {
	ID, Name              string
	Question, Description string
	About, Denoised       []string
	Tables                []tableView
}

type tableView struct {
	At          int
	Title, Note string
	// Bounded describes what the job's bounds leave out; "" if nothing.
	Bounded string
	Number  string        // the value, if the table has a single cell
	Picture *shownPicture // nil if there is no picture
}

type shareView struct{ Query, Share, Sensitivity, Deviation, Half, Why string }

type fileView struct{ Path, Rows string }

// view returns the page's words and numbers about the release.
func (f *facts) view(d *pageData) (*view, error) {
	v := &view{
		Synthetic: f.synthetic, Name: shown(f.title), Description: f.deployment.Description, Columns: f.columnViews(),
		What: f.what(), Facts: f.glance(), Guarantee: f.guaranteeView(), NotProtected: f.notProtectedView(),
		Limits: f.limits(), Stated: f.stated, Budget: f.budgetView(), Program: f.program,
	}
	for _, p := range f.params {
		v.Params = append(v.Params, [2]string{shown(p[0]), shown(p[1])})
	}
	total := 0.0
	for i := range f.queries {
		total += f.queries[i].mu * f.queries[i].mu
	}
	for i := range f.queries {
		q := &f.queries[i]
		shownQuery, err := f.queryView(i, d)
		if err != nil {
			return nil, err
		}
		v.Queries = append(v.Queries, shownQuery)
		v.Shares = append(v.Shares, shareView{
			Query: shown(q.title), Share: percentDown(q.mu * q.mu / total), Sensitivity: short(q.l2),
			Deviation: short(q.deviation), Half: q.halfText(), Why: q.why,
		})
		for _, x := range q.files {
			v.Files = append(v.Files, fileView{x.Path, spelling.Count(x.Rows, "row")})
		}
	}
	v.Files = append(v.Files, fileView{Path: f.prefix + "README.md"}, fileView{Path: f.prefix + "release.json"})
	v.Prefix = f.prefix
	var err error
	v.Guarantee.Curve, err = f.guarantee.picture()
	return v, err
}

// withoutTiny is the end of the caption of the table of guesses: gains below tinyGain are not shown.
const withoutTiny = ". Gains below 0.000000000001 % are left out."

// columnViews describes the columns that every table has and the columns that the job describes.
func (f *facts) columnViews() [][2]string {
	out := [][2]string{
		{noisyColumn, "the exact answer plus noise; right on average"},
		{estimateColumn, "the noisy value after denoising; without denoising the noisy value itself"},
		{"standard_deviation", "the typical size of the noise"},
		{"ci95_low, ci95_high", "the ends of the 95 % interval"},
	}
	if slices.ContainsFunc(f.queries, func(q queryFacts) bool { return query.Kind(q.kind).IsQuotient() }) {
		count, sums := "how many rows a mean or variance is of, plus noise", "the noisy sums of which it was computed: of "+
			"values less the middle of their range, and of their squares"
		if slices.ContainsFunc(f.queries, func(q queryFacts) bool { return q.kind == "mean" && q.weight != "" }) {
			count, sums = count+"; of a weighted mean, the sum of their weights", sums+"; of a weighted mean, times the weight"
		}
		out = append(out, [2]string{"noisy_count", count}, [2]string{"noisy_centred_sum, noisy_centred_squares", sums})
	}
	for _, name := range slices.Sorted(maps.Keys(f.columns)) {
		c := f.columns[name]
		text := strings.Join(slices.DeleteFunc([]string{c.Title, c.Description}, func(s string) bool { return s == "" }),
			": ")
		if c.Unit != "" {
			text = strings.TrimSpace(text + " (" + c.Unit + ")")
		}
		if text != "" {
			out = append(out, [2]string{shown(name), shown(text)})
		}
	}
	return out
}

// unitName returns the name of the privacy unit.
func (f *facts) unitName() string {
	if len(f.unit) == 0 {
		return "row"
	}
	var names []string
	for _, column := range f.unit {
		names = append(names, cmp.Or(f.columns[column].Title, column))
	}
	return strings.Join(names, " and ")
}

// unitRows returns words for all rows of one privacy unit, such as "all rows of one person".
func (f *facts) unitRows() string {
	switch {
	case len(f.unit) == 0:
		return "one row"
	case f.upstream != nil && (f.upstream.MaxChange > 0 || f.upstream.MaxSum > 0):
		return "what one " + f.unitName() + " adds to the counts"
	}
	return "all rows of one " + f.unitName()
}

// what returns paragraphs that say what the release is.
func (f *facts) what() []string {
	cells := 0
	for i := range f.queries {
		cells += f.queries[i].cells
	}
	first := fmt.Sprintf("The release answers %s about a private table, with %s. Each number is the exact answer plus "+
		"random noise that was drawn once. The noise hides whether %s are in the data, as far as the guarantee says. Sums "+
		"over many rows stay accurate.",
		spelling.Count(len(f.queries), "question"), spelling.Count(cells, "number"), f.unitRows())
	out := []string{first}
	if f.madeFrom != "" {
		out = append(out, "It shows the noisy values of an earlier release again, in another form: both together tell no "+
			"more than one of them.")
	}
	return out
}

// glance returns the few facts at the top of the page.
func (f *facts) glance() []fact {
	half := f.guarantee.Guess(big.NewRat(1, 2))
	facts := []fact{
		{"Protected", f.unitRows(), ""},
		{"A guess at even odds is right at most", percentUp(half), " of the time"},
		{"Guarantee", "epsilon " + AsStated(f.epsilon), "at delta " + AsStated(f.delta)},
	}
	if b := f.budget; b != nil {
		facts = append(facts, fact{"Left of the data's budget", b.left(), ""})
	}
	return facts
}

// The prior beliefs and the false positive rates for which the page states an attacker's success.
var (
	beliefs     = []string{"1/100", "1/10", "1/2", "9/10", "99/100"}
	falseAlarms = []float64{0.001, 0.01, 0.05}
	deltas      = []string{"1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9"}
)

func (f *facts) guaranteeView() guaranteeView {
	unit, g := f.unitName(), f.guarantee
	question := fmt.Sprintf("whether the rows of one %s are in the data", unit)
	if len(f.unit) == 0 {
		question = "whether one particular row is in the data"
	}
	if f.replaced {
		question = fmt.Sprintf("which of two sets of rows one %s has in the data", unit)
		if len(f.unit) == 0 {
			question = "which of two rows is in the data"
		}
	}
	v := guaranteeView{
		Suppose: fmt.Sprintf("Suppose somebody knows every row of the private table but those in question, and everything "+
			"about how this release was made. They want to find out %s. All that they can do is to look at the release, "+
			"compute what they like, and guess.", question),
		Half: fmt.Sprintf("If both answers were equally likely to them before, the guess is right at most %s of the "+
			"time; without the release it would be 50 %%.", percentUp(g.Guess(big.NewRat(1, 2)))),
		Holds: "This holds whatever else is known, now or later, and however large the computer. It holds for the release " +
			"as a whole, for each such " + unit +
			", and for every further table, picture or model that is made of it.",
		Statement: f.statement, GuessCaption: "How often such a guess is right, at most; the belief is that the rows are " +
			"in the data" + withoutTiny, AlarmCaption: "An attacker who accuses so many of the innocent finds at most so many " +
			"of those in the data",
	}
	if f.replaced {
		v.GuessCaption = "How often such a guess is right, at most; the belief is that it is the first of the two" +
			withoutTiny
	}
	for _, b := range beliefs {
		p, _ := new(big.Rat).SetString(b)
		alone := new(big.Rat).Sub(big.NewRat(1, 1), p)
		if alone.Cmp(p) < 0 {
			alone = p
		}
		v.Guesses = append(v.Guesses, [3]string{wholePercent(p), wholePercent(alone), rightText(alone, g.Guess(p))})
	}
	for _, a := range falseAlarms {
		v.Alarms = append(v.Alarms, [2]string{plain(100*a) + " %", percentUp(probability(g.TruePositives(a)))})
	}
	for _, text := range deltas {
		delta, err := calibrate.ParseDown(text)
		if eps, ok := g.Epsilon(delta); err == nil && ok {
			v.Epsilons = append(v.Epsilons, [2]string{text, spelling.Up(eps, 5)})
		}
	}
	v.How = f.how()
	return v
}

// how returns the formulas from which the page's numbers are computed.
func (f *facts) how() []string {
	g := f.guarantee
	out := []string{fmt.Sprintf("With mu = %s, the parameter of Gaussian differential privacy that the noise of all "+
		"queries has together, and Phi the normal distribution function, a guess at even odds is right at most Phi(mu/2) "+
		"of the time; one from a belief of p at most p·Phi(mu/2 + c) + (1 − p)·Phi(mu/2 − c) of the time, with c = "+
		"ln(p/(1 − p))/mu; a test with a false positive rate of a has a true positive rate of at most Phi(Phi⁻¹(a) + mu). "+
		"The curve is delta(epsilon) = Phi(mu/2 − epsilon/mu) − e^epsilon·Phi(−mu/2 − epsilon/mu).",
		plain(g.Mu))}
	if g.Failure > 0 {
		out = append(out, fmt.Sprintf("Keys were selected from the private table. With a probability of at most %s a key "+
			"is published that one unit alone has: it is added to delta and to the true positive rate, and the smaller of p "+
			"and 1 − p times it to the guesses.", ceilingText(g.Failure)))
	}
	if g.Both {
		return append(out, fmt.Sprintf("The noise is geometric or Laplace and epsilon-differentially private with epsilon "+
			"= %s and delta 0, from which a guess at even odds is right at most 1/(1 + e^(−epsilon)) of the time; mu is that "+
			"of Gaussian noise which reveals no less. Both hold: each number here is the smaller one of the two.",
			plain(g.Pure)))
	}
	if g.Pure > 0 {
		out = append(out, fmt.Sprintf("A part of the release is epsilon-differentially private with epsilon = %s and delta "+
			"0. Its curve and that of the Gaussian part are composed as randomized response and Gaussian noise are: the guess "+
			"is p + (1 − p)·delta(ln(p/(1 − p))) for p of at least one half, and the true positive rate the least e^epsilon·a "+
			"+ delta(epsilon).", plain(g.Pure)))
	}
	return append(out, "All numbers here are rounded up, so that none of them promises more than is proven.")
}

// curve returns points (epsilon, delta) of the guarantee's curve, for its picture.
func (g guarantee) curve() [][2]float64 {
	most := 10.0
	if eps, ok := g.Epsilon(1e-10 + g.Failure); ok && eps > 0 {
		most = eps
	}
	points := [][2]float64{}
	for i := range 61 {
		eps := most * float64(i) / 60
		if d := g.Delta(eps); d > 1e-14 {
			points = append(points, [2]float64{eps, d})
		}
	}
	return points
}

// picture draws delta over epsilon.
func (g guarantee) picture() (*shownPicture, error) {
	line := picture.Line{Style: lineStyle}
	for _, p := range g.curve() {
		line.X, line.Y = append(line.X, p[0]), append(line.Y, p[1])
	}
	if len(line.X) < 2 {
		return nil, nil
	}
	f := &picture.Figure{Width: 12, Height: 7, Panels: []picture.Panel{picture.Chart{X: picture.Axis{Label: "epsilon"},
		Y: picture.Axis{Label: "delta", Log: true}, Lines: []picture.Line{line}}}}
	return embed(f, "the curve", "The curve of delta over epsilon, whose values the table beside it lists.")
}

func (f *facts) notProtectedView() []string {
	out := []string{
		"What many rows have in common. If the release shows that trips are many at eight, it says so of everyone who is " +
			"known to travel then, in the data or not.",
	}
	if len(f.unit) > 0 {
		out = append(out, fmt.Sprintf("Whatever has more than one %s in the data: its protection is weaker, the more of "+
			"them it has.", f.unitName()))
	} else {
		out = append(out, "Whoever has more than one row in the data: their protection is weaker, the more rows they have.")
	}
	for _, x := range f.notProtected {
		out = append(out, capital(x)+".")
	}
	for _, x := range f.unprotected {
		out = append(out, "Public as it is: "+x+".")
	}
	return out
}

// limits returns what readers of the tables must know: what intervals cover, which estimates are biased, and what the
// guarantee assumes.
func (f *facts) limits() []string {
	fractions := ""
	if slices.ContainsFunc(f.queries, func(q queryFacts) bool {
		return q.gridStep > 0 &&
			q.gridStep != math.Trunc(q.gridStep)
	}) {
		fractions = ", or not integers"
	}
	out := []string{
		"The intervals are around the noisy values. They cover the exact answer with 95 % probability, each by itself: of " +
			"a hundred, some five miss it. They say nothing about errors in the data.",
		"The exact answer is what the program counted: rows that the job leaves out, and rows of a unit beyond its bounds, " +
			"are not in it.",
		"Noisy counts may be negative" + fractions + ". Left as they are, they are right on average; cut off at zero, " +
			"sums of them are too large. Means and variances are quotients of noisy numbers, and only nearly right on average.",
	}
	if slices.ContainsFunc(f.queries, func(q queryFacts) bool { return len(q.steps) > 0 }) {
		out = append(out, "Estimates are noisy values after denoising. They are nearer to the truth on the whole and may "+
			"be biased in a cell; for sums and tests take the noisy values.")
	}
	if slices.ContainsFunc(f.queries, func(q queryFacts) bool { return q.cutAtZero && q.nested }) {
		out = append(out, "Estimates of levels are made non-negative from the first level down. Cells near 0 are too large "+
			"on average, and others of their group too small. For tests of single cells take the noisy values.")
	}
	if slices.ContainsFunc(f.queries, func(q queryFacts) bool { return q.cutAtZero && !q.nested }) {
		out = append(out, "Estimates of tables that agree are made non-negative. Totals and tables by one column are right "+
			"on average; a cell without rows is too large, and a large cell beside many of these too small. For tests of "+
			"single cells take the noisy values.")
	}
	if u := f.upstream; u != nil {
		out = append(out, "Nothing in the table tells units apart. The guarantee rests on the promise of the table's "+
			"producer that "+shown(u.String())+". This program did not bound what one "+f.unitName()+" adds, and did not "+
			"check the promise.")
	}
	return append(out, "The guarantee assumes that the program ran as published, on a machine that only the data's "+
		"keepers can look into, with the bounds that the manifest states.")
}

// left returns the fraction of the budget's cap that no release has used, rounded down.
func (b *budget) left() string {
	share := new(big.Rat).Quo(b.chargedMu2, b.capMu2)
	share.Sub(big.NewRat(1, 1), share)
	if share.Sign() < 0 {
		share.SetInt64(0)
	}
	return floorTo(share.Mul(share, big.NewRat(100, 1)), 1) + " %"
}

func (f *facts) budgetView() []string {
	b := f.budget
	if b == nil {
		return nil
	}
	charged, _ := b.chargedMu2.Float64()
	all := guarantee{Mu: rootUp(charged), Failure: f.guarantee.Failure, Pure: f.guarantee.Pure}
	if f.guarantee.Both { // mu covers the pure mechanisms too
		all.Pure = 0
	}
	out := []string{fmt.Sprintf("All releases of the dataset %s share one budget: %s. After the releases that were "+
		"published before and this one, %s of it is left.", shown(b.dataset), b.cap, b.left())}
	if f.guarantee.Failure == 0 && all.Pure == 0 {
		out = append(out, fmt.Sprintf("Somebody who looks at all of these releases at once, and had even odds before, is "+
			"right at most %s of the time.", percentUp(all.Guess(big.NewRat(1, 2)))))
	}
	if b.period != "" {
		out = append(out, "Beside this lifetime's budget there is one for each "+b.period+".")
	}
	return out
}

// plain formats a number with the fewest digits that identify the float64.
func plain(x float64) string {
	return plainExponent(strconv.FormatFloat(x, 'g', -1, 64))
}

// ceilingText returns the shortest decimal that rounds up to x.
func ceilingText(x float64) string {
	for digits := 1; digits < 17; digits++ {
		if text := strconv.FormatFloat(x, 'g', digits, 64); ceilingOf(text) == x {
			return strings.Replace(text, "e-0", "e-", 1)
		}
	}
	return plain(x)
}

func wholePercent(p *big.Rat) string {
	return ceilTo(new(big.Rat).Mul(p, big.NewRat(100, 1)), 0) + " %"
}
