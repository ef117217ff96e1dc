package configs

import (
	"math/big"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// discoveredBound checks the keys of `max_rows: discover`. b holds the bounds that apply to the query; own holds the
// bounds that the job file has at this path.
func (c *checker) discoveredBound(at *yamltree.Path, b PerUnit, own *PerUnit) {
	keys := []string{}
	if own.MaxRowsUpTo != 0 {
		keys = append(keys, "max_rows_up_to")
	}
	if own.MaxRowsShare != "" {
		keys = append(keys, "max_rows_share")
	}
	switch {
	case !b.MaxRows.Discovers():
		for _, key := range keys {
			c.bad(at.At(key), CodeContradiction, key+" goes with max_rows: discover", "write max_rows: discover, or remove "+key)
		}
		return
	case !own.MaxRows.Discovers() && len(keys) == 0:
		return
	case c.rowUnit():
		c.bad(at.At("max_rows"), CodeContradiction,
			"there is nothing to discover with unit: row: each row is a unit of its own and contributes one row",
			"remove per_unit, or name the columns that identify the privacy unit: unit: [user_id]")
		return
	case b.MaxRowsUpTo == 0 && !c.has(at.At("max_rows_up_to")):
		c.bad(at.At("max_rows"), CodeMissing, "there is no public limit up to which to look for the bound",
			"add max_rows_up_to: N, which may be generous, such as 1000; never from the data")
	}
	if share, ok := own.MaxRowsShare.rat(); ok && (share.Sign() <= 0 || share.Cmp(big.NewRat(1, 1)) >= 0) {
		c.bad(at.At("max_rows_share"), CodeBadValue, "must be above 0 and below 1, is "+c.Show(at.At("max_rows_share"),
			string(own.MaxRowsShare)), "leave it out: a tenth is spent")
	}
}

// sampled checks a query whose rows are chosen by named columns: the choice is one for queries of all cells.
func (c *checker) sampled(at *yamltree.Path, q *Query) {
	b := c.job.Bounds(q)
	if len(b.SampleBy) == 0 {
		return
	}
	why := ""
	switch {
	case q.CountsUnits():
		return
	case b.MaxRows.Discovers():
		why = "max_rows is discovered"
	case b.MaxGroups > 0:
		why = "max_groups depends on cells"
	case b.MaxRowsPerGroup > 0:
		why = "max_rows_per_group depends on cells"
	case q.discovers():
		why = "keys are discovered"
	case b.MaxRows == 0:
		why = "max_rows is missing"
	default:
		return
	}
	c.bad(at.At("per_unit").At("sample_by"), CodeContradiction, "sample_by chooses max_rows rows of a unit, whatever "+
		"their cells are, and "+why, "move sample_by from privacy.per_unit to the per_unit of the queries that have "+
		"max_rows alone")
}
