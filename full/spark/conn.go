package spark

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/beltran/gohive/hiveserver"

	"github.com/dprelease/dprelease/internal/silence"
)

func init() { sql.Register("spark", Driver{}) }

// Driver opens connections.
type Driver struct{}

// Open opens a connection. It cannot be interrupted; use OpenConnector if it must be.
func (d Driver) Open(dsn string) (driver.Conn, error) {
	c, err := d.OpenConnector(dsn)
	if err != nil {
		return nil, err
	}
	return c.Connect(context.Background())
}

// OpenConnector parses a connection string. Its errors do not quote the string.
func (Driver) OpenConnector(dsn string) (driver.Connector, error) {
	c, err := parseDSN(dsn)
	return connector{c}, err
}

type connector struct{ *config }

func (connector) Driver() driver.Driver { return Driver{} }

// Connect opens a session.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	t, tcp, err := dial(ctx, c.config)
	if err != nil {
		return nil, err
	}
	wire := thrift.NewTBinaryProtocolConf(t, &thrift.TConfiguration{MaxMessageSize: maxMessage, MaxFrameSize: maxMessage})
	s := &session{client: hiveserver.NewTCLIServiceClientProtocol(t, wire, wire), transport: t, tcp: tcp,
		timeout: c.timeout}
	open := &hiveserver.TOpenSessionReq{ClientProtocol: hiveserver.TProtocolVersion_HIVE_CLI_SERVICE_PROTOCOL_V8}
	user, password := orAnyone(c.user), orAnyone(c.password)
	open.Username, open.Password = &user, &password
	if c.database != "" {
		open.Configuration = map[string]string{"use:database": c.database}
	}
	r, err := call(ctx, s, s.client.OpenSession, open)
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	s.handle = r.SessionHandle
	for _, name := range slices.Sorted(maps.Keys(c.settings)) {
		if _, err := s.ExecContext(ctx, "SET "+name+" = "+c.settings[name], nil); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// session is a connection. Its statements run one after the other.
type session struct {
	client    *hiveserver.TCLIServiceClient
	transport thrift.TTransport
	tcp       net.Conn // the connection; nil over HTTP
	timeout   time.Duration
	handle    *hiveserver.TSessionHandle
	lost      bool
}

var (
	_ driver.Validator       = (*session)(nil)
	_ driver.QueryerContext  = (*session)(nil)
	_ driver.ExecerContext   = (*session)(nil)
	_ driver.SessionResetter = (*session)(nil)
)

// answered is an answer of the server. Each answer has a status.
type answered interface{ GetStatus() *hiveserver.TStatus }

// call sends a message and waits for its answer. If none comes within the session's timeout, or the context ends, the
// connection is lost.
func call[Q any, R answered](ctx context.Context, s *session, method func(context.Context, Q) (R, error), q Q) (r R,
	err error) {
	if s.lost {
		return r, &lost{errors.New("an earlier message was not answered")}
	}
	waits, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	if s.tcp != nil {
		stop := limit(waits, s.tcp)
		defer stop()
	}
	if r, err = method(waits, q); err == nil {
		return r, statusError(r.GetStatus())
	}
	var refused thrift.TApplicationException
	if errors.As(err, &refused) { // the server answers, but does not know this message
		return r, &Error{Message: err.Error()}
	}
	s.lost = true
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	if waits.Err() != nil {
		err = silence.ErrSilent
	}
	return r, &lost{err}
}

// IsValid reports whether the session can run more statements.
func (s *session) IsValid() bool { return !s.lost }

// ResetSession returns driver.ErrBadConn, so that no connection is reused: a server's session caches the list of a
// table's files, which may be out of date for the next user.
func (s *session) ResetSession(context.Context) error { return driver.ErrBadConn }

// Close ends the session. The server also ends it if the connection is cut.
func (s *session) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	if s.tcp == nil {
		s.lost = false // over HTTP, ending the session is a new request, which may succeed
	}
	if !s.lost {
		_, _ = call(ctx, s, s.client.CloseSession, &hiveserver.TCloseSessionReq{SessionHandle: s.handle})
	}
	return s.transport.Close()
}

// closing is how long the driver waits until the server has ended a session, or a statement whose answer is not needed.
const closing = 10 * time.Second

// Prepare returns an error: the server binds no parameters.
func (s *session) Prepare(string) (driver.Stmt, error) { return nil, errUnknown }

// Begin returns an error: the server has no transactions.
func (s *session) Begin() (driver.Tx, error) { return nil, errUnknown }

var errUnknown = errors.New("the driver has no parameters and no transactions")

// ExecContext runs a statement and discards its answer.
func (s *session) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	o, err := s.run(ctx, text, args)
	if err != nil {
		return nil, err
	}
	return driver.ResultNoRows, o.Close()
}

// QueryContext runs a statement.
func (s *session) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	o, err := s.run(ctx, text, args)
	if err != nil {
		return nil, err
	}
	if err := o.describe(); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

// run starts a statement and waits until it has an answer.
func (s *session) run(ctx context.Context, text string, args []driver.NamedValue) (*rows, error) {
	if len(args) > 0 {
		return nil, errUnknown
	}
	started, err := call(ctx, s, s.client.ExecuteStatement,
		&hiveserver.TExecuteStatementReq{SessionHandle: s.handle, Statement: text, RunAsync: true})
	if err != nil {
		return nil, err
	}
	o := &rows{ctx: ctx, session: s, handle: started.OperationHandle}
	if err := o.wait(); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}
