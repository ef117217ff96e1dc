package graph

import (
	"math/bits"

	"github.com/dprelease/dprelease/denoise/internal/splitmix"
)

// public is a pseudorandom stream from a fixed public seed, from which all random trees are drawn. Anybody can draw the
// same trees again. It must never be used as noise for privacy.
type public struct{ state uint64 }

// publicStream returns stream number i of a seed. Its first state is a hash of i.
func publicStream(seed, i uint64) *public {
	p := &public{seed}
	p.state = p.next() ^ (&public{i}).next()
	return p
}

func (p *public) next() uint64 { return splitmix.Next(&p.state) }

// drawBelow returns an integer from 0 to n−1. Each has probability 1/n, up to a relative error of 2^-32.
func (p *public) drawBelow(n int32) int32 {
	high, _ := bits.Mul64(p.next(), uint64(n))
	return int32(high)
}

// unit returns a multiple of 2^-53 in [0, 1).
func (p *public) unit() float64 { return float64(p.next()>>11) * 0x1p-53 }
