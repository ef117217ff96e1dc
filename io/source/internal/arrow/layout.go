package arrow

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dprelease/dprelease/io/source/fault"
)

// array describes an array of a record batch: its type, its buffers, and the arrays of its children.
type array struct {
	typ      arrow.DataType
	node     node
	buffers  []span
	children []array
}

// cursor walks over the types of a record batch and assigns to each array its nodes and buffers, which the batch lists
// in the order of this walk. Source: apache/arrow, docs/source/format/Columnar.rst, "RecordBatch message".
type cursor struct {
	batch                *recordBatch
	node, buffer, viewed int
}

func (b *recordBatch) arrays(types []arrow.DataType) ([]array, error) {
	c := cursor{batch: b}
	out := make([]array, len(types))
	for i, t := range types {
		var err error
		if out[i], err = c.array(t); err != nil {
			return nil, err
		}
		if out[i].node.rows != b.rows {
			return nil, fault.New(fault.CodeRowCount, "the number of values differs from the number of rows")
		}
	}
	if c.node != len(b.nodes) || c.buffer != len(b.buffers) {
		return nil, unmatched()
	}
	return out, nil
}

func unmatched() error {
	return fault.New(fault.CodeDamaged, "a record batch does not match the schema")
}

func (c *cursor) array(t arrow.DataType) (array, error) {
	t = storage(t)
	n, err := c.buffers(t)
	if err != nil {
		return array{}, err
	}
	if c.node == len(c.batch.nodes) || n > len(c.batch.buffers)-c.buffer {
		return array{}, unmatched()
	}
	p := array{typ: t, node: c.batch.nodes[c.node], buffers: c.batch.buffers[c.buffer : c.buffer+n]}
	c.node++
	c.buffer += n
	nested, ok := t.(arrow.NestedType)
	if !ok {
		return p, nil
	}
	for _, f := range nested.Fields() {
		child, err := c.array(f.Type)
		if err != nil {
			return p, err
		}
		p.children = append(p.children, child)
	}
	return p, nil
}

// buffers returns the number of buffers of an array, without its children's buffers.
func (c *cursor) buffers(t arrow.DataType) (int, error) {
	old := 0 // unions had a validity buffer before version 5
	if c.batch.message.version == versionV4 {
		old = 1
	}
	switch t.ID() {
	case arrow.NULL:
		return 0, nil
	case arrow.RUN_END_ENCODED:
		return old, nil
	case arrow.STRUCT, arrow.FIXED_SIZE_LIST:
		return 1, nil
	case arrow.SPARSE_UNION:
		return 1 + old, nil
	case arrow.DENSE_UNION:
		return 2 + old, nil
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		return 3, nil
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		return c.views()
	}
	return 2, nil
}

// views returns the number of buffers of the next array of string views.
func (c *cursor) views() (int, error) {
	if c.viewed == len(c.batch.views) {
		return 0, unmatched()
	}
	n := c.batch.views[c.viewed]
	c.viewed++
	if n < 0 || n > int64(len(c.batch.buffers)) {
		return 0, unmatched()
	}
	return 2 + int(n), nil
}
