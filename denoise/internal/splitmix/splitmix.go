// Package splitmix is SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
// Its random numbers come from a public seed, so anybody can reproduce them. They must never be used as noise for
// privacy.
package splitmix

// Next advances the stream's state and returns its next number.
func Next(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
