package main

import (
	"bytes"
	"math/big"
	"os"
	"testing"
)

func TestTableIsCurrent(t *testing.T) {
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../table.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("table.go is not what gen makes: run go generate in mechanism/internal/gauss")
	}
}

func TestFloorInDoubt(t *testing.T) {
	near := new(big.Float).SetPrec(precision).SetMantExp(number(1), -64)
	for _, off := range []int{-64 - margin - 1, -64 - margin - 100} {
		e := new(big.Float).SetMantExp(number(1), off)
		for _, x := range []*big.Float{near, new(big.Float).Add(near, e), new(big.Float).Sub(near, e)} {
			if _, err := floor64(x); err == nil {
				t.Errorf("floor of %v is taken for sure", x)
			}
		}
	}
	if f, err := floor64(new(big.Float).Add(near, new(big.Float).SetMantExp(number(1), -70))); err != nil || f != 1 {
		t.Errorf("floor %d, %v", f, err)
	}
}
