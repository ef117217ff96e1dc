package configs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// stepKeys are the parameters of each method of denoising. Package denoise is what knows them; a test there compares.
var stepKeys = map[string][]string{
	"auto":            {"nonnegative", "graph"},
	"empirical-bayes": {"nonnegative"},
	"hard-threshold":  {"threshold", "nonnegative"},
	"isotonic":        {"direction"},
	"james-stein":     {"positive_part", "toward", "prior_variance", "nonnegative"},
	"soft-threshold":  {"threshold", "nonnegative"},
	"total":           {"total", "nonnegative"},
	"total-variation": {"lambda", "nonnegative"},
	"tree-ensemble":   {"trees", "lambda", "graph", "nonnegative"},
	"tree-wavelet":    {"threshold", "trees", "graph", "nonnegative"},
	"trend-filter":    {"k", "lambda", "graph", "nonnegative"},
	"wavelet":         {"threshold", "invariant", "nonnegative"},
}

// mostTrees is the largest number of trees of a step, largestOrder that of a trend filter.
const mostTrees, largestOrder = 4096, 2

func (c *checker) denoise(at *path, s *Denoise) {
	for _, key := range keysOf(reflect.TypeFor[Denoise]()).names {
		c.stepKey(at.at(key), s.Method, key)
	}
	c.positive(at.at("threshold"), Decimal(s.Threshold))
	c.atLeastZero(at.at("lambda"), Decimal(s.Lambda))
	c.atLeastZero(at.at("prior_variance"), s.PriorVariance)
	if k := s.K; k != nil && *k > largestOrder {
		c.bad(at.at("k"), CodeBadValue, fmt.Sprintf("must be 0, 1 or 2, is %d", *k), "")
	}
	if s.Trees > mostTrees {
		c.bad(at.at("trees"), CodeBadValue, fmt.Sprintf("must be at most %d, is %d", mostTrees, s.Trees), "16 to 40 are enough")
	}
	if s.Threshold == "level" && strings.HasSuffix(s.Method, "-threshold") {
		c.bad(at.at("threshold"), CodeBadValue, "level goes with method: tree-wavelet or wavelet", "write universal, sure or a number")
	}
	if s.Method == "total" && !c.has(at.at("total")) {
		c.bad(at, CodeMissing, "there is no total", "add total: NUMBER, the public sum of all cells; never one from the data")
	}
	total, known := s.Total.rat()
	if known && total.Sign() < 0 && s.Nonnegative != nil && *s.Nonnegative {
		c.bad(at.at("total"), CodeContradiction, "cells of at least 0 have no sum below 0", "remove nonnegative")
	}
}

// stepKey reports a parameter of another method.
func (c *checker) stepKey(at *path, method, key string) {
	if key == "method" || method == "" || !c.has(at) || slices.Contains(stepKeys[method], key) {
		return
	}
	var owners []string
	for m, keys := range stepKeys {
		if slices.Contains(keys, key) {
			owners = append(owners, m)
		}
	}
	slices.Sort(owners)
	c.bad(at, CodeContradiction, key+" goes with method: "+strings.Join(owners, ", "), "remove it")
}

func (c *checker) atLeastZero(at *path, d Decimal) {
	if r, ok := d.rat(); ok && r.Sign() < 0 {
		c.bad(at, CodeBadValue, "must be at least 0, is "+c.show(at, string(d)), "")
	}
}

// margins checks that the named queries can be sums of this one's cells.
func (c *checker) margins(at *path, q *Query) {
	c.unique(at, q.Margins, "query")
	if len(q.Margins) > 0 && q.Histogram == nil {
		c.bad(at, CodeContradiction, "margins go with a histogram", "remove margins")
		return
	}
	for i, name := range q.Margins {
		if name == "" || q.Histogram == nil {
			continue
		}
		p := at.item(i)
		k := slices.IndexFunc(c.job.Queries, func(other Query) bool { return other.Name == name })
		if k < 0 {
			c.bad(p, CodeBadValue, "there is no query "+c.show(p, name), didYouMean(name, c.queryNames(q.Name)))
			continue
		}
		c.margin(p, q, &c.job.Queries[k])
	}
}

func (c *checker) queryNames(except string) []string {
	var names []string
	for i := range c.job.Queries {
		if n := c.job.Queries[i].Name; n != "" && n != except {
			names = append(names, n)
		}
	}
	return names
}

func (c *checker) margin(at *path, q, m *Query) {
	const hint = "a margin is a count, or a histogram whose dimensions are some of this one's, written alike and in the same order"
	switch _, ok := q.MarginAxes(m); {
	case m == q:
		c.bad(at, CodeContradiction, "a query is no margin of itself", "name another")
	case len(m.Margins) > 0:
		c.bad(at, CodeContradiction, "the query "+c.show(at, m.Name)+" has margins itself", "list all margins at the largest table")
	case !ok:
		c.bad(at, CodeContradiction, "the query "+c.show(at, m.Name)+" is no sum of this one's cells", hint)
	case c.job.Bounds(q) != c.job.Bounds(m):
		c.bad(at, CodeContradiction, "the query "+c.show(at, m.Name)+" has other bounds for a unit, so that it counts other rows", "give both the same per_unit")
	case slices.ContainsFunc(c.job.Queries, func(other Query) bool { return other.Name != q.Name && slices.Contains(other.Margins, m.Name) }):
		c.bad(at, CodeContradiction, "the query "+c.show(at, m.Name)+" is a margin of two tables", "leave it to one of them")
	}
}

// MarginAxes returns which dimensions of a histogram a margin keeps, in rising order; ok is false if it is none.
func (q *Query) MarginAxes(m *Query) (axes []int, ok bool) {
	if q.Histogram == nil || m.Count == nil && m.Histogram == nil {
		return nil, false
	}
	if m.Count != nil {
		return nil, true
	}
	next := 0
	for i := range m.Histogram.By {
		for next < len(q.Histogram.By) && !reflect.DeepEqual(q.Histogram.By[next], m.Histogram.By[i]) {
			next++
		}
		if next == len(q.Histogram.By) {
			return nil, false
		}
		axes = append(axes, next)
		next++
	}
	return axes, len(axes) < len(q.Histogram.By)
}
