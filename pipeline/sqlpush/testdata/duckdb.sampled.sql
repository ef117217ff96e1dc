-- rows, zones, fares
SELECT * FROM (SELECT CASE WHEN cell0 IS NOT NULL THEN 0 WHEN cell1 IS NOT NULL THEN 1 END AS t, COALESCE(cell0, cell1) AS cell, COUNT(*) AS q0n, COUNT(*) AS q1n, 0 AS q2n, CAST(SUM(q2v0) AS VARCHAR) AS q2sum0
FROM (SELECT s13.*, CASE WHEN e11 > 858993459200 THEN 858993459200 WHEN e11 >= 0 THEN e11 WHEN e11 < 0 THEN 0 WHEN l4 <= CAST('0e+00' AS DOUBLE) THEN 0 WHEN l4 <= CAST('Infinity' AS DOUBLE) THEN 858993459200 END AS q2v0
 FROM (SELECT s12.*, TRY_CAST(l4 * CAST('8.589934592e+09' AS DOUBLE) AS BIGINT) AS e11
 FROM (SELECT s10.*, (CASE WHEN l3 IS NOT NULL THEN COALESCE(e8 - 1, 2) END) AS cell1
 FROM (SELECT s9.*, list_position([encode('north'), encode('south')], l3) AS e8
 FROM (SELECT s7.*, 0 AS cell0
 FROM (SELECT * FROM (SELECT s5.*, COUNT(*) OVER (PARTITION BY l0 ORDER BY d) AS below
 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l0 ORDER BY d) AS r
 FROM (SELECT s2.*, substr(sha256(l0 || unhex('00') || COALESCE(encode(CASE WHEN l1 BETWEEN -719162 AND 2932896 THEN strftime(DATE '1970-01-01' + CAST(l1 AS INTEGER), '%Y-%m-%d') ELSE 'day ' || CAST(l1 AS VARCHAR) END), unhex('ff')) || unhex('00') || COALESCE(encode(CAST(l2 AS VARCHAR)), unhex('ff'))), 1, 16) AS d
 FROM (SELECT * FROM (SELECT encode(CAST("cab" AS VARCHAR)) AS l0, date_diff('day', DATE '1970-01-01', "day") AS l1, "age" AS l2, encode(CAST("zone" AS VARCHAR)) AS l3, "fare" AS l4
 FROM "city"."trips" AS input
 WHERE "fare" <= CAST('Infinity' AS DOUBLE)) AS s1
 WHERE l4 >= CAST('0e+00' AS DOUBLE) AND l0 IS NOT NULL) AS s2) AS s3) AS s4
 WHERE r <= 6) AS s5) AS s6
 WHERE below <= 5) AS s7) AS s9) AS s10) AS s12) AS s13) AS x
GROUP BY GROUPING SETS ((cell0), (cell1))) AS y
WHERE cell IS NOT NULL;
-- own_filter
SELECT 0 AS t, cell0 AS cell, COUNT(q0v0) AS q0n, CAST(SUM(q0v0) - CAST(COUNT(q0v0) AS HUGEINT) * 429496729600 AS VARCHAR) AS q0sum0
FROM (SELECT s14.*, CASE WHEN e12 > 858993459200 THEN 858993459200 WHEN e12 >= 0 THEN e12 WHEN e12 < 0 THEN 0 WHEN e10 <= CAST('0e+00' AS DOUBLE) THEN 0 WHEN e10 <= CAST('Infinity' AS DOUBLE) THEN 858993459200 END AS q0v0
 FROM (SELECT s13.*, TRY_CAST(e10 * CAST('8.589934592e+09' AS DOUBLE) AS BIGINT) AS e12
 FROM (SELECT s11.*, CAST(l1 AS DOUBLE) AS e10
 FROM (SELECT s9.*, (e7 - 1) AS cell0
 FROM (SELECT s8.*, list_position([encode('north'), encode('south')], l0) AS e7
 FROM (SELECT * FROM (SELECT s5.*, COUNT(*) OVER (PARTITION BY l2 ORDER BY d) AS below
 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l2 ORDER BY d) AS r
 FROM (SELECT s2.*, substr(sha256(l2 || unhex('00') || COALESCE(encode(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN strftime(DATE '1970-01-01' + CAST(l3 AS INTEGER), '%Y-%m-%d') ELSE 'day ' || CAST(l3 AS VARCHAR) END), unhex('ff')) || unhex('00') || COALESCE(encode(CAST(l1 AS VARCHAR)), unhex('ff'))), 1, 16) AS d
 FROM (SELECT * FROM (SELECT encode(CAST("zone" AS VARCHAR)) AS l0, "age" AS l1, encode(CAST("cab" AS VARCHAR)) AS l2, date_diff('day', DATE '1970-01-01', "day") AS l3, "fare" AS l4, CAST("shared" AS BIGINT) AS l5
 FROM "city"."trips" AS input
 WHERE "fare" <= CAST('Infinity' AS DOUBLE)) AS s1
 WHERE l4 >= CAST('0e+00' AS DOUBLE) AND l5 = 1 AND l2 IS NOT NULL) AS s2) AS s3) AS s4
 WHERE r <= 6) AS s5) AS s6
 WHERE below <= 5) AS s8) AS s9) AS s11) AS s13) AS s14) AS x
GROUP BY cell0
HAVING CASE WHEN COUNT(*) > 0 THEN cell0 IS NOT NULL END;
-- own_bound
SELECT 0 AS t, cell0 AS cell, COUNT(q0v0) AS q0n, CAST(SUM(q0v0 - 419430400) AS VARCHAR) AS q0sum0, CAST(SUM((q0v0 - 419430400) * (q0v0 - 419430400)) - CAST(COUNT(q0v0) AS HUGEINT) * 87960930222080000 AS VARCHAR) AS q0sum1
FROM (SELECT s10.*, CASE WHEN e8 > 838860800 THEN 838860800 WHEN e8 >= 0 THEN e8 WHEN e8 < 0 THEN 0 WHEN l0 <= CAST('0e+00' AS DOUBLE) THEN 0 WHEN l0 <= CAST('Infinity' AS DOUBLE) THEN 838860800 END AS q0v0
 FROM (SELECT s9.*, TRY_CAST(l0 * CAST('8.388608e+06' AS DOUBLE) AS BIGINT) AS e8
 FROM (SELECT s7.*, 0 AS cell0
 FROM (SELECT * FROM (SELECT s5.*, COUNT(*) OVER (PARTITION BY l1 ORDER BY d) AS below
 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l1 ORDER BY d) AS r
 FROM (SELECT s2.*, substr(sha256(l1 || unhex('00') || COALESCE(encode(CASE WHEN l2 BETWEEN -719162 AND 2932896 THEN strftime(DATE '1970-01-01' + CAST(l2 AS INTEGER), '%Y-%m-%d') ELSE 'day ' || CAST(l2 AS VARCHAR) END), unhex('ff')) || unhex('00') || COALESCE(encode(CAST(l3 AS VARCHAR)), unhex('ff'))), 1, 16) AS d
 FROM (SELECT * FROM (SELECT "fare" AS l0, encode(CAST("cab" AS VARCHAR)) AS l1, date_diff('day', DATE '1970-01-01', "day") AS l2, "age" AS l3
 FROM "city"."trips" AS input
 WHERE "fare" <= CAST('Infinity' AS DOUBLE)) AS s1
 WHERE l0 >= CAST('0e+00' AS DOUBLE) AND l1 IS NOT NULL) AS s2) AS s3) AS s4
 WHERE r <= 3) AS s5) AS s6
 WHERE below <= 2) AS s7) AS s9) AS s10) AS x
GROUP BY cell0
HAVING CASE WHEN COUNT(*) > 0 THEN cell0 IS NOT NULL END;
-- tables
WITH counted AS (SELECT cell0, cell1 FROM (SELECT * FROM (SELECT s11.*, CASE WHEN l1 = 0 THEN 1 WHEN l1 = 1 THEN 0 END AS cell1
 FROM (SELECT s10.*, e7 - 1 AS cell0
 FROM (SELECT * FROM (SELECT s8.*, list_position([encode('north'), encode('south')], l0) AS e7
 FROM (SELECT * FROM (SELECT s5.*, COUNT(*) OVER (PARTITION BY l2 ORDER BY d) AS below
 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l2 ORDER BY d) AS r
 FROM (SELECT s2.*, substr(sha256(l2 || unhex('00') || COALESCE(encode(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN strftime(DATE '1970-01-01' + CAST(l3 AS INTEGER), '%Y-%m-%d') ELSE 'day ' || CAST(l3 AS VARCHAR) END), unhex('ff')) || unhex('00') || COALESCE(encode(CAST(l4 AS VARCHAR)), unhex('ff'))), 1, 16) AS d
 FROM (SELECT * FROM (SELECT encode(CAST("zone" AS VARCHAR)) AS l0, CAST("shared" AS BIGINT) AS l1, encode(CAST("cab" AS VARCHAR)) AS l2, date_diff('day', DATE '1970-01-01', "day") AS l3, "age" AS l4, "fare" AS l5
 FROM "city"."trips" AS input
 WHERE "fare" <= CAST('Infinity' AS DOUBLE)) AS s1
 WHERE l5 >= CAST('0e+00' AS DOUBLE) AND l2 IS NOT NULL) AS s2) AS s3) AS s4
 WHERE r <= 6) AS s5) AS s6
 WHERE below <= 5) AS s8) AS s9
 WHERE CASE WHEN l1 = 0 THEN 1 WHEN l1 = 1 THEN 0 END IS NOT NULL) AS s10) AS s11) AS s12
 WHERE cell0 IS NOT NULL AND cell1 IS NOT NULL) AS y)
SELECT 0 AS t, cell, COUNT(*) AS n
FROM (SELECT ((cell0) * 2 + (cell1)) AS cell FROM counted) AS x
GROUP BY cell;
