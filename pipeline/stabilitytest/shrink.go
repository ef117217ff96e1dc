package stabilitytest

import "slices"

// Shrink simplifies a failing case as long as fails returns true: fewer queries, conditions and rows, simpler layouts
// and limits. It returns the simplest case that still fails.
func (c *Case) Shrink(fails func(*Case) bool) *Case {
	best := c
	try := func(change func(*Case)) bool {
		next := best.clone()
		change(next)
		if next.Job.YAML() != best.Job.YAML() {
			next.Job.changed()
		}
		if !fails(next) {
			return false
		}
		best = next
		return true
	}
	for again := true; again; {
		again = false
		for i := len(best.Job.Queries) - 1; i >= 0 && len(best.Job.Queries) > 1; i-- {
			again = try(func(n *Case) { n.Job.Queries = slices.Delete(n.Job.Queries, i, i+1) }) || again
		}
		for i := len(best.Job.Where) - 1; i >= 0; i-- {
			again = try(func(n *Case) { n.Job.Where = slices.Delete(n.Job.Where, i, i+1) }) || again
		}
		again = best.shrinkRows(try) || again
	}
	for _, change := range []func(*Case){
		func(n *Case) { n.Limits = Limits{Workers: 1} }, func(n *Case) { n.Limits.Tight = false },
		func(n *Case) { n.Job.Timezone = "" },
		func(n *Case) { n.Job.CSV = "" }, func(n *Case) { n.Pair.oneFile() }, func(n *Case) { n.Pair.oneOrder() },
	} {
		try(change)
	}
	return best
}

// shrinkRows removes rows without which the case still fails: first halves, then one by one. It removes none if the
// number of rows is public, or if rows are counts, which differ in pairs.
func (c *Case) shrinkRows(try func(func(*Case)) bool) bool {
	shrunk := false
	if c.Job.Rows > 0 || c.Job.MaxChange > 0 {
		return false
	}
	left := len(c.Pair.Items)
	for n := max(left/2, 1); n >= 1; n /= 2 {
		at := 0
		for at+n <= left {
			if try(func(next *Case) { next.Pair.Items = slices.Delete(next.Pair.Items, at, at+n) }) {
				shrunk, left = true, left-n
				continue
			}
			at += n
		}
	}
	return shrunk
}

func (c *Case) clone() *Case {
	next := *c
	job, pair := *c.Job, *c.Pair
	job.Queries, job.Where, pair.Items = slices.Clone(job.Queries), slices.Clone(job.Where), slices.Clone(pair.Items)
	next.Job, next.Pair = &job, &pair
	return &next
}

// oneFile moves all rows to one file.
func (p *Pair) oneFile() {
	p.Files = 1
	for i := range p.Items {
		p.Items[i].file = [2]int{}
	}
}

// oneOrder gives the rows of D' the order and the files that they have in D.
func (p *Pair) oneOrder() {
	for i := range p.Items {
		it := &p.Items[i]
		it.place[1], it.file[1] = it.place[0], it.file[0]
	}
}

// neighbouring reports whether a pair from which rows were removed is still a pair of neighbours.
func (p *Pair) neighbouring(j *Job) bool {
	if len(j.Unit) > 0 || j.Upstream > 0 {
		return true
	}
	var n [2]int
	for _, it := range p.Items {
		for i := range n {
			if it.In[i] && !it.In[1-i] {
				n[i]++
			}
		}
	}
	if j.Adjacency == replaceOne {
		return n[0] == n[1] && n[0] <= 1
	}
	return n[0]+n[1] <= 1
}
