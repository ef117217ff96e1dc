package local_test

import (
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// If units are bounded in buckets, as on Beam, the answers for neighbouring tables differ by at most the declared
// sensitivity, and equal those of one process.
func TestStabilityOfShuffles(t *testing.T) {
	owntest.Slow(t)
	all := labs(t, 1)
	all[0].Open = func(data *source.Dataset, l stabilitytest.Limits, scratch string) pipeline.Engine {
		e, ok := openTight(data, l, scratch).(*local.Engine)
		if !ok {
			t.Fatal("no local engine")
		}
		return shuffled{e, t, 1 + l.Workers%3}
	}
	all[0].Twin = openTight
	stable(t, &stabilitytest.Search{Seed: stabilitytest.Seed(t), PairsPerJob: 5,
		Pairs:   stabilitytest.Pairs(t, 75, 50_000),
		Writers: stabilitytest.Writers(), Labs: all, Mask: stabilitytest.WithoutUnits})
}
