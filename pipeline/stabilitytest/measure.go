package stabilitytest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
)

// Answer is the exact answer of one mechanism, in multiples of Quantum: Cells or, if keys are private, Keys with their
// counts or weights.
type Answer struct {
	Quantum float64
	Cells   []*big.Int
	Keys    map[string]int64
	// Least is min_units: keys with a smaller count were left out. 0 stands for 1.
	Least int64
	// Among holds the keys that the selection can return, with their counts, if min_units is above 1; else nil.
	Among map[string]int64
	// Named holds the exact numbers by cell and key digest, in multiples of Quantum. It is nil unless another query
	// selects the keys of this one.
	Named map[string]*big.Int
}

// String prints the cells that are not 0.
func (a Answer) String() string {
	var b strings.Builder
	if a.Keys != nil {
		for _, k := range slices.Sorted(maps.Keys(a.Keys)) {
			fmt.Fprintf(&b, "%q: %d, ", k, a.Keys[k])
		}
		return b.String()
	}
	for _, k := range slices.Sorted(maps.Keys(a.Named)) {
		fmt.Fprintf(&b, "%x: %s, ", k, a.Named[k])
	}
	for i, c := range a.Cells {
		if c.Sign() != 0 {
			fmt.Fprintf(&b, "[%d] %s, ", i, c)
		}
	}
	return fmt.Sprintf("%d cells in multiples of %g: %s", len(a.Cells), a.Quantum, b.String())
}

// Case is two neighbouring tables, a job about them, and how they are written and read.
type Case struct {
	Job    *Job
	Pair   *Pair
	Writer Writer
	Layout uint64 // seed of the writer's layout
	Limits Limits
	// Whole is set if the answers must also be equal to the answers of a run that ignores the statistics of files.
	Whole bool
	Note  string // where the case comes from: the seed
}

// Put writes one table of the pair, 0 or 1, into the files of a folder.
func (c *Case) Put(dir string, i int) error {
	names := Files(c.Writer, c.Pair.Files)
	if c.Job.Tables != nil {
		if err := os.WriteFile(filepath.Join(dir, items), []byte(itemRows), 0o600); err != nil {
			return err
		}
	}
	for k, rows := range c.Pair.Table(i) {
		// Each file has a layout of its own, which is the same for both tables.
		r := rand.New(rand.NewPCG(c.Layout, uint64(k)))
		if err := c.Writer.Write(filepath.Join(dir, names[k]), c.Job.Columns, rows, c.Job.CSV, r); err != nil {
			return unwritten{err}
		}
	}
	return nil
}

// openFiles opens the files that Put wrote.
func (c *Case) openFiles(l *Lab) (*source.Dataset, error) {
	options := c.Job.source
	options.Dir, options.Files, options.Workers = l.Dir, Files(c.Writer, c.Pair.Files), c.Limits.Workers
	return source.Open(context.Background(), options)
}

// unwritten is an error of a writer; it does not concern the engine.
type unwritten struct{ error }

// unequal is the error of an engine whose answer to a query differs from its twin's.
type unequal struct {
	query   string
	answers [2]Answer
}

// Error names the query.
func (u unequal) Error() string { return u.query + ": the engine and its twin give different answers" }

// answers writes one table, 0 or 1, and returns the exact answers about it, one for each mechanism of a job's plan, in
// order. If the lab has a twin and its answers differ, the error is unequal.
func (c *Case) answers(l *Lab, j *Job, i int) ([]Answer, error) {
	if err := c.Put(l.Dir, i); err != nil {
		return nil, err
	}
	p := j.plan
	if l.Jobs {
		var err error
		if p, err = c.putJob(l, j); err != nil {
			return nil, err
		}
	}
	answers, err := c.ask(l, p, l.Open)
	if failed := (*pipeline.Error)(nil); errors.As(err, &failed) && failed.Code == "over-units" {
		return nil, unwritten{err} // parts of the input are added up apart, which is refused
	}
	if err != nil || l.Twin == nil || len(p.Tables()) > 0 {
		return answers, err
	}
	twin, err := c.ask(l, p, l.Twin)
	if err != nil {
		return nil, fmt.Errorf("the twin: %w", err)
	}
	for k, m := range p.Mechanisms() {
		if diff, ok := difference(answers[k], twin[k]); !ok || len(diff) > 0 {
			return nil, unequal{m.Query, [2]Answer{answers[k], twin[k]}}
		}
	}
	return answers, nil
}

// putJob writes the files of a job about the case's files, and makes its plan.
func (c *Case) putJob(l *Lab, j *Job) (*pipeline.Plan, error) {
	names := Files(c.Writer, c.Pair.Files)
	path := filepath.Join(l.Dir, "job.yaml")
	for name, text := range Public {
		if err := os.WriteFile(filepath.Join(l.Dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(path, []byte(j.YAML(names...)), 0o600); err != nil {
		return nil, err
	}
	p, diags := j.Plan(path, names...)
	if len(diags) > 0 {
		return nil, diags
	}
	return p, nil
}

// ask asks an engine about the files that Put wrote.
func (c *Case) ask(l *Lab, p *pipeline.Plan, open func(*source.Dataset, Limits, string) pipeline.Engine) ([]Answer,
	error) {
	engine, err := c.open(l, p, open)
	if err != nil {
		return nil, err
	}
	defer func() { _ = engine.Close() }() // it has read everything
	if diags := p.CheckWith(engine); len(diags) > 0 {
		return nil, unwritten{diags}
	}
	exact, err := engine.Aggregate(context.Background(), p, pipeline.Silent{})
	if err != nil {
		return nil, err
	}
	defer exact.Close()
	if err := p.ChooseWidest(exact.Exacts); err != nil {
		return nil, err
	}
	return Opened(l, p, exact.Exacts), nil
}

// Opened opens the exact answers of a plan, one for each mechanism, in order.
func Opened(tb testing.TB, p *pipeline.Plan, exacts [][]mechanism.Exact) (out []Answer) {
	tb.Helper()
	queries := p.Queries()
	for q, components := range exacts {
		for k, e := range components {
			c := queries[q].Components
			leader, follows := queries[q].Leader()
			switch {
			case follows:
				a := Answer{}
				a.Quantum, a.Named = mechanismtest.OpenForKeys(tb, e)
				if least := queries[leader].Components[0].MinUnits; least > 1 {
					a.Among = openKeys(tb, exacts[leader][0], least).Keys
				}
				out = append(out, a)
			case k < len(c) && c[k].Keys > 0:
				a := openKeys(tb, e, c[k].MinUnits)
				a.Quantum = c[k].Quantum
				out = append(out, a)
			default:
				quantum, cells := mechanismtest.OpenWide(tb, e)
				out = append(out, Answer{Quantum: quantum, Cells: cells})
			}
		}
	}
	return out
}

func openKeys(tb testing.TB, e mechanism.Exact, least int64) Answer {
	tb.Helper()
	keys, counts := mechanismtest.OpenKeyed(tb, e)
	a := Answer{Keys: map[string]int64{}, Least: least}
	for i, k := range keys {
		a.Keys[k] = counts[i]
	}
	return a
}

// eachCanBe returns the numbers of the keys that both selections can return.
func (a Answer) eachCanBe(other Answer) map[string]*big.Int {
	if a.Among == nil {
		return a.Named
	}
	digests := map[string]bool{}
	for key := range a.Among {
		if _, both := other.Among[key]; both {
			d := sha256.Sum256([]byte(key))
			digests[string(d[:])] = true
		}
	}
	named := maps.Clone(a.Named)
	maps.DeleteFunc(named, func(name string, _ *big.Int) bool { return !digests[name[4:4+sha256.Size]] }) // after the cell
	return named
}

// difference returns the differences of two answers that are not 0, cell by cell; ok is false if the answers differ in
// form. A key that was left out has the count Least - 1. Its Named numbers are not compared.
func difference(a, b Answer) (out []*big.Int, ok bool) {
	if len(a.Cells) != len(b.Cells) || a.Quantum != b.Quantum || (a.Keys == nil) != (b.Keys == nil) ||
		(a.Named == nil) != (b.Named == nil) {
		return nil, false
	}
	if a.Least != b.Least || (a.Among == nil) != (b.Among == nil) {
		return nil, false
	}
	a.Named, b.Named = a.eachCanBe(b), b.eachCanBe(a)
	absent := max(a.Least-1, 0)
	zero := new(big.Int)
	for _, k := range slices.Sorted(maps.Keys(a.Named)) {
		if d := new(big.Int).Sub(a.Named[k], cmp.Or(b.Named[k], zero)); d.Sign() != 0 {
			out = append(out, d)
		}
	}
	for k, n := range b.Named {
		if a.Named[k] == nil && n.Sign() != 0 {
			out = append(out, new(big.Int).Neg(n))
		}
	}
	for i := range a.Cells {
		if a.Cells[i].Cmp(b.Cells[i]) != 0 {
			out = append(out, new(big.Int).Sub(a.Cells[i], b.Cells[i]))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(a.Keys)) {
		n, has := b.Keys[k]
		if !has {
			n = absent
		}
		if a.Keys[k] != n {
			out = append(out, big.NewInt(a.Keys[k]-n))
		}
	}
	for k, n := range b.Keys {
		if _, has := a.Keys[k]; !has {
			out = append(out, big.NewInt(absent-n))
		}
	}
	return out, true
}

// within reports whether two answers are at most the L2 sensitivity of their mechanism apart, exactly; the L1
// sensitivity if its noise is not Gaussian.
func within(a, b Answer, m calibrate.Mechanism) bool {
	distance, ok := squaredDistance(a, b, m)
	return ok && distance.Cmp(m.Sens.Squared()) <= 0
}

// squaredDistance returns the squared distance of two answers in the norm of the sensitivity of their mechanism. It is
// false if neighbours cannot have such totals.
func squaredDistance(a, b Answer, m calibrate.Mechanism) (*big.Rat, bool) {
	diff, ok := difference(a, b)
	if !ok {
		return nil, false
	}
	sum := new(big.Int)
	for _, d := range diff {
		if m.Noise == calibrate.Gaussian {
			sum.Add(sum, new(big.Int).Mul(d, d))
		} else {
			sum.Add(sum, new(big.Int).Abs(d))
		}
	}
	if m.Noise != calibrate.Gaussian {
		sum.Mul(sum, sum)
	}
	distance := new(big.Rat).SetInt(sum)
	quantum := new(big.Rat)
	quantum.SetFloat64(cmp.Or(a.Quantum, 1))
	return distance.Mul(distance, quantum).Mul(distance, quantum), true
}

// withinTogether reports whether the answers of mechanisms that are charged together are as near to each other as all
// of them say: the sum of their squared distances in units of their sigmas is at most the same sum of their
// sensitivities.
func withinTogether(a, b []Answer, ms []calibrate.Mechanism) bool {
	changed, stated := new(big.Rat), new(big.Rat)
	for i, m := range ms {
		distance, ok := squaredDistance(a[i], b[i], m)
		if !ok {
			return false
		}
		sigma := new(big.Rat).SetFloat64(float64(m.Sigma))
		sigma.Mul(sigma, sigma)
		changed.Add(changed, distance.Quo(distance, sigma))
		stated.Add(stated, new(big.Rat).Quo(m.Sens.Squared(), sigma))
	}
	return changed.Cmp(stated) <= 0
}

// withinWeights reports whether one unit can have the keys that are in one answer alone: no such key weighs more than
// the keys of a unit that has so many. The key threshold relies on this.
func withinWeights(a, b Answer, weights []int64) bool {
	alone, heaviest := 0, int64(0)
	for key, weight := range a.Keys {
		if _, both := b.Keys[key]; !both {
			alone, heaviest = alone+1, max(heaviest, weight)
		}
	}
	return alone == 0 || alone <= len(weights) && heaviest <= weights[alone-1]
}

// withinKeys reports whether one unit, which is in at most most keys, can have made the difference of two answers with
// private keys. The key threshold relies on this. If a unit is replaced, it leaves some keys and enters others.
func withinKeys(a, b Answer, most int64, adjacency string) bool {
	diff, _ := difference(a, b)
	sides := map[int]int64{}
	for _, d := range diff {
		if !d.IsInt64() || d.Int64() > 1 || d.Int64() < -1 {
			return false
		}
		sides[d.Sign()]++
	}
	if adjacency == replaceOne {
		return sides[1] <= most && sides[-1] <= most
	}
	return sides[1]+sides[-1] <= most && min(sides[1], sides[-1]) == 0
}
