package calibrate

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
)

// numbers holds the numbers of one calculation, by name.
type numbers map[string]float64

func (n numbers) sensitivity() calibrate.Sensitivity {
	return calibrate.Sensitivity{L2: n["sensitivity"]}
}

func (n numbers) guarantee() calibrate.Guarantee {
	return calibrate.Guarantee{Epsilon: calibrate.Epsilon(n["epsilon"]), Delta: calibrate.Delta(n["delta"])}
}

func (n numbers) mechanism() calibrate.Mechanism {
	return calibrate.Mechanism{Sens: n.sensitivity(), Sigma: calibrate.Sigma(n["sigma"])}
}

// geometric returns the geometric mechanism with a scale; the sensitivity must be an integer.
func (n numbers) geometric(scale float64) (methods.Geometric, error) {
	l1 := n["sensitivity"]
	if !(l1 < 1<<53) || float64(int64(l1)) != l1 {
		return methods.Geometric{}, fmt.Errorf("sensitivity must be an integer, not %g", l1)
	}
	return methods.Geometric{L1: int64(l1), Scale: scale}, nil
}

// read parses the numbers that needs lists, and the sensitivity, which is 1 if text has none. It rounds towards more
// noise.
func read(needs []string, text map[string]string) (numbers, error) {
	n := numbers{"sensitivity": 1}
	for _, name := range append([]string{"sensitivity"}, needs...) {
		parse := calibrate.ParseDown
		if name == "sensitivity" {
			if text[name] == "" {
				continue
			}
			parse = calibrate.ParseUp
		}
		var err error
		if n[name], err = parseNumber(parse, name, text[name]); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func parseNumber(parse func(string) (float64, error), name, text string) (float64, error) {
	if text == "" {
		return 0, fmt.Errorf("%s is missing", name)
	}
	x, err := parse(strings.TrimSpace(text))
	if err != nil {
		return 0, fmt.Errorf("%s: %s", name, strings.TrimPrefix(plain(err), "number "))
	}
	return x, nil
}

// digits17 returns x >= 0 as a decimal with 17 significant digits, rounded up or down. Numbers of usual size have no
// exponent, as with %g.
func digits17(x float64, up bool) string {
	const all = 800 // no float64 has more significant digits
	mantissa, exponent, _ := strings.Cut(new(big.Float).SetFloat64(x).Text('e', all), "e")
	mantissa = strings.Replace(mantissa, ".", "", 1)
	// The mantissa has 17 digits, so it is a number; so is the exponent.
	n, _ := strconv.ParseUint(mantissa[:17], 10, 64)
	e, _ := strconv.Atoi(exponent)
	if up && strings.Trim(mantissa[17:], "0") != "" {
		n++
	}
	if n == 1e17 {
		n, e = n/10, e+1
	}
	text := fmt.Sprintf("%017d", n)
	switch {
	case e < -4 || e > 16:
		return fmt.Sprintf("%s.%se%+03d", text[:1], text[1:], e)
	case e < 0:
		return "0." + strings.Repeat("0", -e-1) + text
	case e == 16:
		return text
	}
	return text[:e+1] + "." + text[e+1:]
}

// plain returns the text of an error without the package's name in front.
func plain(err error) string { return strings.TrimPrefix(fmt.Sprint(err), "calibrate: ") }

// timesOf parses a number of mechanisms.
func timesOf(text string) (int, error) {
	const most = 1 << 20
	times, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || times < 1 || times > most {
		return 0, fmt.Errorf("times must be 1 to %d", most)
	}
	return times, nil
}
