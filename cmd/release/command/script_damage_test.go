package command

import (
	"bytes"
	"database/sql"
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// flip changes one byte of a file, counted from its end if N is negative: flip FILE N.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: flip FILE N")
	}
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	if n < 0 {
		n += len(data)
	}
	data[n] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

// replace replaces one text of a file, which must be there: replace FILE OLD NEW.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	if !bytes.Contains(data, []byte(args[1])) {
		ts.Fatalf("%s does not have %s", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Replace(data, []byte(args[1]), []byte(args[2]), 1), 0o600))
}

// cutLedger removes the newest N entries, and sets the head as if they had never been: cutledger FILE N.
func cutLedger(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cutledger FILE N")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	for _, statement := range []string{
		"DROP TRIGGER entry_remains",
		"DELETE FROM entry WHERE seq > (SELECT max(seq) FROM entry) - " + args[1],
		"UPDATE head SET (seq, hash) = (SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1)",
	} {
		_, err := db.Exec(statement)
		ts.Check(err)
	}
}
