package problem

import "fmt"

// Plural returns n and the noun what, in the plural unless n is 1: "1 row", "2 rows".
func Plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
