package pipeline

import (
	"reflect"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

// This file finds the histogram that selects the keys of each query of a job which adds values up by keys that are
// discovered.

// noLeader means that no query selects the keys of a query.
const noLeader = -1

// findLeaders sets the leader of each query that needs one, and returns the index of each query's leader, or noLeader.
// A query follows a histogram that discovers keys if its first dimensions equal the histogram's, whatever their names.
// If there are several such histograms, it follows the one with the most dimensions, and the first of these. All
// queries of one table have the same privacy unit, and a query has its leader's filters.
func findLeaders(specs []*query.Spec, asked []configs.Query) []int {
	leaders := make([]int, len(specs))
	for i, s := range specs {
		leaders[i] = noLeader
		if s.Value == nil || !s.Discovers() {
			continue
		}
		for j, h := range specs {
			if asked[i].From != asked[j].From || !configs.SameRows(&asked[i], &asked[j]) || h.Kind != query.Histogram || !h.Discovers() || !beginsWith(s.By, h.By) {
				continue
			}
			if s.Leader == nil || len(h.By) > s.Leader.Dims {
				leaders[i], s.Leader = j, &query.Leader{Name: h.Name, Dims: len(h.By), MinUnits: h.MinUnits}
			}
		}
	}
	return leaders
}

// beginsWith reports whether a list of dimensions begins with others. It ignores their names.
func beginsWith(all, first []domain.Dimension) bool {
	if len(first) > len(all) {
		return false
	}
	for i := range first {
		a, b := all[i], first[i]
		a.As, b.As = "", ""
		if !reflect.DeepEqual(a, b) {
			return false
		}
	}
	return true
}
