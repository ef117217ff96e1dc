package calibrate

import "testing"

// BenchmarkSigma calibrates at common guarantees and at hard ones.
func BenchmarkSigma(b *testing.B) {
	for name, g := range map[string]Guarantee{
		"usual": {1, 1e-6}, "weak": {10, 0.01}, "small-delta": {0.1, 1e-100}, "large-epsilon": {1e5, 1e-9}, "epsilon-0": {0,
			1e-9},
		"large-delta": {0.5, 0.99}, "tiny": {1e-6, 1e-5}, "least": {0, MinDelta},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := AnalyticGaussian(Sensitivity{L2: 1}, g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDelta(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := GaussianDelta(1, 0.2367); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEpsilon(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := GaussianEpsilon(1e-6, 0.2367); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSigmaAllocatesNothing checks that calibration allocates no memory if double-double arithmetic decides.
func TestSigmaAllocatesNothing(t *testing.T) {
	g := Guarantee{1, 1e-6}
	if n := testing.AllocsPerRun(100, func() { _, _ = AnalyticGaussian(Sensitivity{L2: 1}, g) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
