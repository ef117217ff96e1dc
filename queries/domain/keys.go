package domain

import (
	"math"
	"slices"
	"strconv"
)

// KeyColumn is one key column of an answer. The key of cell c is Labels[(c / Stride) % len(Labels)].
type KeyColumn struct {
	Name   string
	Stride int
	Labels Labels
}

// Labels holds the labels of one key column, as texts or as numbers. Exactly one of its slices is set.
type Labels struct {
	Strings []string
	Ints    []int64
	Floats  []float64
}

// Texts returns all labels as texts, in the spelling of answer files.
func (l Labels) Texts() []string {
	out := slices.Clone(l.Strings)
	for _, x := range l.Ints {
		out = append(out, strconv.FormatInt(x, 10))
	}
	for _, x := range l.Floats {
		out = append(out, FloatText(x))
	}
	return out
}

// Text returns the label of a cell as a text, for tables that people read.
func (k *KeyColumn) Text(cell int) string {
	at := cell / max(k.Stride, 1)
	switch l := k.Labels; {
	case len(l.Strings) > 0:
		return l.Strings[at%len(l.Strings)]
	case len(l.Ints) > 0:
		return strconv.FormatInt(l.Ints[at%len(l.Ints)], 10)
	default:
		return FloatText(l.Floats[at%len(l.Floats)])
	}
}

// FloatText returns the shortest text that parses back to v. It has an exponent only below 1e-6 and from 1e21 on.
func FloatText(v float64) string {
	form := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		form = 'g'
	}
	return strconv.FormatFloat(v, form, -1, 64)
}

// IntegerLabels returns the labels first to first+n-1. They are integers, or, if extra holds labels of further cells,
// texts followed by extra.
func IntegerLabels(first, n int64, extra []string) Labels {
	if len(extra) == 0 {
		ints := make([]int64, n)
		for i := range ints {
			ints[i] = first + int64(i)
		}
		return Labels{Ints: ints}
	}
	texts := make([]string, n, n+int64(len(extra)))
	for i := range texts {
		texts[i] = strconv.FormatInt(first+int64(i), 10)
	}
	return Labels{Strings: append(texts, extra...)}
}
