package mechanism_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
)

func hideSparse(tb testing.TB, unit float64, s mechanism.Sparse) mechanism.Exact {
	tb.Helper()
	e, err := mechanism.HideSparse(unit, s)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func TestHideSparseRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		unit float64
		s    mechanism.Sparse
		want error
	}{
		"unit":     {3, mechanism.Sparse{Cells: 2}, mechanism.ErrQuantum},
		"no cells": {1, mechanism.Sparse{}, mechanism.ErrEmpty},
		"negative": {1, mechanism.Sparse{Cells: -1}, mechanism.ErrEmpty},
		"places": {1, mechanism.Sparse{Cells: 2, At: []int{0, 1}, Answers: int128.Narrow([]int64{1})},
			mechanism.ErrHalves},
		"answers": {1, mechanism.Sparse{Cells: 2, At: []int{0}, Answers: int128.Narrow([]int64{1, 2})},
			mechanism.ErrHalves},
		"low halves": {1, mechanism.Sparse{Cells: 2, At: []int{0}, Answers: int128.Slice{High: []int64{1}, Low: []uint64{}}},
			mechanism.ErrHalves},
		"twice": {1, mechanism.Sparse{Cells: 9, At: []int{3, 3}, Answers: int128.Narrow([]int64{1, 2})},
			mechanism.ErrPlaces},
		"descending": {1, mechanism.Sparse{Cells: 9, At: []int{3, 2}, Answers: int128.Narrow([]int64{1, 2})},
			mechanism.ErrPlaces},
		"below 0": {1, mechanism.Sparse{Cells: 9, At: []int{-1}, Answers: int128.Narrow([]int64{1})},
			mechanism.ErrPlaces},
		"beyond them": {1, mechanism.Sparse{Cells: 9, At: []int{9}, Answers: int128.Narrow([]int64{1})}, mechanism.ErrPlaces},
	} {
		if e, err := mechanism.HideSparse(c.unit, c.s); !errors.Is(err, c.want) || e.Cells() != 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A sparse Exact holds the vector of all cells.
func TestSparseOpens(t *testing.T) {
	e := hideSparse(t, 0.5, mechanism.Sparse{Cells: 6, At: []int{1, 4}, Answers: int128.Narrow([]int64{7, -8})})
	for range 2 {
		if unit, cells := mechanismtest.Open(t, e); unit != 0.5 || !slices.Equal(cells, []int64{0, 7, 0, 0, -8, 0}) {
			t.Errorf("%g, %v", unit, cells)
		}
	}
	if _, cells := mechanismtest.Open(t, hideSparse(t, 1, mechanism.Sparse{Cells: 3})); !slices.Equal(cells,
		[]int64{0, 0, 0}) {
		t.Error(cells)
	}
	wide := hideSparse(t, 1, mechanism.Sparse{Cells: 3, At: []int{2},
		Answers: int128.Slice{High: []int64{-1}, Low: []uint64{5}}})
	want := new(big.Int).Lsh(big.NewInt(-1), 64)
	if _, cells := mechanismtest.OpenWide(t, wide); cells[0].Sign() != 0 ||
		cells[2].Cmp(want.Add(want, big.NewInt(5))) != 0 {
		t.Error(cells)
	}
}

// Each cell has noise around its answer, and noise is added only once. Chance fails the test with a probability below
// e^-800: a cell would have to be 40 sigma away, or 100 cells without noise.
func TestSparseNoise(t *testing.T) {
	const cells, sigma = 1000, 1 << 20
	m := gaussian(sigma, 1)
	r := ledgertest.Receipt(t, m)
	s := mechanism.Sparse{Cells: cells, At: []int{0, 10, 999}, Answers: int128.Narrow([]int64{1 << 40, -1 << 40, 1 << 41})}
	want := map[int]float64{0: 1 << 40, 10: -1 << 40, 999: 1 << 41}
	e := hideSparse(t, 1, s)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mechanism.AddNoise(cancelled, e, r, m, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	n, err := mechanism.AddNoise(t.Context(), e, r, m, 2)
	if err != nil || n.Len() != cells {
		t.Fatal(n.Len(), err)
	}
	got := make([]float64, cells)
	n.Fill(0, got)
	still := 0
	for i, x := range got {
		if d := math.Abs(x - want[i]); d > 40*sigma {
			t.Errorf("cell %d: %g", i, x)
		} else if d == 0 {
			still++
		}
	}
	if still > 100 {
		t.Errorf("%d cells have no noise", still)
	}
	if _, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, m), m, 1); !errors.Is(err, mechanism.ErrSpent) {
		t.Errorf("noised twice: %v", err)
	}
	if s.Answers.High[0] != 0 || s.At[2] != 0 {
		t.Error("exact answers are left")
	}
}
