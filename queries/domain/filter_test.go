package domain_test

import (
	"fmt"
	"testing"

	"github.com/dprelease/dprelease/queries/domain"
)

// Only equal conditions have equal keys. Otherwise a query would count the rows of another query's filter.
func TestKeysTellConditionsApart(t *testing.T) {
	empty, one := "", "1"
	seen := map[string]int{}
	for i, specs := range [][]domain.FilterSpec{
		nil, {{Column: "a"}}, {{Column: "b"}}, {{Column: "a"}, {Column: "b"}}, {{Column: "b"}, {Column: "a"}},
		{{Column: "a", NotNull: true}}, {{Column: "a", From: &empty}}, {{Column: "a", From: &one}},
		{{Column: "a", Before: &one}}, {{Column: "a", Min: &one}}, {{Column: "a", Max: &one}},
		{{Column: "a", From: &one, For: "1d"}}, {{Column: "a", For: "1d"}},
		{{Column: "a", In: []string{"x", "y"}}}, {{Column: "a", In: []string{"x,y"}}},
		{{Column: "a", In: []string{`x","y`}}}, {{Column: "a", In: []string{"y", "x"}}},
		{{Column: "a", NotIn: []string{"x", "y"}}},
	} {
		key := domain.Filters{Field: fmt.Sprint(i), Specs: specs}.Key()
		if k, ok := seen[key]; ok {
			t.Errorf("conditions %d and %d have the key %s", k, i, key)
		}
		if seen[key] = i; key != (domain.Filters{Specs: specs}).Key() {
			t.Errorf("the key %s depends on the place in the job", key)
		}
	}
}
