package gauss

// The first word of an attempt, from its lowest bit: the sign, 31 digits of w, 32 digits of v. The second: 64 digits of
// u.
const (
	levelBits  = 31
	acceptBits = 32
	guideBits  = 12
	// mixed marks a bucket of the guide that does not decide the level.
	mixed = 1 << 7
)

// limits[j] is floor(F(j)·2^31), F(j) = P(a <= j). w, known to be in [W, W+1)/2^31, selects the level j if limits[j−1]
// < W < limits[j]. If W equals a limit, its first digits do not decide.
var limits = limitsFromTable()

// guide[b] is the number of limits below bucket b, W in [b, b+1)·2^19. It is the level, unless the bucket is mixed.
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
	for limits[a] < w { // this ends, as the last limit is 2^31 − 1
		a++
	}
	return a, limits[a] != w
}
