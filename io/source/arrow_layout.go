package source

import "github.com/apache/arrow/go/v17/arrow"

// arrowPart is an array of a record batch: its buffers and those of the arrays in it.
type arrowPart struct {
	typ      arrow.DataType
	node     arrowNode
	buffers  []arrowSpan
	children []arrowPart
}

// arrowCursor deals out the nodes and buffers of a record batch, which are listed in the order of a walk over the types.
// Source: apache/arrow, docs/source/format/Columnar.rst, "RecordBatch message".
type arrowCursor struct {
	batch                *recordBatch
	node, buffer, viewed int
}

// parts returns the arrays of a record batch.
func (b *recordBatch) parts(types []arrow.DataType) ([]arrowPart, error) {
	c := arrowCursor{batch: b}
	out := make([]arrowPart, len(types))
	for i, t := range types {
		var err error
		if out[i], err = c.part(t); err != nil {
			return nil, err
		}
		if out[i].node.rows != b.rows {
			return nil, fault(CodeRowCount, "the number of values differs from the number of rows")
		}
	}
	if c.node != len(b.nodes) || c.buffer != len(b.buffers) {
		return nil, unmatched()
	}
	return out, nil
}

func unmatched() error { return fault(CodeDamaged, "a record batch does not match the schema") }

func (c *arrowCursor) part(t arrow.DataType) (arrowPart, error) {
	t = storage(t)
	n, err := c.buffers(t)
	if err != nil {
		return arrowPart{}, err
	}
	if c.node == len(c.batch.nodes) || n > len(c.batch.buffers)-c.buffer {
		return arrowPart{}, unmatched()
	}
	p := arrowPart{typ: t, node: c.batch.nodes[c.node], buffers: c.batch.buffers[c.buffer : c.buffer+n]}
	c.node++
	c.buffer += n
	nested, ok := t.(arrow.NestedType)
	if !ok {
		return p, nil
	}
	for _, f := range nested.Fields() {
		child, err := c.part(f.Type)
		if err != nil {
			return p, err
		}
		p.children = append(p.children, child)
	}
	return p, nil
}

// buffers returns how many buffers an array has, without those of the arrays in it.
func (c *arrowCursor) buffers(t arrow.DataType) (int, error) {
	old := 0 // unions had a validity once
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

// views returns how many buffers the next array of views has.
func (c *arrowCursor) views() (int, error) {
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
