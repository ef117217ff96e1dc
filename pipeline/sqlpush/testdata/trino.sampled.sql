-- rows, zones, fares
SELECT * FROM (SELECT CASE WHEN cell0 IS NOT NULL THEN 0 WHEN cell1 IS NOT NULL THEN 1 END AS t, COALESCE(cell0, cell1) AS cell, COUNT(*) AS q0n, COUNT(*) AS q1n, 0 AS q2n, CAST(SUM(CAST(q2v0 AS decimal(38, 0))) AS varchar) AS q2sum0
FROM (SELECT s9.*, CASE WHEN l4 <= CAST('0e+00' AS DOUBLE) THEN 0 WHEN l4 >= CAST('1e+02' AS DOUBLE) THEN 858993459200 ELSE CAST(((l4 * CAST('8.589934592e+09' AS DOUBLE)) + CAST('6.755399441055744e+15' AS DOUBLE)) - CAST('6.755399441055744e+15' AS DOUBLE) AS BIGINT) END AS q2v0
 FROM (SELECT s8.*, (CASE WHEN l3 IS NOT NULL THEN CASE WHEN l3 = 'north' THEN 0 WHEN l3 = 'south' THEN 1 ELSE 2 END END) AS cell1
 FROM (SELECT s7.*, 0 AS cell0
 FROM (SELECT * FROM (SELECT s5.*, COUNT(*) OVER (PARTITION BY l0 ORDER BY d) AS below
 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l0 ORDER BY d) AS r
 FROM (SELECT s2.*, substr(sha256(concat(to_utf8(l0), X'00', CASE WHEN l1 IS NULL THEN X'ff' ELSE to_utf8(CASE WHEN l1 BETWEEN -719162 AND 2932896 THEN date_format(date_add('day', l1, DATE '1970-01-01'), '%Y-%m-%d') ELSE concat('day ', CAST(l1 AS varchar)) END) END, X'00', CASE WHEN l2 IS NULL THEN X'ff' ELSE to_utf8(CAST(l2 AS varchar)) END)), 1, 8) AS d
 FROM (SELECT * FROM (SELECT CAST("cab" AS varchar) AS l0, date_diff('day', DATE '1970-01-01', "day") AS l1, "age" AS l2, CAST("zone" AS varchar) AS l3, CASE WHEN NOT is_nan(CAST("fare" AS double)) THEN CAST("fare" AS double) END AS l4
 FROM "city"."trips" AS input) AS s1
 WHERE l4 >= CAST('0e+00' AS DOUBLE) AND l0 IS NOT NULL) AS s2) AS s3) AS s4
 WHERE r <= 6) AS s5) AS s6
 WHERE below <= 5) AS s7) AS s8) AS s9) AS x
GROUP BY GROUPING SETS ((cell0), (cell1))) AS y
WHERE cell IS NOT NULL;
-- own_filter
SELECT 0 AS t, cell0 AS cell, COUNT(q0v0) AS q0n, CAST(SUM(CAST(q0v0 - 429496729600 AS decimal(38, 0))) AS varchar) AS q0sum0
FROM (SELECT s10.*, CASE WHEN e8 <= CAST('0e+00' AS DOUBLE) THEN 0 WHEN e8 >= CAST('1e+02' AS DOUBLE) THEN 858993459200 ELSE CAST(((e8 * CAST('8.589934592e+09' AS DOUBLE)) + CAST('6.755399441055744e+15' AS DOUBLE)) - CAST('6.755399441055744e+15' AS DOUBLE) AS BIGINT) END AS q0v0
 FROM (SELECT s9.*, CAST(l1 AS DOUBLE) AS e8
 FROM (SELECT s7.*, (CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END) AS cell0
 FROM (SELECT * FROM (SELECT s5.*, COUNT(*) OVER (PARTITION BY l2 ORDER BY d) AS below
 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l2 ORDER BY d) AS r
 FROM (SELECT s2.*, substr(sha256(concat(to_utf8(l2), X'00', CASE WHEN l3 IS NULL THEN X'ff' ELSE to_utf8(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN date_format(date_add('day', l3, DATE '1970-01-01'), '%Y-%m-%d') ELSE concat('day ', CAST(l3 AS varchar)) END) END, X'00', CASE WHEN l1 IS NULL THEN X'ff' ELSE to_utf8(CAST(l1 AS varchar)) END)), 1, 8) AS d
 FROM (SELECT * FROM (SELECT CAST("zone" AS varchar) AS l0, "age" AS l1, CAST("cab" AS varchar) AS l2, date_diff('day', DATE '1970-01-01', "day") AS l3, CASE WHEN NOT is_nan(CAST("fare" AS double)) THEN CAST("fare" AS double) END AS l4, CAST("shared" AS bigint) AS l5
 FROM "city"."trips" AS input) AS s1
 WHERE l4 >= CAST('0e+00' AS DOUBLE) AND l5 = 1 AND l2 IS NOT NULL) AS s2) AS s3) AS s4
 WHERE r <= 6) AS s5) AS s6
 WHERE below <= 5) AS s7) AS s9) AS s10) AS x
GROUP BY cell0
HAVING CASE WHEN COUNT(*) > 0 THEN cell0 IS NOT NULL END;
-- own_bound
SELECT 0 AS t, cell0 AS cell, COUNT(q0v0) AS q0n, CAST(SUM(CAST(q0v0 - 419430400 AS decimal(38, 0))) AS varchar) AS q0sum0, CAST(SUM(CAST((q0v0 - 419430400) * (q0v0 - 419430400) - 87960930222080000 AS decimal(38, 0))) AS varchar) AS q0sum1
FROM (SELECT s8.*, CASE WHEN l0 <= CAST('0e+00' AS DOUBLE) THEN 0 WHEN l0 >= CAST('1e+02' AS DOUBLE) THEN 838860800 ELSE CAST(((l0 * CAST('8.388608e+06' AS DOUBLE)) + CAST('6.755399441055744e+15' AS DOUBLE)) - CAST('6.755399441055744e+15' AS DOUBLE) AS BIGINT) END AS q0v0
 FROM (SELECT s7.*, 0 AS cell0
 FROM (SELECT * FROM (SELECT s5.*, COUNT(*) OVER (PARTITION BY l1 ORDER BY d) AS below
 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l1 ORDER BY d) AS r
 FROM (SELECT s2.*, substr(sha256(concat(to_utf8(l1), X'00', CASE WHEN l2 IS NULL THEN X'ff' ELSE to_utf8(CASE WHEN l2 BETWEEN -719162 AND 2932896 THEN date_format(date_add('day', l2, DATE '1970-01-01'), '%Y-%m-%d') ELSE concat('day ', CAST(l2 AS varchar)) END) END, X'00', CASE WHEN l3 IS NULL THEN X'ff' ELSE to_utf8(CAST(l3 AS varchar)) END)), 1, 8) AS d
 FROM (SELECT * FROM (SELECT CASE WHEN NOT is_nan(CAST("fare" AS double)) THEN CAST("fare" AS double) END AS l0, CAST("cab" AS varchar) AS l1, date_diff('day', DATE '1970-01-01', "day") AS l2, "age" AS l3
 FROM "city"."trips" AS input) AS s1
 WHERE l0 >= CAST('0e+00' AS DOUBLE) AND l1 IS NOT NULL) AS s2) AS s3) AS s4
 WHERE r <= 3) AS s5) AS s6
 WHERE below <= 2) AS s7) AS s8) AS x
GROUP BY cell0
HAVING CASE WHEN COUNT(*) > 0 THEN cell0 IS NOT NULL END;
-- tables
WITH counted AS (SELECT cell0, cell1 FROM (SELECT s10.*, CASE WHEN l1 = 0 THEN 1 WHEN l1 = 1 THEN 0 END AS cell1
 FROM (SELECT s9.*, CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END AS cell0
 FROM (SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT s5.*, COUNT(*) OVER (PARTITION BY l2 ORDER BY d) AS below
 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l2 ORDER BY d) AS r
 FROM (SELECT s2.*, substr(sha256(concat(to_utf8(l2), X'00', CASE WHEN l3 IS NULL THEN X'ff' ELSE to_utf8(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN date_format(date_add('day', l3, DATE '1970-01-01'), '%Y-%m-%d') ELSE concat('day ', CAST(l3 AS varchar)) END) END, X'00', CASE WHEN l4 IS NULL THEN X'ff' ELSE to_utf8(CAST(l4 AS varchar)) END)), 1, 8) AS d
 FROM (SELECT * FROM (SELECT CAST("zone" AS varchar) AS l0, CAST("shared" AS bigint) AS l1, CAST("cab" AS varchar) AS l2, date_diff('day', DATE '1970-01-01', "day") AS l3, "age" AS l4, CASE WHEN NOT is_nan(CAST("fare" AS double)) THEN CAST("fare" AS double) END AS l5
 FROM "city"."trips" AS input) AS s1
 WHERE l5 >= CAST('0e+00' AS DOUBLE) AND l2 IS NOT NULL) AS s2) AS s3) AS s4
 WHERE r <= 6) AS s5) AS s6
 WHERE below <= 5) AS s7
 WHERE CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END IS NOT NULL) AS s8
 WHERE CASE WHEN l1 = 0 THEN 1 WHEN l1 = 1 THEN 0 END IS NOT NULL) AS s9) AS s10) AS y)
SELECT 0 AS t, cell, COUNT(*) AS n
FROM (SELECT ((cell0) * 2 + (cell1)) AS cell FROM counted) AS x
GROUP BY cell;
