package denoise

import (
	"math"

	"github.com/dprelease/dprelease/denoise/internal/splitmix"
)

// public is a stream of random numbers from a public seed, which anybody can reproduce. It must never be used as noise
// for privacy. It serves only to try an estimator on noisy values that are already public.
type public struct {
	state  uint64
	spare  float64
	spared bool
}

func (p *public) next() uint64 { return splitmix.Next(&p.state) }

// unit returns a uniform number in (0, 1].
func (p *public) unit() float64 { return float64(p.next()>>11+1) * 0x1p-53 }

// normal returns a standard normal number (Box & Muller 1958).
func (p *public) normal() float64 {
	if p.spared {
		p.spared = false
		return p.spare
	}
	radius, angle := math.Sqrt(-2*math.Log(p.unit())), 2*math.Pi*p.unit()
	p.spare, p.spared = radius*math.Sin(angle), true
	return radius * math.Cos(angle)
}
