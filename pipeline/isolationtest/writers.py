"""Writes tables as Python's libraries do. One request a line: a list of files, each with a library, a dialect and rows of base64 texts; one answer a line:
for each file null, or why it was not written."""
import base64, bz2, csv, gzip, importlib, io, json, lzma, os, subprocess, sys


def text(cell, encoding):
    if cell is None:
        return None
    b = base64.b64decode(cell)
    return b.decode("utf-8", "surrogatepass") if encoding.startswith("utf-16") else b.decode(*decoding(encoding))


def decoding(encoding):
    if encoding in ("", "utf-8"):
        return "utf-8", "surrogateescape"
    if encoding.startswith("utf-16"):
        return {"utf-16be": "utf-16-be"}.get(encoding, "utf-16-le"), "surrogatepass"
    return "latin-1", "strict"  # the bytes as they are: delimiters and quotes are ASCII in all of them


def csv_writer(f, rows):
    d = {"delimiter": f["delimiter"], "lineterminator": f["end"]}
    if f["quote"]:
        d.update(quotechar=f["quote"], doublequote=True, quoting=[csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC, csv.QUOTE_ALL, csv.QUOTE_MINIMAL][f["style"]])
    else:
        d.update(quotechar=None, quoting=csv.QUOTE_NONE)
    out = io.StringIO(newline="")
    w = csv.writer(out, **d)
    if f["header"]:
        w.writerow(f["columns"])
    for row in rows:
        w.writerow([f["null"] if c is None else c for c in row])
    return out.getvalue()


def json_writer(f, rows):
    lines = []
    for row in rows:
        o = {}
        for name, c in zip(f["columns"], row):
            o[name] = c
        lines.append(json.dumps(o, ensure_ascii=f["ascii"]))
    return "".join(l + "\n" for l in lines)


def jq_json(f, rows):
    plain(rows)
    lines = "".join(json.dumps(dict(zip(f["columns"], row))) + "\n" for row in rows)
    return subprocess.run(["jq", "-ac" if f["ascii"] else "-c", "."], input=lines, capture_output=True, check=True, encoding="utf-8").stdout


def plain(rows):
    for row in rows:
        for c in row:
            if c is not None:
                c.encode("utf-8")  # these libraries hold characters alone


def pandas_csv(f, rows):
    plain(rows)
    pd = importlib.import_module("pandas")
    frame = pd.DataFrame(rows, columns=f["columns"], dtype=object)
    quoting = [csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC, csv.QUOTE_ALL, csv.QUOTE_MINIMAL][f["style"]]
    return frame.to_csv(index=False, header=f["header"], sep=f["delimiter"], quotechar=f["quote"], quoting=quoting, lineterminator=f["end"], na_rep=f["null"])


def polars_csv(f, rows):
    plain(rows)
    pl = importlib.import_module("polars")
    frame = pl.DataFrame({n: pl.Series(n, [r[i] for r in rows], dtype=pl.String) for i, n in enumerate(f["columns"])})
    style = ["necessary", "non_numeric", "always", "necessary"][f["style"]]
    return frame.write_csv(include_header=f["header"], separator=f["delimiter"], quote_char=f["quote"], quote_style=style, line_terminator=f["end"], null_value=f["null"])


def polars_json(f, rows):
    plain(rows)
    pl = importlib.import_module("polars")
    return pl.DataFrame({n: pl.Series(n, [r[i] for r in rows], dtype=pl.String) for i, n in enumerate(f["columns"])}).write_ndjson()


def pandas_json(f, rows):
    plain(rows)
    pd = importlib.import_module("pandas")
    return pd.DataFrame(rows, columns=f["columns"], dtype=object).to_json(orient="records", lines=True, force_ascii=f["ascii"])


duck = None


def duckdb_table(f, rows):
    global duck
    plain(rows)
    if duck is None:
        duck = importlib.import_module("duckdb").connect()
        duck.execute("SET threads = 1")
    duck.execute("CREATE OR REPLACE TEMP TABLE t (" + ", ".join(f'"{n}" VARCHAR' for n in f["columns"]) + ")")
    for row in rows:
        duck.execute("INSERT INTO t VALUES (" + ", ".join("?" for _ in row) + ")", row)


def duckdb_copy(f, options):
    path = f["path"] + ".duck"
    duck.execute("COPY t TO '" + path + "' (" + options + ")")
    with open(path, "rb") as g:
        b = g.read()
    os.remove(path)
    return b.decode("utf-8")


def duckdb_csv(f, rows):
    duckdb_table(f, rows)
    lit = lambda s: "'" + s.replace("'", "''") + "'"
    options = f"FORMAT csv, HEADER {str(f['header']).lower()}, DELIMITER {lit(f['delimiter'])}, QUOTE {lit(f['quote'])}, ESCAPE {lit(f['quote'])}, NULLSTR {lit(f['null'])}"
    if f["style"] == 2:
        options += ", FORCE_QUOTE *"
    return duckdb_copy(f, options)


def duckdb_json(f, rows):
    duckdb_table(f, rows)
    return duckdb_copy(f, "FORMAT json")


def arrow_csv(f, rows):
    plain(rows)
    pa, pc = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.csv")
    table = pa.table({n: pa.array([r[i] for r in rows], pa.string()) for i, n in enumerate(f["columns"])})
    out = io.BytesIO()
    pc.write_csv(table, out, pc.WriteOptions(include_header=f["header"], delimiter=f["delimiter"], quoting_style=["needed", "all_valid", "all_valid", "needed"][f["style"]]))
    return out.getvalue().decode("utf-8")


writers = {
    "python csv": csv_writer, "python json": json_writer, "pandas csv": pandas_csv, "pandas json": pandas_json, "polars csv": polars_csv, "polars json": polars_json,
    "duckdb csv": duckdb_csv, "duckdb json": duckdb_json, "jq json": jq_json, "pyarrow csv": arrow_csv,
}


def arrow_type(pa, c):
    kind, *args = c["type"].split()
    n = [int(a) for a in args if a.lstrip("-").isdigit()]
    return {"decimal": lambda: pa.decimal128(*n), "int": lambda: getattr(pa, args[0])(), "timestamp": lambda: pa.timestamp(args[0], tz="UTC"), "date": pa.date32,
            "text": pa.string, "binary": pa.binary, "fixed": lambda: pa.binary(n[0]), "dictionary": lambda: pa.dictionary(pa.int16(), pa.string())}[kind]()


def arrow_file(f):
    pa = importlib.import_module("pyarrow")
    import decimal
    arrays = []
    for i, c in enumerate(f["columns"]):
        t = arrow_type(pa, c)
        kind = c["type"].split()[0]
        values = []
        for row in f["rows"]:
            v = row[i]
            if v is None:
                values.append(None)
            elif kind in ("text", "dictionary"):
                values.append(base64.b64decode(v).decode("utf-8"))
            elif kind in ("binary", "fixed"):
                values.append(base64.b64decode(v))
            elif kind == "decimal":
                with decimal.localcontext(decimal.Context(prec=60)):
                    values.append(decimal.Decimal(v).scaleb(-t.scale))
            else:
                values.append(int(v))
        if kind == "timestamp":
            arrays.append(pa.array(values, pa.int64()).cast(t))
        elif kind == "date":
            arrays.append(pa.array(values, pa.int32()).cast(t))
        else:
            arrays.append(pa.array(values, t))
    table = pa.table(arrays, names=[c["name"] for c in f["columns"]])
    if f["writer"] == "pyarrow file":
        ipc = importlib.import_module("pyarrow.ipc")
        with ipc.new_file(f["path"], table.schema) as w:
            w.write_table(table, max_chunksize=f["layout"] % 3 + 1)
        return
    pq = importlib.import_module("pyarrow.parquet")
    n = f["layout"]
    pq.write_table(table, f["path"], use_deprecated_int96_timestamps=f["int96"], use_dictionary=n % 2 == 0, row_group_size=n % 3 + 1,
                   data_page_version=["1.0", "2.0"][n // 2 % 2], store_decimal_as_integer=n // 4 % 2 == 0, version="2.6", data_page_size=[1, 1 << 20][n // 8 % 2])


def write(f):
    os.makedirs(os.path.dirname(f["path"]), exist_ok=True)
    if "encoding" not in f:
        return arrow_file(f)
    out = writers[f["writer"]](f, [[text(c, f["encoding"]) for c in row] for row in f["rows"]])
    encoding, errors = decoding(f["encoding"])
    if f["mark"]:
        out = "\ufeff" + out
    b = out.encode(encoding, errors)
    pack = {".gz": lambda b: gzip.compress(b, 1), ".bz2": lambda b: bz2.compress(b, 1), ".xz": lambda b: lzma.compress(b, preset=0)}.get(os.path.splitext(f["path"])[1])
    with open(f["path"], "wb") as g:
        g.write(pack(b) if pack else b)


def attempt(f):
    try:
        return write(f)
    except Exception as e:  # what a library refuses is not written
        return f"{type(e).__name__}: {e}"[:300]


missing = []
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ImportError:
        missing.append(name)
print(json.dumps(missing), flush=True)
for line in sys.stdin:
    print(json.dumps([attempt(f) for f in json.loads(line)]), flush=True)
