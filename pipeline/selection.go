package pipeline

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// shareOfDelta is the part of delta for selecting keys if the job sets none, as messages name it.
const shareOfDelta = "a tenth"

// failures sets the part of delta that the plan spends on selecting keys. It returns the remaining delta, which is for
// the noise. Both are rounded down.
func (b *builder) failures(p *Plan, delta float64) (left float64) {
	n := 0
	for i := range p.queries {
		for _, component := range p.queries[i].Components {
			if component.Keys > 0 {
				n++
			}
		}
	}
	asked := b.job.Privacy.DeltaFailure
	switch {
	case n == 0 && asked != "":
		b.report("privacy.delta_failure", "contradiction", "no query discovers keys, so nothing can fail",
			"remove delta_failure")
		return delta
	case n == 0:
		return delta
	case asked != "":
		p.failure.share = string(asked)
	default:
		p.failure.share = tenthOf(string(b.job.Privacy.Delta))
	}
	taken, err := calibrate.ParseDecimal(p.failure.share)
	share := taken.Rat()
	left = manifest.LeftForNoise(string(b.job.Privacy.Delta), p.failure.share)
	if err != nil || share.Sign() <= 0 || left <= 0 {
		b.report("privacy.delta_failure", "bad-value", "must be above 0 and below delta, of which it is a part",
			"leave it out: "+shareOfDelta+" of delta is taken")
		return delta
	}
	p.failure.each = calibrate.Delta(calibrate.RoundDown(new(big.Rat).Quo(share, big.NewRat(int64(n), 1))))
	return left
}

// selections sets the threshold of each query that selects keys. The queries' mechanisms must be calibrated before.
func (b *builder) selections(p *Plan) {
	for i := range p.queries {
		q := &p.queries[i]
		for j, component := range q.Components {
			if component.Keys == 0 {
				continue
			}
			q.Selection = &calibrate.KeySelection{Mechanism: q.Mechanisms[j], Keys: component.Keys, Failure: p.failure.each,
				MinUnits: component.MinUnits, Weighted: component.Weighted}
			_, err := q.Selection.Threshold()
			if w, ok := q.Query.(query.KeyWeigher); ok && component.Weighted && err == nil {
				var weights []int64
				weights, err = q.Selection.Weights()
				q.Query = w.WithWeights(weights)
			}
			if err != nil {
				b.report(q.path, "calibration", err.Error(), "use a larger delta_failure or a smaller max_groups")
			}
		}
	}
}

// discovered reports the parts of a query that cannot be combined with discovered keys.
func (b *builder) discovered(jq *configs.Query, path string) {
	switch {
	case len(jq.Denoise) > 0:
		b.report(path+".denoise", "contradiction",
			"the counts of selected keys are those that were large enough, noise and all: no step knows how to treat them",
			"remove denoise")
	case len(jq.Margins) > 0:
		b.report(path+".margins", "contradiction",
			"selected keys do not add up to anything: those that are not shown are missing", "remove margins")
	case jq.Histogram != nil && jq.Histogram.MinUnits > calibrate.MaxMinUnits:
		b.report(path+".histogram.min_units", "bad-value", fmt.Sprintf("must be at most %d: the count of a key's "+
			"units stops there", int64(calibrate.MaxMinUnits)), "choose a number of units that keys have")
	case jq.Sparse:
		b.report(path+".sparse", "contradiction", "every key that is selected has a count above zero", "remove sparse")
	}
}

// Discovers reports whether some query discovers its keys in the private table.
func (p *Plan) Discovers() bool { return p.failure.share != "" }

// Leader returns the index of the query that selects this query's keys; ok is false if there is none.
func (q *Planned) Leader() (query int, ok bool) { return max(q.leader, 0), q.leader != noLeader }

// joinKeys links the exact answers of each query whose keys a leader selects to the leader's exact answer. If the
// leader drops keys of few units before the noise, tests that open such an answer then see only the remaining keys,
// even if the engine still holds more.
func (p *Plan) joinKeys(exacts [][]mechanism.Exact) error {
	for i := range p.queries {
		leader, follows := p.queries[i].Leader()
		if !follows {
			continue
		}
		for _, e := range exacts[i] {
			if err := e.Among(exacts[leader][0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Threshold returns the smallest noisy count with which a key is published; 0 if the query does not select keys.
func (q *Planned) Threshold() float64 {
	if q.Selection == nil {
		return 0
	}
	units, err := q.Selection.Threshold()
	if err != nil { // err is nil: the threshold was computed when the plan was made
		return math.Inf(1)
	}
	return float64(units) * q.Selection.Mechanism.Grid
}

// MinUnits returns the pre-threshold of a query with discovered keys, the number of units below which a key is dropped;
// 0 if the job sets none.
func (q *Planned) MinUnits() int64 {
	if q.Selection == nil {
		return 0
	}
	return q.Selection.MinUnits
}

// FailureShare returns the part of delta that the release uses for selecting keys; 0 if it selects none.
func (p *Plan) FailureShare() float64 {
	share, _ := calibrate.ParseNearest(p.failure.share) // "" gives 0
	return share
}
