package calibrate

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
)

// given is the numbers of one question.
type given struct {
	sensitivity calibrate.Sensitivity
	guarantee   calibrate.Guarantee
	sigma       calibrate.Sigma
	scale       float64
	part        calibrate.Guarantee
}

func (g *given) mechanism() calibrate.Mechanism {
	return calibrate.Mechanism{Sens: g.sensitivity, Sigma: g.sigma}
}

// geometric is the geometric mechanism of this scale, for a sensitivity that is an integer.
func (g *given) geometric(scale float64) (methods.Geometric, error) {
	whole := int64(g.sensitivity.L2)
	if !(g.sensitivity.L2 < 1<<53) || float64(whole) != g.sensitivity.L2 {
		return methods.Geometric{}, fmt.Errorf("sensitivity must be an integer, not %g", g.sensitivity.L2)
	}
	return methods.Geometric{L1: whole, Scale: scale}, nil
}

func (g *given) number(name string) float64 {
	switch name {
	case "epsilon":
		return float64(g.guarantee.Epsilon)
	case "delta":
		return float64(g.guarantee.Delta)
	case "sigma":
		return float64(g.sigma)
	}
	return g.sensitivity.L2
}

// read parses the numbers that are needed, as people write them; text without a sensitivity means 1.
func read(needs []string, text map[string]string) (*given, error) {
	return readAs(safeSide, needs, text)
}

// rounding is how decimal text becomes a float64.
type rounding func(name string) func(string) (float64, error)

// safeSide rounds towards more noise, or more loss; nearest takes text as the float64 that a program wrote.
func safeSide(name string) func(string) (float64, error) {
	if name == "sensitivity" {
		return calibrate.ParseUp
	}
	return calibrate.ParseDown
}

func nearest(string) func(string) (float64, error) { return calibrate.ParseNearest }

func readAs(r rounding, needs []string, text map[string]string) (*given, error) {
	g := &given{sensitivity: calibrate.Sensitivity{L2: 1}}
	for _, name := range append([]string{"sensitivity"}, needs...) {
		if text[name] == "" && name == "sensitivity" {
			continue
		}
		x, err := parseNumber(r, name, text[name])
		if err != nil {
			return nil, err
		}
		g.set(name, x)
	}
	return g, nil
}

func (g *given) set(name string, x float64) {
	switch name {
	case "epsilon":
		g.guarantee.Epsilon = calibrate.Epsilon(x)
	case "delta":
		g.guarantee.Delta = calibrate.Delta(x)
	case "sigma":
		g.sigma = calibrate.Sigma(x)
	case "scale":
		g.scale = x
	case "part_epsilon":
		g.part.Epsilon = calibrate.Epsilon(x)
	case "part_delta":
		g.part.Delta = calibrate.Delta(x)
	case "sensitivity":
		g.sensitivity.L2 = x
	}
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

// digits17 is x >= 0 with 17 significant digits, the least such decimal that is not below x.
func digits17(x float64) string {
	exact := new(big.Float).SetFloat64(x)
	text := exact.Text('e', 16)
	if decimal, _, err := big.ParseFloat(text, 10, 2000, big.ToNearestEven); err == nil && decimal.Cmp(exact) < 0 {
		text = nextDecimal(text)
	}
	return trimExponent(text)
}

// digits17Down is x >= 0 with 17 significant digits, the largest such decimal that is not above x: for what must not be
// exceeded.
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

// plain is the error without the name of the package.
func plain(err error) string { return strings.TrimPrefix(fmt.Sprint(err), "calibrate: ") }

// timesOf is how many mechanisms there are.
func timesOf(text string) (int, error) {
	const most = 1 << 20
	times, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || times < 1 || times > most {
		return 0, fmt.Errorf("times must be 1 to %d", most)
	}
	return times, nil
}
