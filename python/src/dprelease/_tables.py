"""Writes tables in memory as Arrow files, without a file on disk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def write_table(table: object, columns: Sequence[str], sink: IO[bytes]) -> None:
    """Write some columns of a table as an Arrow file.

    `table` is a pandas or polars frame, a pyarrow table or reader, a DuckDB relation, or anything else with
    `__arrow_c_stream__`. Columns that the table does not have are left out: the program names them with their place in
    the job. For its hint it then gets the names of all other columns, without their values. The types that are written
    follow from the types of the columns alone.
    """
    import pyarrow as pa

    reader = _open_reader(table, columns)
    names = reader.schema.names
    for name in columns:
        if names.count(name) > 1:
            raise TypeError(f"several columns are named {name}")
    places = [i for i, name in enumerate(names) if name in columns]
    kept = [pa.field(names[i], _decoded(reader.schema.field(i).type)) for i in places]
    missing = not set(columns) <= set(names)
    others = [pa.field(name, pa.null()) for name in names if missing and name not in columns]
    # Without a column there would be no rows.
    schema = pa.schema(kept + others or [pa.field("_", pa.bool_())])
    with pa.ipc.new_file(_Sink(sink), schema) as file:
        for batch in reader:
            arrays = [batch.column(i) for i in places] + [pa.nulls(batch.num_rows) for _ in others]
            arrays = arrays or [pa.nulls(batch.num_rows, pa.bool_())]
            # Files of Arrow have one dictionary a column for all batches, so values are written.
            arrays = [_decode(a) if pa.types.is_dictionary(a.type) else a for a in arrays]
            file.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))


class _Sink:
    """A pipe that is not closed with the Arrow writer."""

    closed = False

    def writable(self) -> bool:
        return True

    def __init__(self, pipe: IO[bytes]):
        self.pipe = pipe

    def write(self, data: Any) -> int:
        return self.pipe.write(data)

    def flush(self) -> None:
        self.pipe.flush()

    def close(self) -> None:
        pass


def _decoded(t: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if not pa.types.is_dictionary(t):
        return t
    return pa.large_string() if str(t.value_type) == "string_view" else t.value_type


def _decode(codes: Any) -> Any:
    import pyarrow as pa

    values = codes.dictionary.cast(_decoded(codes.type))  # views cannot be taken from
    return pa.DictionaryArray.from_arrays(codes.indices, values).dictionary_decode()


def _open_reader(table: Any, columns: Sequence[str]) -> pa.RecordBatchReader:
    import pyarrow as pa

    if isinstance(table, pa.RecordBatchReader):
        return table
    if isinstance(table, (pa.Table, pa.RecordBatch)):
        whole = table if isinstance(table, pa.Table) else pa.Table.from_batches([table])
        if len(set(whole.column_names)) == len(whole.column_names) and set(columns) <= set(whole.column_names):
            whole = whole.select([name for name in whole.column_names if name in columns])
        return whole.to_reader()
    if type(table).__module__.split(".")[0] == "pandas" and hasattr(table, "columns"):
        return _from_pandas(table, columns).to_reader()
    if hasattr(table, "__arrow_c_stream__"):
        try:
            return pa.RecordBatchReader.from_stream(table)
        except pa.ArrowInvalid:  # one column, not a table
            pass
    elif hasattr(table, "fetch_arrow_reader"):  # a DuckDB relation
        return table.fetch_arrow_reader(65_536)
    raise TypeError(f"a {type(table).__name__} is no table: pass a frame, an Arrow table or a DuckDB relation")


def _from_pandas(frame: Any, columns: Sequence[str]) -> pa.Table:
    """Convert the columns of a frame; if one is missing, also the others, without their values.

    A column of dtype object is text, as are categories of this dtype, and what is not a text in it is null. If its type
    were inferred, one row could change how all others are read, or fail the run.
    """
    import pyarrow as pa

    if frame.columns.nlevels > 1:
        raise TypeError("the names of the columns have several levels: give each column one name")
    arrays: dict[str, Any] = {}
    missing = not set(columns) <= set(frame.columns)
    for name in frame.columns:
        if name not in columns:
            if missing:
                arrays[str(name)] = pa.nulls(len(frame))
            continue
        if list(frame.columns).count(name) > 1:
            raise TypeError(f"several columns are named {name}")
        column = frame[name]
        dtype = column.dtype.categories.dtype if str(column.dtype) == "category" else column.dtype
        if str(dtype) == "object":
            arrays[name] = pa.array([v if isinstance(v, str) else None for v in column], pa.string())
            continue
        try:
            arrays[name] = pa.array(column, from_pandas=True)
        except pa.ArrowException:  # its message can hold a value
            raise TypeError(f"the column {name} of dtype {column.dtype} cannot be converted to Arrow") from None
    return pa.table(arrays or {"_": pa.nulls(len(frame), pa.bool_())})
