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

// A rounding returns the parser for the numbers of a name.
type rounding func(name string) func(string) (float64, error)

// safeSide rounds towards more noise.
func safeSide(name string) func(string) (float64, error) {
	if name == "sensitivity" {
		return calibrate.ParseUp
	}
	return calibrate.ParseDown
}

// nearest rounds to the nearest float64, which restores the numbers that a program wrote.
func nearest(string) func(string) (float64, error) { return calibrate.ParseNearest }

// read parses the numbers that are needed, and the sensitivity, which is 1 if there is no text.
func read(r rounding, needs []string, text map[string]string) (numbers, error) {
	n := numbers{"sensitivity": 1}
	for _, name := range append([]string{"sensitivity"}, needs...) {
		if text[name] == "" && name == "sensitivity" {
			continue
		}
		var err error
		if n[name], err = parseNumber(r, name, text[name]); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// texts returns the texts of flags.
func texts(flags map[string]*string) map[string]string {
	out := make(map[string]string, len(flags))
	for name, text := range flags {
		out[name] = *text
	}
	return out
}

func parseNumber(r rounding, name, text string) (float64, error) {
	if text == "" {
		return 0, fmt.Errorf("%s is missing", name)
	}
	x, err := r(name)(strings.TrimSpace(text))
	if err != nil {
		return 0, fmt.Errorf("%s: %s", name, strings.TrimPrefix(plain(err), "number "))
	}
	return x, nil
}

// digits17 returns x >= 0 with 17 significant digits, the least such decimal that is not below x.
func digits17(x float64) string {
	exact := new(big.Float).SetFloat64(x)
	text := exact.Text('e', 16)
	if decimal, _, err := big.ParseFloat(text, 10, 2000, big.ToNearestEven); err == nil && decimal.Cmp(exact) < 0 {
		text = nextDecimal(text)
	}
	return trimExponent(text)
}

// digits17Down returns x >= 0 with 17 significant digits, the largest such decimal that is not above x: for what must
// not be exceeded.
func digits17Down(x float64) string {
	const all = 800 // no float64 has more significant digits
	mantissa, exponent, _ := strings.Cut(new(big.Float).SetFloat64(x).Text('e', all), "e")
	return trimExponent(mantissa[:len(mantissa)-all+16] + "e" + exponent)
}

// nextDecimal adds one unit in the last digit of d.dddde±dd.
func nextDecimal(text string) string {
	mantissa, exponent, _ := strings.Cut(text, "e")
	n, ok := new(big.Int).SetString(strings.Replace(mantissa, ".", "", 1), 10)
	e, err := strconv.Atoi(exponent)
	if !ok || err != nil {
		return text
	}
	all := n.Add(n, big.NewInt(1)).String()
	e += len(all) - len(mantissa) + 1 // 9.99… becomes 10.00…
	return all[:1] + "." + all[1:len(mantissa)-1] + fmt.Sprintf("e%+03d", e)
}

// trimExponent writes numbers of usual size without an exponent, as %g does.
func trimExponent(text string) string {
	mantissa, exponent, _ := strings.Cut(text, "e")
	e, err := strconv.Atoi(exponent)
	all := strings.Replace(mantissa, ".", "", 1)
	switch {
	case err != nil || e < -4 || e >= len(all):
		return text
	case e < 0:
		return "0." + strings.Repeat("0", -e-1) + all
	case e == len(all)-1:
		return all
	}
	return all[:e+1] + "." + all[e+1:]
}

// plain returns the text of an error without the name of the package.
func plain(err error) string { return strings.TrimPrefix(fmt.Sprint(err), "calibrate: ") }

// timesOf parses the number of mechanisms.
func timesOf(text string) (int, error) {
	const most = 1 << 20
	times, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || times < 1 || times > most {
		return 0, fmt.Errorf("times must be 1 to %d", most)
	}
	return times, nil
}
