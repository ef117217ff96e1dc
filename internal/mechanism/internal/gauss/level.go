package gauss

// The layout of the two words that an attempt starts with. The first word has, from its lowest bit, the sign, 31 digits
// of w and 32 digits of v. The second has 64 digits of u.
const (
	levelBits  = 31
	acceptBits = 32
	guideBits  = 12
	// mixed marks a bucket of guide that contains a limit, so that the level is not the same in the whole bucket.
	mixed = 1 << 7
)

// limits[j] is floor(F(j)·2^31), with F(j) = P(a <= j). If w is known to be in [W, W+1)/2^31, it selects the level j
// for which limits[j−1] < W < limits[j]. If W equals a limit, more digits of w are needed.
var limits = limitsFromTable()

// guide[b] is the number of limits below bucket b, which holds the W in [b, b+1)·2^19. This number is the level, unless
// mixed is set.
var guide = buildGuide()

func limitsFromTable() (l [levels]uint32) {
	for j, c := range cumulative {
		l[j] = uint32(c >> (64 - levelBits))
	}
	return l
}

func buildGuide() (g [1 << guideBits]uint8) {
	const width = 1 << (levelBits - guideBits)
	j := 0
	for b := range g {
		for limits[j] < uint32(b*width) {
			j++
		}
		g[b] = uint8(j)
		if limits[j] < uint32((b+1)*width) {
			g[b] |= mixed
		}
	}
	return g
}

// firstDigits returns the digits of w that are in the first word.
func firstDigits(first uint64) uint32 { return uint32(first) >> 1 }

// lookup returns the level that the first word selects; ok is false if its digits do not decide.
func lookup(first uint64) (a uint64, ok bool) {
	a = uint64(guide[uint32(first)>>(32-guideBits)])
	if a < mixed {
		return a, true
	}
	a -= mixed
	w := firstDigits(first)
	for limits[a] < w { // the loop ends, because the last limit is 2^31 − 1
		a++
	}
	return a, limits[a] != w
}
