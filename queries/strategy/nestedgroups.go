package strategy

import (
	"encoding/binary"
	"slices"
)

// Groups of equal nodes
//
// All noise of a level has the same variance, so the variances of estimates depend on the shape of the tree alone.
// Nodes with isomorphic subtrees are of the same kind, and have the same variance s (see nested.go). Nodes of the same
// kind whose parents are in the same group form a group, and have the same variance V. Even a tree with many leaves
// usually has few groups, so errors are computed for each group instead of each node.

// alike holds the groups of equal nodes: the kinds and groups of the tree's nodes above the leaves.
type alike struct {
	kinds  [][]nodeKind  // by level
	groups [][]nodeGroup // by level
}

// nodeKind is the shape of a subtree. It lists the kinds of the root's children or, if these are leaves, only their
// number.
type nodeKind struct {
	children []childKind
	leaves   int
}

// childKind is a kind of child nodes, and how many children of this kind a node has.
type childKind struct{ kind, number int32 }

// nodeGroup is a group of nodes: their kind, the group of their parents, and how many nodes the group has.
type nodeGroup struct {
	kind, parent int32
	nodes        float64
}

// findAlike computes the kinds and groups of the nodes.
func (n *Nested) findAlike() *alike {
	last := n.Levels() - 1
	a := &alike{kinds: make([][]nodeKind, last), groups: make([][]nodeGroup, last)}
	var below []int32 // the kind of each node of the level below
	for l := last - 1; l >= 0; l-- {
		own, known := make([]int32, n.sizes[l]), map[string]int32{}
		var numbers, met []int32 // numbers[kind] is how many children of this kind a node has; met lists the kinds that it has
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

// size returns the number of groups in all levels.
func (a *alike) size() (size int) {
	for _, of := range a.groups {
		size += len(of)
	}
	return size
}

// variances returns the variance V of the estimates (see nested.go). all[l][g] is the variance for group g of level l,
// and leaves[g] the variance for the leaves whose parents are in group g. v[l] is the variance of the noise of level l.
// exact(l) reports whether the numbers of level l have no noise.
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

// groupVariances returns the variance of the estimates, by level and group. The leaves below one group form a group,
// too. variances[l] is the variance of the noise of level l.
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

// Errors returns the mean and the largest variance of each level's estimates. variances[l] is the variance of the noise
// of level l.
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
