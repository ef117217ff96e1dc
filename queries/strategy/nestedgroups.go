package strategy

import (
	"encoding/binary"
	"slices"
)

// Alike nodes of nested levels
//
// Noise has one variance a level, so that the variances of estimates depend on the shape of a tree alone. Nodes with
// isomorphic subtrees have the same variance s. Nodes with isomorphic subtrees, whose parents are in the same group,
// also have the same variance V (see nested.go). A tree of many leaves mostly has few kinds of nodes, so that errors
// are computed once for each kind instead of for each node.

// alike holds the kinds of the nodes of a tree above its leaves.
type alike struct {
	kinds  [][]nodeKind  // by level; nodes of a kind have isomorphic subtrees
	groups [][]nodeGroup // by level; nodes of a group also have parents of one group
}

// nodeKind is a kind of nodes: its children, by their kinds, or the number of its leaves in the last level above them.
type nodeKind struct {
	children []childKind
	leaves   int
}

// childKind is a number of children of one kind.
type childKind struct{ kind, number int32 }

// nodeGroup is a number of nodes of one kind, and the group of their parents.
type nodeGroup struct {
	kind, parent int32
	nodes        float64
}

// findAlike finds the kinds of nodes of a tree.
func (n *Nested) findAlike() *alike {
	last := n.Levels() - 1
	a := &alike{kinds: make([][]nodeKind, last), groups: make([][]nodeGroup, last)}
	var below []int32 // the kinds of the nodes of the level below
	for l := last - 1; l >= 0; l-- {
		own, known := make([]int32, n.sizes[l]), map[string]int32{}
		var numbers, met []int32 // the number of children of each kind, and the kinds that occur
		if l+1 < last {
			numbers = make([]int32, len(a.kinds[l+1]))
		}
		var key []byte
		for i := range own {
			from, to := n.Children(l, i)
			key, met = key[:0], met[:0]
			if l+1 == last {
				key = binary.LittleEndian.AppendUint32(key, uint32(to-from))
			} else {
				for _, k := range below[from:to] {
					if numbers[k] == 0 {
						met = append(met, k)
					}
					numbers[k]++
				}
				slices.Sort(met)
				for _, k := range met {
					key = binary.LittleEndian.AppendUint32(key, uint32(k))
					key = binary.LittleEndian.AppendUint32(key, uint32(numbers[k]))
				}
			}
			kind, ok := known[string(key)]
			if !ok {
				kind = int32(len(a.kinds[l]))
				known[string(key)] = kind
				k := nodeKind{leaves: to - from}
				for _, m := range met {
					k.children = append(k.children, childKind{m, numbers[m]})
				}
				a.kinds[l] = append(a.kinds[l], k)
			}
			own[i] = kind
			for _, k := range met {
				numbers[k] = 0
			}
		}
		below = own
	}
	counts := make([]float64, len(a.kinds[0]))
	for _, kind := range below {
		counts[kind]++
	}
	for kind, nodes := range counts {
		a.groups[0] = append(a.groups[0], nodeGroup{int32(kind), 0, nodes})
	}
	for l := range last - 1 {
		for g, parent := range a.groups[l] {
			for _, c := range a.kinds[l][parent.kind].children {
				a.groups[l+1] = append(a.groups[l+1], nodeGroup{c.kind, int32(g), parent.nodes * float64(c.number)})
			}
		}
	}
	return a
}

// size returns the number of groups of all levels.
func (a *alike) size() (size int) {
	for _, of := range a.groups {
		size += len(of)
	}
	return size
}

// variances returns the variance V of the estimates (see nested.go) for each group of each level, and for the leaves
// below each group of the last level in a. v has the variance of the noise of each level. exact(level) reports whether
// the numbers of a level have no noise.
func (a *alike) variances(v []float64, exact func(level int) bool) (all [][]float64, leaves []float64) {
	last := len(a.kinds)
	leaf := v[last]
	if exact(last) {
		leaf = 0
	}
	up, beneath := make([][]float64, last), make([][]float64, last)
	for l := last - 1; l >= 0; l-- {
		up[l], beneath[l] = make([]float64, len(a.kinds[l])), make([]float64, len(a.kinds[l]))
		for i, kind := range a.kinds[l] {
			s := 0.0
			if l == last-1 {
				s = float64(float64(kind.leaves) * leaf)
			}
			for _, c := range kind.children {
				s += float64(float64(c.number) * up[l+1][c.kind])
			}
			beneath[l][i] = s
			if s > 0 && !exact(l) {
				up[l][i] = 1 / (1/v[l] + 1/s)
			}
		}
	}
	all = make([][]float64, last)
	for l, of := range a.groups {
		all[l] = make([]float64, len(of))
		for g, group := range of {
			all[l][g] = up[l][group.kind]
			if l == 0 {
				continue
			}
			if s := beneath[l-1][a.groups[l-1][group.parent].kind]; s > 0 {
				r := up[l][group.kind] / s
				all[l][g] -= float64(r * r * (s - all[l-1][group.parent]))
			}
		}
	}
	leaves = make([]float64, len(all[last-1]))
	if leaf > 0 {
		for g, group := range a.groups[last-1] {
			k := float64(a.kinds[last-1][group.kind].leaves)
			leaves[g] = leaf - (leaf-all[last-1][g]/k)/k
		}
	}
	return all, leaves
}

// groupVariances returns the variance of the estimates of each group of each level, for noise of these variances. A
// group of leaves has the leaves below one group of the level above.
func (n *Nested) groupVariances(variances []float64) [][]float64 {
	a := n.alike()
	all, leaves := a.variances(variances, func(int) bool { return false })
	of := slices.Concat(all, [][]float64{leaves})
	if n.AnyKnown() {
		exact, exactLeaves := a.variances(variances, n.Known)
		for l, vs := range slices.Concat(exact, [][]float64{exactLeaves}) {
			for g, v := range vs {
				of[l][g] += (v - of[l][g]) / float64(n.cells)
			}
		}
	}
	return of
}

// Errors returns the mean and the largest variance of the estimates of each level, for noise of these variances.
func (n *Nested) Errors(variances []float64) []NestedErrors {
	a, last := n.alike(), n.Levels()-1
	out := make([]NestedErrors, last+1)
	for l, vs := range n.groupVariances(variances) {
		groups := a.groups[min(l, last-1)]
		for g, v := range vs {
			nodes := groups[g].nodes
			if l == last {
				nodes *= float64(a.kinds[last-1][groups[g].kind].leaves)
			}
			out[l].Mean, out[l].Largest = out[l].Mean+float64(nodes*v), max(out[l].Largest, v)
		}
		out[l].Mean /= float64(n.sizes[l])
	}
	return out
}
