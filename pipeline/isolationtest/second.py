"""Reads a text file as a dialect says, with Python's own readers, and prints the cells of its rows: a second opinion."""
import base64, bz2, csv, gzip, io, json, lzma, sys

ask = json.load(sys.stdin)
data = base64.b64decode(ask["text"])
data = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}.get(ask["packing"], bytes)(data)
encoding, errors = {"": ("utf-8", "surrogateescape"), "utf-8": ("utf-8", "surrogateescape"), "utf-16": ("utf-16-le", "surrogatepass"),
                    "utf-16le": ("utf-16-le", "surrogatepass"), "utf-16be": ("utf-16-be", "surrogatepass")}.get(ask["encoding"], ("latin-1", "strict"))
if ask["mark"]:
    data = data[len("\ufeff".encode(encoding)):]
text = data.decode(encoding, errors)
back = lambda s: base64.b64encode(s.encode("utf-8" if encoding.startswith("utf-16") else encoding, errors)).decode()
rows = []
if ask["format"] == "jsonl":
    for line in text.split("\n"):
        if line.strip():
            o = json.loads(line)
            cells = []
            for path in ask["columns"]:
                v = o
                for name in path.split("."):
                    v = v.get(name) if isinstance(v, dict) else None
                cells.append(None if v is None else v if isinstance(v, str) else json.dumps(v))
            rows.append([None if c is None else base64.b64encode(c.encode("utf-8", "surrogatepass" if any("\ud800" <= x <= "\udbff" for x in c) else "surrogateescape")).decode() for c in cells])
else:
    csv.field_size_limit(1 << 30)
    d = {"delimiter": ask["delimiter"], "strict": False}
    d.update({"quotechar": ask["quote"], "doublequote": True} if ask["quote"] else {"quoting": csv.QUOTE_NONE, "quotechar": None})
    f = io.StringIO(text, newline="")
    for _ in range(ask["preamble"]):
        f.readline()
    for n, row in enumerate(csv.reader(f, **d)):
        if not (ask["header"] and n == 0) and row:
            rows.append([back(c) for c in row])
json.dump(rows, sys.stdout)
