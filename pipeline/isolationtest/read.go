package isolationtest

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/unitstest"
)

// reading is what our reader read from the files of a table.
type reading struct {
	err   string
	rows  []string // formatted by appendRows
	units []string // the unit of each row; empty if the row belongs to no unit
	// unfit is set if the columns cannot define a unit; then units is empty.
	unfit bool
	blank int64 // the number of skipped lines
}

// read reads the files of a table.
func (c *Case) read(dir string) (out reading) {
	_, columns, unit := c.Format.Options(dir, c.Files)
	d, err := c.open(dir)
	if err != nil {
		return reading{err: "opening: " + err.Error()}
	}
	defer d.Close()
	units, err := unitstest.New(unit, columns, d.Schema())
	out.unfit = err != nil
	all := d.NewSplitReader(nil, nil)
	if c.Workers == 1 {
		all.Memory = 1 // columns of Parquet files pass through windows
	}
	for split := range d.Splits() {
		sum, err := all.Read(context.Background(), split, columns, func(b *table.Batch) (err error) {
			if !out.unfit {
				out.units, err = units.Append(out.units, b)
			}
			out.rows = appendRows(out.rows, b)
			return err
		})
		if err != nil {
			return reading{err: "reading: " + err.Error(), unfit: out.unfit}
		}
		out.blank += sum.Blank
	}
	return out
}

// This file compares rows as strings. Each cell is formatted so that different cells, and different lists of cells,
// give different strings.

// shownNull is the string of a null cell.
const shownNull = "·"

func shownText(s string) string { return strconv.Itoa(len(s)) + ":" + s }

func shownInt(x int64) string { return "i" + strconv.FormatInt(x, 10) + ";" }

func shownFloat(x float64) string { return "f" + strconv.FormatFloat(x, 'g', -1, 64) + ";" }

// appendRows appends the rows of a batch, formatted as strings.
func appendRows(to []string, b *table.Batch) []string {
	var row []byte
	for i := range b.Rows {
		row = row[:0]
		for k := range b.Columns {
			c := &b.Columns[k]
			if c.IsNull(i) {
				row = append(row, shownNull...)
				continue
			}
			at := c.Index(i)
			switch c.Type.Kind {
			case table.String:
				text := c.Values.Bytes(at)
				row = append(strconv.AppendInt(row, int64(len(text)), 10), ':')
				row = append(row, text...)
			case table.Float:
				row = append(strconv.AppendFloat(append(row, 'f'), c.Values.Floats[at], 'g', -1, 64), ';')
			case table.List:
				for _, x := range c.List(i) {
					row = binary.BigEndian.AppendUint64(row, math.Float64bits(x))
				}
			default:
				row = append(strconv.AppendInt(append(row, 'i'), c.Values.Ints[at], 10), ';')
			}
		}
		to = append(to, string(row))
	}
	return to
}
