package local

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/aggregation"
)

// Limits are the resources that an engine may use.
type Limits struct {
	// Workers is the number of worker goroutines, at least 1. Answers do not depend on it.
	Workers int
	// Memory is the memory in bytes that the process should use at most. If it is 0, the limit is half of the memory of
	// the machine or the control group.
	Memory int64
	// Scratch is the folder for data that does not fit in memory. If it is empty, it is the release's staging folder,
	// or the system's temp directory.
	Scratch string
	// Ahead is the memory in bytes, for each worker, for data that is read ahead of decoding, if the input is in an object
	// store.
	Ahead int64
	// Look selects how much of the input is tallied for the operator. Answers do not depend on it.
	Look Look
	// Separate is set if queries do not share the rows of units. Which rows of a unit over its bounds are kept then
	// follows the rule for a single query, as in databases.
	Separate bool
}

// memory divides a memory limit among the uses of one scan.
type memory struct {
	workers int
	rows    int64 // bytes for rows of units before they are written to the scratch file
	room    int64 // bytes for each goroutine that bounds the rows of units, after all rows were read
	pages   int64 // bytes for each worker's pages and dictionaries of Parquet files
	cells   int64 // the largest domain, in cells, that is held as a vector; larger ones are held sparsely
}

const (
	mebibyte = 1 << 20
	// baseBytes is the memory of the program itself; workerBytes is the smallest memory that a worker needs for reading.
	baseBytes   = 64 * mebibyte
	workerBytes = 24 * mebibyte
	// furtherBytes is the memory that each worker after the first needs for reading files that are stored by columns. A
	// page and a dictionary of texts often have 16 MiB each, and are in memory compressed, too. If memory is scarce, few
	// workers read, so that pages need not be read again and again.
	furtherBytes = 48 * mebibyte
	// columnBytes is the memory of a worker for each column of a file that is stored by columns: blocks of the file, and
	// a page with its dictionary and decoded values. The pages of all columns are in memory at the same time, or a part of
	// their rows if these do not fit (source.SplitReader.Memory).
	columnBytes = 3 * mebibyte / 8
	// minRowBytes is the smallest memory for the rows of units with which a scan may run, and minStoreBytes the smallest
	// share of a store of rows.
	minRowBytes   = 32 * mebibyte
	minStoreBytes = 32 << 10
	// queryBytes is the memory for a query besides its cells and rows: its part of the plan, and what workers need for it.
	queryBytes = 16 << 10
)

// atOnceBytes is the memory in bytes for what a worker's accumulators compute of the rows of a batch: their cells,
// values and contents.
const atOnceBytes = 8 * mebibyte

// rowsAtOnce returns how many rows are passed to the accumulators at once; a reader's batch may be longer. A query
// needs about 48 bytes for a row, 16 more for each number that it adds up, and 8 more for each dimension.
func rowsAtOnce(of []*aggregation.Aggregation) int {
	bytes := 0
	for _, a := range of {
		bytes += 48 + 8*len(a.Axes)
		if a.Value != nil {
			bytes += 16 * a.Value.Numbers()
		}
	}
	return max(atOnceBytes/max(bytes, 1), 1)
}

// readBytes returns the memory in bytes that each of the workers needs for reading. It depends on the job alone, not
// on the sizes in a file's footer: a row may not decide whether a job is refused.
func readBytes(p *pipeline.Plan, workers int) int64 {
	if tables := p.Tables(); len(tables) > 0 { // one table is read after the other
		most := int64(workerBytes)
		for k := range tables {
			of := p.OfTable(k)
			most = max(most, readBytes(of, workers))
			for _, j := range of.Joins() {
				most = max(most, readBytes(j.Side, workers))
			}
		}
		return most
	}
	if p.Job().Input.IsText() {
		return workerBytes // all columns of a piece of text are in memory, and more columns do not make it longer
	}
	first := max(workerBytes, columnBytes*int64(len(p.Columns())))
	return (first + int64(workers-1)*max(first, furtherBytes)) / int64(workers)
}

// share divides the limit between the cells of the plan's queries and the rows of units. If not all cells fit, the
// largest domains are held sparsely. If that is not enough, fewer workers read.
func (l Limits) share(p *pipeline.Plan) (memory, error) {
	limit := l.Memory
	if limit == 0 {
		limit = DefaultMemory()
	}
	stores := l.stores(p)
	for workers := max(l.Workers, 1); ; workers-- {
		left, cells, read := int64(0), int64(0), readBytes(p, workers)
		least := max(minRowBytes, 2*minStoreBytes*stores*int64(workers))
		for _, cells = range domains(p) {
			left = limit - baseBytes - int64(workers)*(read+l.Ahead) - cellBytes(p, workers, cells)
			if left >= least {
				room := left / 4 / int64(workers)
				pages := read + room
				if stores == 0 {
					pages += left / 2 / int64(workers)
				}
				return memory{workers: workers, rows: left / 2, room: room, pages: pages, cells: cells}, nil
			}
		}
		if workers == 1 {
			return memory{}, tooSmall(p, limit, limit-left+least)
		}
	}
}

// stores returns the number of stores that each worker has, at most: one for the rows of all queries with equal filters
// and one choice of rows, if there are units; one for the table of units; and one for the totals of each query with
// discovered keys. It is 0 if there are none.
func (l Limits) stores(p *pipeline.Plan) (n int64) {
	tables := p.Tables()
	for k := range tables {
		n += l.stores(p.OfTable(k))
	}
	if len(tables) > 0 {
		return n
	}
	job, known := p.Job(), map[string]bool{}
	for i := range p.Queries() {
		q := &p.Queries()[i]
		if _, follows := q.Leader(); follows || q.Selection != nil {
			n++
		}
		if len(job.Privacy.Unit.Columns) == 0 {
			continue
		}
		b := job.Bounds(&job.Queries[i])
		key := q.FilterKey()
		switch {
		case len(b.SampleBy) > 0:
			key += fmt.Sprint(b.SampleBy, b.MaxRows, b.MaxRowsUpTo)
		case l.Separate:
			key = fmt.Sprint(i)
		}
		if known[key] = true; q.OverUnits() {
			known["units"] = true
		}
	}
	return n + int64(len(known))
}

// domains returns the sizes to try for memory.cells, in order: first a size with which all of the plan's domains are
// vectors, then one that leaves out the largest domain, and so on.
func domains(p *pipeline.Plan) []int64 {
	sizes := []int64{math.MaxInt64}
	for _, q := range p.Queries() {
		sizes = append(sizes, int64(q.Query.Cells())-1)
	}
	slices.SortFunc(sizes, func(a, b int64) int { return cmp.Compare(b, a) })
	return slices.Compact(sizes)
}

// nameBytes is the memory for the name of a cell: the texts of its edges, in the job and in the query, and their
// values.
const nameBytes = 64

// cellBytes returns the memory in bytes for a plan's queries, for their cells and for their names in each dimension, if
// domains of up to maxDense cells are vectors.
func cellBytes(p *pipeline.Plan, workers int, maxDense int64) int64 {
	sum := int64(0)
	for _, q := range p.Queries() {
		sum += queryBytes + q.Query.Bytes(workers, maxDense)
		for _, d := range q.Query.Directions() {
			sum += nameBytes * int64(d.Size)
		}
	}
	return sum
}

// tooSmall returns the error for a limit that is less than a plan needs: with its place in the job if the job sets it.
func tooSmall(p *pipeline.Plan, limit, need int64) error {
	const code, fewer = "memory-limit", ", or ask for fewer queries, cells or columns"
	needed := fmt.Sprintf("%d MiB", (need+mebibyte-1)/mebibyte)
	if job := p.Job(); job.Memory() == limit {
		return p.ErrorAt("memory_limit", code, "memory_limit: the queries need "+needed+" of memory, the limit is "+
			string(job.MemoryLimit), "write "+needed+" or more"+fewer)
	}
	given := fmt.Sprintf("%d MiB", limit/mebibyte)
	if limit < mebibyte {
		given = fmt.Sprintf("%d B", limit)
	}
	return &pipeline.Error{
		Cause: pipeline.CauseJob, Code: code,
		Message: "the queries need " + needed + " of memory, the limit is " + given,
		Hint:    "raise --memory-limit or memory_limit to " + needed + " or more" + fewer,
	}
}

// Fits returns nil if a plan can run within the limits, and otherwise an error that states how much memory it needs.
func (l Limits) Fits(p *pipeline.Plan) error {
	_, err := l.share(p)
	return err
}
