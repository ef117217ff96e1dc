package selftest

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
)

// knownStream is a stream of random bits that a standard publishes for a key and a first counter.
type knownStream struct{ name, key, counter, stream string }

// knownStreams is the example CTR-AES256.Encrypt of NIST SP 800-38A (2001), section F.5.5.
var knownStreams = []knownStream{
	{
		"AES-256 counter mode, NIST SP 800-38A F.5.5",
		"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
		"0bdf7df1591716335e9a8b15c860c5025a6e699d536119065433863c8f657b94" +
			"1bc12c9c01610d5d0d8bd6a3378eca622956e1c8693536b1bee99c73a31576b6",
	},
}

// Cipher names the cipher that makes the random bits.
func Cipher() string { return gauss.CipherName }

// compare checks that the sampler's cipher returns the published stream for the key.
func (k knownStream) compare() Check {
	seed, errSeed := hex.DecodeString(k.key + k.counter)
	want, errWant := hex.DecodeString(k.stream)
	c := Check{Name: k.name, Measure: "wrong words", Samples: len(want) / 8}
	source, err := gauss.NewBits(bytes.NewReader(seed))
	if errSeed != nil || errWant != nil || err != nil {
		c.Statistic = float64(c.Samples)
		return c.judged()
	}
	for i := range c.Samples {
		if w, err := source.Word(); err != nil || w != binary.LittleEndian.Uint64(want[8*i:]) {
			c.Statistic++
		}
	}
	return c.judged()
}

// sigmas are the smallest standard deviations for sensitivity 1, computed with mpmath from Balle & Wang 2018, Theorem
// 8, to 30 digits. epsilon and delta are the float64 nearest to these decimals.
var sigmas = []struct{ epsilon, delta, sigma float64 }{
	{0, 1e-5, 39894.2280390988360827319244254},
	{1e-6, 1e-8, 1.72409452636686883527876655767e+6},
	{0.01, 0.1, 3.80944380610998435377889985864},
	{0.1, 1e-6, 36.3046904261957831601624682182},
	{1, 1e-10, 5.86777774963052638321637636754},
	{1, 1e-6, 4.22467888932683529228341843244},
	{1, 1e-3, 2.57465701863720613307304363852},
	{10, 1e-5, 0.499888619709008513122381679218},
	{100, 1e-9, 0.106226479775112262939937108091},
	{1000, 1e-30, 0.0288001576309493510268413462742},
}

// knownSigmas checks the calibration: its sigma is not below the reference, and at most two float64 above it.
func knownSigmas() Check {
	c := Check{Name: "calibration, reference sigmas", Measure: "wrong sigmas", Samples: len(sigmas)}
	for _, want := range sigmas {
		g := calibrate.Guarantee{Epsilon: calibrate.Epsilon(want.epsilon), Delta: calibrate.Delta(want.delta)}
		got, err := calibrate.AnalyticGaussian(calibrate.Sensitivity{L2: 1}, g)
		most := math.Nextafter(math.Nextafter(want.sigma, math.Inf(1)), math.Inf(1))
		if err != nil || !(float64(got) >= want.sigma && float64(got) <= most) {
			c.Statistic++
		}
	}
	return c.judged()
}
