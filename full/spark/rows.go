package spark

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/beltran/gohive/hiveserver"
)

// pageRows is the maximum number of rows in one message.
const pageRows = 1 << 12

// rows is the result of a statement; the statement may still be running.
type rows struct {
	ctx     context.Context
	session *session
	handle  *hiveserver.TOperationHandle
	columns []*hiveserver.TColumnDesc

	page []column
	next int // index in the page of the next row
	size int // number of rows of the page
}

var (
	_ driver.RowsColumnTypeDatabaseTypeName = (*rows)(nil)
	_ driver.RowsColumnTypePrecisionScale   = (*rows)(nil)
)

// The driver asks for the state of a statement after firstPause, then after pauses that double up to longestPause. The
// server also waits before it answers.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = time.Second
)

// wait waits until the statement has a result.
func (r *rows) wait() error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		s, err := call(r.ctx, r.session, r.session.client.GetOperationStatus,
			&hiveserver.TGetOperationStatusReq{OperationHandle: r.handle})
		if err != nil {
			return err
		}
		switch s.GetOperationState() {
		case hiveserver.TOperationState_FINISHED_STATE:
			return nil
		case hiveserver.TOperationState_INITIALIZED_STATE, hiveserver.TOperationState_PENDING_STATE,
			hiveserver.TOperationState_RUNNING_STATE:
		case hiveserver.TOperationState_CANCELED_STATE, hiveserver.TOperationState_CLOSED_STATE,
			hiveserver.TOperationState_TIMEDOUT_STATE:
			return &Error{State: stateCancelled, Message: s.GetErrorMessage()}
		default:
			return &Error{State: s.GetSqlState(), Message: s.GetErrorMessage()}
		}
		select {
		case <-r.ctx.Done():
			return context.Cause(r.ctx)
		case <-time.After(pause):
		}
	}
}

// describe requests the names and the types of the columns.
func (r *rows) describe() error {
	m, err := call(r.ctx, r.session, r.session.client.GetResultSetMetadata,
		&hiveserver.TGetResultSetMetadataReq{OperationHandle: r.handle})
	if err != nil {
		return err
	}
	r.columns = m.GetSchema().GetColumns()
	return nil
}

// Columns returns the names of the columns.
func (r *rows) Columns() (names []string) {
	for _, c := range r.columns {
		names = append(names, c.ColumnName)
	}
	return names
}

// ColumnTypeDatabaseTypeName returns the name of a type; "" if it has none.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	if p := r.primitive(i); p != nil {
		return hiveserver.TYPE_NAMES[p.Type]
	}
	return ""
}

// ColumnTypePrecisionScale returns the digits of a decimal.
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	p := r.primitive(i)
	if p == nil || p.Type != hiveserver.TTypeId_DECIMAL_TYPE {
		return 0, 0, false
	}
	q := p.GetTypeQualifiers().GetQualifiers()
	if q["precision"] == nil || q["scale"] == nil {
		return 0, 0, false
	}
	return int64(q["precision"].GetI32Value()), int64(q["scale"].GetI32Value()), true
}

func (r *rows) primitive(i int) *hiveserver.TPrimitiveTypeEntry {
	types := r.columns[i].GetTypeDesc().GetTypes()
	if len(types) == 0 {
		return nil
	}
	return types[0].PrimitiveEntry
}

// Close ends the statement. If it still runs, the server cancels it.
func (r *rows) Close() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), closing)
	defer cancel()
	s := r.session
	if s.lost && s.tcp != nil {
		return nil // the server ends a statement when it loses the connection
	}
	wasLost := s.lost
	s.lost = false // over HTTP, this is a new request
	_, err := call(ctx, s, s.client.CloseOperation, &hiveserver.TCloseOperationReq{OperationHandle: r.handle})
	s.lost = s.lost || wasLost
	return err
}

// Next reads the next row. Values are bool, int64, float64, string, []byte or nil.
func (r *rows) Next(to []driver.Value) error {
	if r.next == r.size {
		if err := r.readPage(); err != nil {
			return err
		}
	}
	for i := range to {
		to[i] = r.page[i].at(r.next)
	}
	r.next++
	return nil
}

// readPage reads the next page of rows. An empty page is the end.
func (r *rows) readPage() error {
	f, err := call(r.ctx, r.session, r.session.client.FetchResults, &hiveserver.TFetchResultsReq{OperationHandle: r.handle,
		Orientation: hiveserver.TFetchOrientation_FETCH_NEXT, MaxRows: pageRows})
	if err != nil {
		return err
	}
	r.page, r.next, r.size = r.page[:0], 0, -1
	for _, c := range f.GetResults().GetColumns() {
		columns, err := columnOf(c)
		if err != nil {
			return err
		}
		if r.size >= 0 && columns.size != r.size {
			return errors.New("the columns of a page are of several lengths")
		}
		r.size = columns.size
		r.page = append(r.page, columns)
	}
	if len(r.page) != len(r.columns) {
		return fmt.Errorf("a page has %d columns instead of %d", len(r.page), len(r.columns))
	}
	if r.size == 0 {
		return io.EOF
	}
	return nil
}

// column holds the values of one column in a page.
type column struct {
	size  int
	nulls []byte // one bit for each row, lowest bit first; missing bits at the end are 0
	value func(i int) driver.Value
}

func (c *column) at(i int) driver.Value {
	if i/8 < len(c.nulls) && c.nulls[i/8]>>(i%8)&1 == 1 {
		return nil
	}
	return c.value(i)
}

func columnOf(c *hiveserver.TColumn) (column, error) {
	switch {
	case c.BoolVal != nil:
		v := c.BoolVal.Values
		return column{len(v), c.BoolVal.Nulls, func(i int) driver.Value { return v[i] }}, nil
	case c.ByteVal != nil:
		return integers(c.ByteVal.Values, c.ByteVal.Nulls), nil
	case c.I16Val != nil:
		return integers(c.I16Val.Values, c.I16Val.Nulls), nil
	case c.I32Val != nil:
		return integers(c.I32Val.Values, c.I32Val.Nulls), nil
	case c.I64Val != nil:
		return integers(c.I64Val.Values, c.I64Val.Nulls), nil
	case c.DoubleVal != nil:
		v := c.DoubleVal.Values
		return column{len(v), c.DoubleVal.Nulls, func(i int) driver.Value { return v[i] }}, nil
	case c.StringVal != nil:
		v := c.StringVal.Values
		return column{len(v), c.StringVal.Nulls, func(i int) driver.Value { return v[i] }}, nil
	case c.BinaryVal != nil:
		v := c.BinaryVal.Values
		return column{len(v), c.BinaryVal.Nulls, func(i int) driver.Value { return v[i] }}, nil
	}
	return column{}, errors.New("a column of a page is of an unknown form")
}

func integers[T int8 | int16 | int32 | int64](v []T, nulls []byte) column {
	return column{len(v), nulls, func(i int) driver.Value { return int64(v[i]) }}
}
