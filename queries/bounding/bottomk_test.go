package bounding

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLowestKeepsTheLowest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.SampledFrom([]int{1, 2, 3, 9, maxSorted, maxSorted + 1}).Draw(rt, "limit")
		var all []candidate
		low := bottomK{}
		low.reset(int64(limit))
		for i := range rapid.IntRange(0, 200).Draw(rt, "items") {
			x := candidate{Index: i}
			x.Digest[0], x.Digest[7] = rapid.Uint32Range(0, 255).Draw(rt, "digest")<<24, uint32(i)
			all = append(all, x)
			low.add(&x.Digest, x.Index)
		}
		slices.SortFunc(all, func(a, b candidate) int { return a.Digest.Compare(&b.Digest) })
		got, want := low.kept(), all[:min(limit, len(all))]
		slices.SortFunc(got, func(a, b candidate) int { return a.Digest.Compare(&b.Digest) })
		if !slices.Equal(got, want) {
			rt.Fatalf("%v, want %v", got, want)
		}
	})
}
