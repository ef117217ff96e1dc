package combine

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/strategy"
)

// levels locates a table among the nested levels of a query, such as districts within states.
type levels struct {
	tree      *strategy.Nested
	level     int
	names     []string // the name of each level's component
	variances []float64
}

// levelsOf reconstructs the tree of a query's nested levels from the labels of its tables. Each row of a table of
// regions also has the names of the larger regions around it; a row of a table of dates has the first day of the
// period.
func levelsOf(ctx context.Context, dir string, m *manifest.Manifest, q *manifest.Query, holds string) (*levels, error) {
	out := &levels{level: -1}
	var keys [][]domain.KeyColumn
	var rows []int
	for l, of := range q.Strategy.Tables {
		read, err := sink.ReadTable(ctx, dir, q, of.Name)
		if err != nil {
			return nil, pipeline.OutputError(err)
		}
		keys, rows = append(keys, read.Keys), append(rows, read.Rows)
		if of.Name == holds {
			out.level = l
		}
	}
	if out.level < 0 || len(q.Mechanisms) != len(keys) {
		return nil, pipeline.OutputError(pipeline.ErrIncomplete)
	}
	groups, cells := groupsOf(keys, rows)
	if groups == nil {
		return nil, pipeline.OutputError(pipeline.ErrIncomplete)
	}
	var err error
	if out.tree, err = strategy.NewNested(groups, cells, knownLevels(m, q)); err != nil {
		return nil, pipeline.OutputError(pipeline.ErrIncomplete)
	}
	for i := range q.Mechanisms {
		sd := q.Mechanisms[i].StandardDeviation
		out.names, out.variances = append(out.names, q.Mechanisms[i].Component), append(out.variances, sd*sd)
	}
	return out, nil
}

// groupsOf returns the tree: groups[l][i] is the node at level l that contains leaf i. cells is the number of cells of
// a leaf, one for each combination of values of the query's other dimensions. groups is nil if the labels do not
// determine the tree.
func groupsOf(keys [][]domain.KeyColumn, rows []int) (groups [][]int32, cells int) {
	last := len(keys) - 1
	places := len(keys[last]) == len(keys[0])+last // whether each level below the first has one label column more
	// own returns the label columns of the nodes of level l, without the columns of the other dimensions.
	own := func(l int) (columns [][]string) {
		for i := range keys[l] {
			if places && i > l || !places && i > 0 {
				break
			}
			columns = append(columns, keys[l][i].Labels.Texts())
		}
		return columns
	}
	nodes := make([][]int, len(keys)) // nodes[l][k] is the first row of node k of level l
	for l := range keys {
		columns := own(l)
		for row := range rows[l] {
			if row == 0 || slices.ContainsFunc(columns, func(c []string) bool { return c[row] != c[row-1] }) {
				nodes[l] = append(nodes[l], row)
			}
		}
		if len(nodes[l]) == 0 || rows[l]%len(nodes[l]) != 0 || l > 0 && rows[l]/len(nodes[l]) != cells {
			return nil, 0
		}
		cells = rows[l] / len(nodes[l])
	}
	leaves := own(last)
	for l := range keys {
		of, columns := make([]int32, len(nodes[last])), own(l)
		node := -1
		// begins reports whether node next of the level has the labels of the leaf in this row.
		begins := func(row, next int) bool {
			for i, c := range columns {
				if c[nodes[l][next]] != leaves[i][row] {
					return false
				}
			}
			return true
		}
		for leaf, row := range nodes[last] {
			if node+1 < len(nodes[l]) && begins(row, node+1) {
				node++
			}
			if node < 0 {
				return nil, 0
			}
			of[leaf] = int32(node)
		}
		if node != len(nodes[l])-1 {
			return nil, 0
		}
		groups = append(groups, of)
	}
	return groups, cells
}

// knownLevels reports for each level whether the job states its totals as public facts: the levels that it names, and
// all above.
func knownLevels(m *manifest.Manifest, q *manifest.Query) []bool {
	var job struct {
		Queries []struct {
			Name      string `json:"name"`
			Crosstabs struct {
				Known []struct {
					Level string `json:"level"`
				} `json:"known"`
			} `json:"crosstabs"`
		} `json:"queries"`
	}
	_ = json.Unmarshal(m.Job, &job) // a missing key leaves a field empty
	out := make([]bool, len(q.Strategy.Tables))
	for _, jq := range job.Queries {
		for _, k := range jq.Crosstabs.Known {
			for l, t := range q.Strategy.Tables {
				if jq.Name == q.Name && len(t.By) > 0 && t.By[0] == k.Level {
					for above := range l + 1 {
						out[above] = true
					}
				}
			}
		}
	}
	return out
}
