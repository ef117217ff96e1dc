#!/usr/bin/env bash
# Let kept parsers read the golden statements of the dialects that no server is at hand for, and record what they accepted. Each must also refuse
# statements that lack their last parenthesis. It needs npm and Go, and packages from the network.
set -euo pipefail
cd "$(dirname "$0")"
here=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --prefix "$work" --silent --no-audit --no-fund node-sql-parser@5.4.0 dt-sql-parser@4.5.1 esbuild@0.28.2 >/dev/null
cat > "$work/accept.js" <<'JS'
const fs = require('fs'), crypto = require('crypto');
const { Parser } = require('node-sql-parser');
const { TrinoSQL } = require('dt-sql-parser');
const node = database => sql => {
  try { new Parser().astify(sql.replace(/;$/, ''), { database }); } catch (e) { return e.message; }
};
const antlr = parser => sql => { const [error] = new parser().validate(sql); return error && error.message; };
const parsers = [
  ['trino', 'node-sql-parser 5.4.0, Trino', node('Trino')],
  ['trino', 'dt-sql-parser 4.5.1, TrinoSQL', antlr(TrinoSQL)],
];
const out = ['# dialect, SHA-256 of its golden statements, and the parser that accepted all of them'];
for (const [name, parser, read] of parsers) {
  const text = fs.readFileSync(`${process.argv[2]}/${name}.sql`, 'utf8');
  let bad = 0;
  for (const part of text.split(/^-- /m).slice(1)) {
    const [query, ...lines] = part.split('\n');
    const sql = lines.join('\n').trim(), last = sql.lastIndexOf(')');
    const error = read(sql);
    if (error) { bad++; console.error(`${name}, ${parser}, ${query}: ${error.slice(0, 300)}`); }
    if (!read(sql.slice(0, last) + sql.slice(last + 1))) { bad++; console.error(`${name}, ${parser}, ${query}: it accepts a statement that is broken`); }
  }
  if (!bad) out.push(`${name} ${crypto.createHash('sha256').update(text).digest('hex')} ${parser}`);
}
fs.writeFileSync(`${process.argv[2]}/accepted.txt`, out.join('\n') + '\n');
JS
(cd "$work" && npx --no-install esbuild accept.js --bundle --platform=node --log-level=error --outfile=bundle.js)
node "$work/bundle.js" "$here"

clickhouse='github.com/AfterShip/clickhouse-sql-parser v0.4.16'
cat > "$work/accept.go" <<'GO'
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/AfterShip/clickhouse-sql-parser/parser"
)

func accepts(sql string) error {
	all, err := parser.NewParser(sql).ParseStmts()
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%d statements", len(all))
	}
	return err
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	bad := 0
	for _, part := range strings.Split("\n"+string(text), "\n-- ")[1:] {
		query, sql, _ := strings.Cut(part, "\n")
		last := strings.LastIndex(sql, ")")
		if err := accepts(sql); err != nil {
			fmt.Fprintf(os.Stderr, "clickhouse, %s: %v\n", query, err)
			bad++
		}
		if accepts(sql[:last]+sql[last+1:]) == nil {
			fmt.Fprintf(os.Stderr, "clickhouse, %s: it accepts a statement that is broken\n", query)
			bad++
		}
	}
	os.Exit(min(bad, 1))
}
GO
(cd "$work" && go mod init accept >/dev/null 2>&1 && go get "${clickhouse/ /@}" >/dev/null 2>&1 && go build -o accept accept.go)
if "$work/accept" clickhouse.sql; then
  echo "clickhouse $(sha256sum < clickhouse.sql | cut -d' ' -f1) ${clickhouse#github.com/}" >> accepted.txt
fi
cat accepted.txt
