package sqlstore

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/internal/ledger"
)

// postgresTables creates the tables. As in SQLite, the head has a table of its own, and triggers refuse changes of
// entries by other programs' mistakes.
const postgresTables = `
CREATE TABLE dprelease_entry (
	seq    bigint PRIMARY KEY,
	schema integer NOT NULL,
	time   text NOT NULL,
	kind   text NOT NULL,
	body   text NOT NULL,
	hash   bytea NOT NULL
);
CREATE TABLE dprelease_head (id integer PRIMARY KEY CHECK (id = 1), layout integer NOT NULL, seq bigint NOT NULL, hash bytea NOT NULL);
CREATE TABLE dprelease_secret (id integer PRIMARY KEY CHECK (id = 1), key bytea NOT NULL, sum bytea NOT NULL);
CREATE FUNCTION dprelease_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'append-only'; END $$;
CREATE TRIGGER dprelease_entry_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON dprelease_entry
	FOR EACH STATEMENT EXECUTE FUNCTION dprelease_append_only();
`

// makingTables is the name of the advisory lock that is held while the tables are made. No run has this fingerprint.
const makingTables = "\x00create"

// ensure looks up the schema, checks its tables, and makes them if there are none and create is set.
func (s *Postgres) ensure(ctx context.Context, create bool, from origin) error {
	return s.runOnce(ctx, "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = on",
		func(t *postgresTx) error {
			encoding, there := "", false
			err := t.row("SELECT coalesce(current_schema(), ''), current_setting('server_encoding'), "+
				"to_regclass('dprelease_head') IS NOT NULL")(&s.schema, &encoding, &there)
			switch {
			case err != nil:
				return err
			case s.schema == "":
				return fmt.Errorf("%w: the connection's search path has no schema", ledger.ErrUnavailable)
			case encoding != "UTF8":
				return fmt.Errorf("%w: the database's encoding is %s, not UTF8", ledger.ErrUnavailable, encoding)
			case there:
				if err := t.check(s.arrival); err != nil {
					return err
				}
				return t.checkLasting()
			case !create:
				return fmt.Errorf("schema %s of the database: %w", s.schema, ledger.ErrAbsent)
			}
			return s.create(t, from)
		})
}

// checkLasting returns an error if a table is unlogged. PostgreSQL empties such a table after a crash, so the ledger
// would forget what was spent.
func (t *postgresTx) checkLasting() error {
	unlogged := false
	err := t.row("SELECT EXISTS (SELECT FROM pg_catalog.pg_class WHERE relpersistence <> 'p' AND oid IN " +
		"('dprelease_entry'::regclass, 'dprelease_head'::regclass, 'dprelease_secret'::regclass))")(&unlogged)
	if err == nil && unlogged {
		err = fmt.Errorf("%w: its tables are unlogged, so that a crash of the server would empty them", ledger.ErrUnavailable)
	}
	return err
}

// create makes the tables, unless another process made them first.
func (s *Postgres) create(t *postgresTx, from origin) error {
	if _, err := t.conn.Exec(t.ctx, "SELECT pg_advisory_xact_lock($1)", s.lockKey(makingTables)); err != nil {
		return t.translate(err)
	}
	there := false
	// This query reads the catalog, because to_regclass can return a cached answer within a transaction.
	const look = "SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = current_schema() AND tablename = " +
		"'dprelease_head')"
	if err := t.row(look)(&there); err != nil || there {
		return err
	}
	secret := from.secretOrNew()
	if err := t.exec(postgresTables); err != nil {
		return err
	}
	if _, err := t.conn.Exec(t.ctx, "INSERT INTO dprelease_head VALUES (1, $1, 0, $2)", from.version(),
		make([]byte, 32)); err != nil {
		return t.translate(err)
	}
	_, err := t.conn.Exec(t.ctx, "INSERT INTO dprelease_secret VALUES (1, $1, $2)", secret, secretSum(secret))
	return t.translate(err)
}
