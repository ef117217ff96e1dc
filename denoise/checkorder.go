package denoise

import "fmt"

// Check returns an [*Error] if a step needs independent noise of known standard deviation and an earlier step changes
// the noise. It needs no data, so a plan can call it before any budget is spent.
func Check(steps []*Step) error {
	for i, s := range steps {
		if i == 0 || !s.KnownNoise() {
			continue
		}
		before := steps[i-1].Name()
		e := &Error{Code: CodeOrder, Message: fmt.Sprintf(
			"%s after %s: it needs independent noise of known deviation, which %s has changed", s.Name(), before, before)}
		e.Hint = fmt.Sprintf("put %s first", s.Name())
		if steps[0].KnownNoise() {
			e.Hint = "one such step is enough"
		}
		return e
	}
	return nil
}
