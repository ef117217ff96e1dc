package queries_test

import (
	"fmt"

	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// The cost of a query is known before any row is read.
func ExampleNew() {
	q, err := queries.New(queries.Spec{
		Name: "pickups", Kind: queries.Histogram,
		Unit: []string{"cab_id"}, Bounds: queries.Bounds{MaxRows: 5, MaxRowsPerGroup: 1},
		By: []domain.Dimension{
			{Column: "hour", Edges: []string{"0", "6", "12", "18", "23"}},
			{Column: "zone", Labels: []domain.Label{{Name: "north", Members: []string{"N", "north"}},
				{Name: "south", Members: []string{"S"}}}, Other: domain.OwnCell},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	components, err := q.Components(queries.AddRemove)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q.Columns(), q.Cells())
	fmt.Println(components[0].Sens.Why)
	// Output:
	// [hour zone cab_id] 12
	// each cab_id adds at most 5 rows, at most 1 a cell: sqrt(5)
}

// All problems are reported together, each with its place in the job.
func ExampleErrors() {
	_, err := queries.New(queries.Spec{
		Name: "ages", Kind: queries.Histogram, Unit: []string{"person"},
		By: []domain.Dimension{{Column: "age", Edges: []string{"0", "30", "20"}}},
	})
	for _, e := range problem.Errors(err) {
		fmt.Printf("%s: %s: %s\n", e.Field, e.Code, e.Message)
	}
	// Output:
	// histogram.by[0].edges[2]: bad-value: edge "20" is not above the edge before it
	// per_unit: missing-bound: nothing bounds how many rows person adds to the query: max_rows (or max_groups and max_rows_per_group) is not set
}
