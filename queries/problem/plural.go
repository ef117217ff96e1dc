package problem

import "github.com/dprelease/dprelease/internal/spelling"

// Plural returns n and the noun what, in the plural unless n is 1: "1 row", "12,000 rows".
func Plural(n int64, what string) string { return spelling.Count(n, what) }
