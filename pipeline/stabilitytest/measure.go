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

// Answer is the exact answer of one mechanism, in multiples of Quantum: Cells or, for discovered keys, Keys with their
// counts or weights.
type Answer struct {
	Quantum float64
	Cells   []*big.Int
	Keys    map[string]int64
	// MinUnits is min_units: keys with a smaller count are not in Keys. 0 stands for 1.
	MinUnits int64
	// Among holds the keys that the selection may return, with their counts. It is nil if min_units is at most 1.
	Among map[string]int64
	// Named holds the exact numbers by cell and key digest, in multiples of Quantum. It is nil unless another query
	// discovers the keys.
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

// Case is a pair of neighbouring tables, a job, and the way in which the tables are written and read.
type Case struct {
	Job    *Job
	Pair   *Pair
	Writer Writer
	Layout uint64 // seed of the writer's layout
	Limits Limits
	// Whole is set if the answers must also equal the answers of a run that ignores the statistics of files.
	Whole bool
	Note  string // the origin of the case, such as its seed
}

// Put writes one table of the pair, 0 or 1, to the files of a folder.
func (c *Case) Put(dir string, i int) error {
	names := Files(c.Writer, c.Pair.Files)
	if c.Job.Tables != nil {
		if err := os.WriteFile(filepath.Join(dir, items), []byte(itemRows), 0o600); err != nil {
			return err
		}
	}
	for k, rows := range c.Pair.Table(i) {
		// Each file has its own layout, which is the same for both tables.
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

// unwritten is the error of a writer that cannot write a table.
type unwritten struct{ error }

// unequal means that the engine and its twin answer a query differently.
type unequal struct {
	query   string
	answers [2]Answer
}

func (u unequal) Error() string { return u.query + ": the engine and its twin give different answers" }

// answers writes one table, 0 or 1, and returns the exact answers on it, one for each mechanism of the job's plan, in
// order. If the lab has a twin whose answers differ, the error is unequal.
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
		return nil, unwritten{err} // shards cannot make a table of units
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

// putJob makes the plan of a job for the case's files. If the lab wants it, it writes the job and its public files too.
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

// ask returns the answers of an engine on the files that Put wrote.
func (c *Case) ask(l *Lab, p *pipeline.Plan, open func(*source.Dataset, Limits, string) pipeline.Engine) ([]Answer,
	error) {
	engine, err := c.open(l, p, open)
	if err != nil {
		return nil, err
	}
	defer func() { _ = engine.Close() }() // nothing was written
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

// Opened returns the integers in the exact answers of a plan, one Answer for each mechanism, in order.
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
				if minUnits := queries[leader].Components[0].MinUnits; minUnits > 1 {
					a.Among = openKeys(tb, exacts[leader][0], minUnits).Keys
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

func openKeys(tb testing.TB, e mechanism.Exact, minUnits int64) Answer {
	tb.Helper()
	keys, counts := mechanismtest.OpenKeyed(tb, e)
	a := Answer{Keys: map[string]int64{}, MinUnits: minUnits}
	for i, k := range keys {
		a.Keys[k] = counts[i]
	}
	return a
}

// eachCanBe returns the numbers in Named for the keys that the selections of both answers may return. A name is the
// cell's number in 4 bytes, then the key's digest.
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
	maps.DeleteFunc(named, func(name string, _ *big.Int) bool { return !digests[name[4:4+sha256.Size]] })
	return named
}

// difference returns the nonzero differences of two answers, cell by cell. ok is false if the answers have different
// forms. A key that one answer lacks counts as MinUnits - 1 there. Named is not compared.
func difference(a, b Answer) (out []*big.Int, ok bool) {
	if len(a.Cells) != len(b.Cells) || a.Quantum != b.Quantum || (a.Keys == nil) != (b.Keys == nil) ||
		(a.Named == nil) != (b.Named == nil) {
		return nil, false
	}
	if a.MinUnits != b.MinUnits || (a.Among == nil) != (b.Among == nil) {
		return nil, false
	}
	a.Named, b.Named = a.eachCanBe(b), b.eachCanBe(a)
	absent := max(a.MinUnits-1, 0)
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

// within reports whether the distance of two answers is at most their mechanism's sensitivity, in exact arithmetic: the
// L2 sensitivity for Gaussian noise, the L1 sensitivity otherwise.
func within(a, b Answer, m calibrate.Mechanism) bool {
	distance, ok := squaredDistance(a, b, m)
	return ok && distance.Cmp(m.Sens.Squared()) <= 0
}

// squaredDistance returns the squared distance of two answers in the norm of their mechanism's sensitivity. ok is false
// if neighbours cannot have such answers.
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

// withinTogether reports whether the answers of mechanisms with a joint sensitivity are close enough: the sum of their
// squared distances, each divided by sigma², is at most the same sum of their squared sensitivities.
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

// withinWeights reports whether one unit can have all the keys that only one of two answers has: none of them may weigh
// more than the heaviest key of a unit with this number of keys. The key threshold relies on this.
func withinWeights(a, b Answer, weights []int64) bool {
	alone, heaviest := 0, int64(0)
	for key, weight := range a.Keys {
		if _, both := b.Keys[key]; !both {
			alone, heaviest = alone+1, max(heaviest, weight)
		}
	}
	return alone == 0 || alone <= len(weights) && heaviest <= weights[alone-1]
}

// withinKeys reports whether a change of one unit, which has at most maxKeys keys, explains the difference of two
// answers with discovered keys. The key threshold relies on this. Under replace-one the unit leaves some keys and
// enters others.
func withinKeys(a, b Answer, maxKeys int64, adjacency string) bool {
	diff, _ := difference(a, b)
	sides := map[int]int64{}
	for _, d := range diff {
		if !d.IsInt64() || d.Int64() > 1 || d.Int64() < -1 {
			return false
		}
		sides[d.Sign()]++
	}
	if adjacency == replaceOne {
		return sides[1] <= maxKeys && sides[-1] <= maxKeys
	}
	return sides[1]+sides[-1] <= maxKeys && min(sides[1], sides[-1]) == 0
}
