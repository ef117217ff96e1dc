#!/usr/bin/env bash
# Let node-sql-parser read the golden statements of the dialects that no server is at hand for, and record what it accepted.
set -euo pipefail
cd "$(dirname "$0")"
here=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm install --silent --no-audit --no-fund node-sql-parser@5.4.0 >/dev/null)
cat > "$work/accept.js" <<'JS'
const fs = require('fs'), crypto = require('crypto');
const { Parser } = require('node-sql-parser');
const version = require('node-sql-parser/package.json').version;
const out = ['# dialect, SHA-256 of its golden statements, and the parser that accepted all of them'];
for (const [name, database] of [['bigquery', 'BigQuery'], ['snowflake', 'Snowflake'], ['trino', 'Trino']]) {
  const text = fs.readFileSync(`${process.argv[2]}/${name}.sql`, 'utf8');
  let bad = 0;
  // The parser knows no CAST(x AS BYTES or BIGNUMERIC), which GoogleSQL has: it reads another type in their place.
  const read = name === 'bigquery' ? text.replace(/ AS BYTES\)/g, ' AS STRING)').replace(/ AS BIGNUMERIC\)/g, ' AS NUMERIC)') : text;
  for (const part of read.split(/^-- /m).slice(1)) {
    const [query, ...lines] = part.split('\n');
    try { new Parser().astify(lines.join('\n').trim().replace(/;$/, ''), { database }); }
    catch (e) { bad++; console.error(`${name}, ${query}: ${e.message.slice(0, 200)} at ${JSON.stringify(e.location && e.location.start)}`);
      if (e.location) console.error(lines.join('\n').slice(e.location.start.offset - 80, e.location.start.offset + 40)); }
  }
  if (!bad) out.push(`${name} ${crypto.createHash('sha256').update(text).digest('hex')} node-sql-parser ${version}, ${database}`);
}
fs.writeFileSync(`${process.argv[2]}/accepted.txt`, out.join('\n') + '\n');
JS
NODE_PATH="$work/node_modules" node "$work/accept.js" "$here"
cat accepted.txt
