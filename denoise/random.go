package denoise

import "math"

// public is a stream of random numbers that anybody can repeat: SplitMix64 (Steele, Lea & Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014), started at a public seed. It is no source of noise for privacy: it only
// serves to try an estimator on numbers that have been released already.
type public struct {
	state  uint64
	spare  float64
	spared bool
}

func (p *public) next() uint64 {
	p.state += 0x9e3779b97f4a7c15
	z := p.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit returns a number above 0 and at most 1.
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
