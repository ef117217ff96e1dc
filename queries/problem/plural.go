package problem

import "fmt"

// Plural returns "1 row", "2 rows" and the like.
func Plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
