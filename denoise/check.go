package denoise

import "fmt"

// Check returns an [*Error] if a step needs independent noise of known standard deviation and an earlier step changes
// the noise. It needs no data, so a plan can ask before anything is spent.
func Check(steps []Step) error { return checkOrder(names(steps)) }

func checkOrder(names []string) error {
	for i, name := range names {
		if i == 0 || !needsKnownNoise(name) {
			continue
		}
		e := &Error{Code: CodeOrder, Message: fmt.Sprintf(
			"%s after %s: it needs independent noise of known deviation, which %s has changed", name, names[i-1], names[i-1])}
		e.Hint = fmt.Sprintf("put %s first", name)
		if needsKnownNoise(names[0]) {
			e.Hint = "one such step is enough"
		}
		return e
	}
	return nil
}

func needsKnownNoise(name string) bool {
	m, ok := lookup(name)
	return ok && m.KnownNoise
}
