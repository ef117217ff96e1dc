-- rows, zones, fares
SELECT * FROM (SELECT CASE WHEN cell0 IS NOT NULL THEN 0 WHEN cell1 IS NOT NULL THEN 1 END AS t, COALESCE(cell0, cell1) AS cell, COUNT(*) AS q0n, COUNT(*) AS q1n, 0 AS q2n, CAST(SUM(q2v0) AS text) AS q2sum0
FROM (SELECT s9.*, CASE WHEN l4 <= '0e+00'::double precision THEN 0 WHEN l4 >= '1e+02'::double precision THEN 858993459200 ELSE CAST(((l4 * '8.589934592e+09'::double precision) + '6.755399441055744e+15'::double precision) - '6.755399441055744e+15'::double precision AS BIGINT) END AS q2v0
 FROM (SELECT s8.*, (CASE WHEN l3 IS NOT NULL THEN CASE WHEN l3 = 'north' THEN 0 WHEN l3 = 'south' THEN 1 ELSE 2 END END) AS cell1
 FROM (SELECT s7.*, 0 AS cell0
 FROM (SELECT * FROM (SELECT s5.*, COUNT(*) OVER (PARTITION BY l0 ORDER BY d) AS below
 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l0 ORDER BY d) AS r
 FROM (SELECT s2.*, substr(sha256(convert_to(l0, 'UTF8') || '\x00'::bytea || CASE WHEN l1 IS NULL THEN '\xff'::bytea ELSE convert_to(CASE WHEN l1 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l1 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l1 AS text) END, 'UTF8') END || '\x00'::bytea || CASE WHEN l2 IS NULL THEN '\xff'::bytea ELSE convert_to(CAST(l2 AS text), 'UTF8') END), 1, 8) AS d
 FROM (SELECT * FROM (SELECT CAST("cab" AS text) COLLATE "C" AS l0, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l1, CAST("age" AS bigint) AS l2, CAST("zone" AS text) COLLATE "C" AS l3, NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l4
 FROM "city"."trips" AS input) AS s1
 WHERE l4 >= '0e+00'::double precision AND l0 IS NOT NULL) AS s2 OFFSET 0) AS s3) AS s4
 WHERE r <= 6) AS s5) AS s6
 WHERE below <= 5) AS s7) AS s8) AS s9) AS x
GROUP BY GROUPING SETS ((cell0), (cell1))) AS y
WHERE cell IS NOT NULL;
-- own_filter
SELECT 0 AS t, cell0 AS cell, COUNT(q0v0) AS q0n, CAST(SUM(q0v0 - 429496729600) AS text) AS q0sum0
FROM (SELECT s10.*, CASE WHEN e8 <= '0e+00'::double precision THEN 0 WHEN e8 >= '1e+02'::double precision THEN 858993459200 ELSE CAST(((e8 * '8.589934592e+09'::double precision) + '6.755399441055744e+15'::double precision) - '6.755399441055744e+15'::double precision AS BIGINT) END AS q0v0
 FROM (SELECT s9.*, CAST(l1 AS double precision) AS e8
 FROM (SELECT s7.*, (CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END) AS cell0
 FROM (SELECT * FROM (SELECT s5.*, COUNT(*) OVER (PARTITION BY l2 ORDER BY d) AS below
 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l2 ORDER BY d) AS r
 FROM (SELECT s2.*, substr(sha256(convert_to(l2, 'UTF8') || '\x00'::bytea || CASE WHEN l3 IS NULL THEN '\xff'::bytea ELSE convert_to(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l3 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l3 AS text) END, 'UTF8') END || '\x00'::bytea || CASE WHEN l1 IS NULL THEN '\xff'::bytea ELSE convert_to(CAST(l1 AS text), 'UTF8') END), 1, 8) AS d
 FROM (SELECT * FROM (SELECT CAST("zone" AS text) COLLATE "C" AS l0, CAST("age" AS bigint) AS l1, CAST("cab" AS text) COLLATE "C" AS l2, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l3, NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l4, CAST(CAST("shared" AS int) AS bigint) AS l5
 FROM "city"."trips" AS input) AS s1
 WHERE l4 >= '0e+00'::double precision AND l5 = 1 AND l2 IS NOT NULL) AS s2 OFFSET 0) AS s3) AS s4
 WHERE r <= 6) AS s5) AS s6
 WHERE below <= 5) AS s7) AS s9 OFFSET 0) AS s10) AS x
GROUP BY cell0
HAVING CASE WHEN COUNT(*) > 0 THEN cell0 IS NOT NULL END;
-- own_bound
SELECT 0 AS t, cell0 AS cell, COUNT(q0v0) AS q0n, CAST(SUM(q0v0 - 419430400) AS text) AS q0sum0, CAST(SUM((q0v0 - 419430400) * (q0v0 - 419430400) - 87960930222080000) AS text) AS q0sum1
FROM (SELECT s8.*, CASE WHEN l0 <= '0e+00'::double precision THEN 0 WHEN l0 >= '1e+02'::double precision THEN 838860800 ELSE CAST(((l0 * '8.388608e+06'::double precision) + '6.755399441055744e+15'::double precision) - '6.755399441055744e+15'::double precision AS BIGINT) END AS q0v0
 FROM (SELECT s7.*, 0 AS cell0
 FROM (SELECT * FROM (SELECT s5.*, COUNT(*) OVER (PARTITION BY l1 ORDER BY d) AS below
 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l1 ORDER BY d) AS r
 FROM (SELECT s2.*, substr(sha256(convert_to(l1, 'UTF8') || '\x00'::bytea || CASE WHEN l2 IS NULL THEN '\xff'::bytea ELSE convert_to(CASE WHEN l2 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l2 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l2 AS text) END, 'UTF8') END || '\x00'::bytea || CASE WHEN l3 IS NULL THEN '\xff'::bytea ELSE convert_to(CAST(l3 AS text), 'UTF8') END), 1, 8) AS d
 FROM (SELECT * FROM (SELECT NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l0, CAST("cab" AS text) COLLATE "C" AS l1, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l2, CAST("age" AS bigint) AS l3
 FROM "city"."trips" AS input) AS s1
 WHERE l0 >= '0e+00'::double precision AND l1 IS NOT NULL) AS s2 OFFSET 0) AS s3) AS s4
 WHERE r <= 3) AS s5) AS s6
 WHERE below <= 2) AS s7) AS s8) AS x
GROUP BY cell0
HAVING CASE WHEN COUNT(*) > 0 THEN cell0 IS NOT NULL END;
-- tables
WITH counted AS (SELECT cell0, cell1 FROM (SELECT s10.*, CASE WHEN l1 = 0 THEN 1 WHEN l1 = 1 THEN 0 END AS cell1
 FROM (SELECT s9.*, CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END AS cell0
 FROM (SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT s5.*, COUNT(*) OVER (PARTITION BY l2 ORDER BY d) AS below
 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l2 ORDER BY d) AS r
 FROM (SELECT s2.*, substr(sha256(convert_to(l2, 'UTF8') || '\x00'::bytea || CASE WHEN l3 IS NULL THEN '\xff'::bytea ELSE convert_to(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l3 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l3 AS text) END, 'UTF8') END || '\x00'::bytea || CASE WHEN l4 IS NULL THEN '\xff'::bytea ELSE convert_to(CAST(l4 AS text), 'UTF8') END), 1, 8) AS d
 FROM (SELECT * FROM (SELECT CAST("zone" AS text) COLLATE "C" AS l0, CAST(CAST("shared" AS int) AS bigint) AS l1, CAST("cab" AS text) COLLATE "C" AS l2, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l3, CAST("age" AS bigint) AS l4, NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l5
 FROM "city"."trips" AS input) AS s1
 WHERE l5 >= '0e+00'::double precision AND l2 IS NOT NULL) AS s2 OFFSET 0) AS s3) AS s4
 WHERE r <= 6) AS s5) AS s6
 WHERE below <= 5) AS s7
 WHERE CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END IS NOT NULL) AS s8
 WHERE CASE WHEN l1 = 0 THEN 1 WHEN l1 = 1 THEN 0 END IS NOT NULL) AS s9) AS s10) AS y)
SELECT 0 AS t, cell, COUNT(*) AS n
FROM (SELECT ((cell0) * 2 + (cell1)) AS cell FROM counted) AS x
GROUP BY cell;
