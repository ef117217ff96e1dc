-- rows
SELECT 0 AS t, 0 AS cell, COUNT(*) AS n
FROM (SELECT 1 AS l
 FROM "city"."trips" AS input) AS x;
-- average
SELECT 0 AS t, 0 AS cell, COUNT(v0) AS n, CAST(SUM(v0) - CAST(COUNT(v0) AS HUGEINT) * 429496729600 AS VARCHAR) AS sum0
FROM (SELECT s3.*, CASE WHEN e1 > 858993459200 THEN 858993459200 WHEN e1 >= 0 THEN e1 WHEN e1 < 0 THEN 0 WHEN l0 <= CAST('0e+00' AS DOUBLE) THEN 0 WHEN l0 <= CAST('Infinity' AS DOUBLE) THEN 858993459200 END AS v0
 FROM (SELECT s2.*, TRY_CAST(l0 * CAST('8.589934592e+09' AS DOUBLE) AS BIGINT) AS e1
 FROM (SELECT "fare" AS l0
 FROM "city"."trips" AS input) AS s2) AS s3) AS x;
-- zones
SELECT 0 AS t, cell, CAST(SUM(n) AS BIGINT) AS n
FROM (SELECT * FROM (SELECT s2.*, (e1) AS cell
 FROM (SELECT s1.*, k1.c AS e1
 FROM (SELECT g0k0, COUNT(*) AS n FROM (SELECT l0 AS g0k0 FROM (SELECT encode(CAST("zone" AS VARCHAR)) AS l0
 FROM "city"."trips" AS input) AS a) AS b GROUP BY g0k0) AS s1 JOIN (SELECT encode(unnest(string_split('a|b|c|d|e|f|g|h|i|j', '|'))) AS v, unnest(CAST(string_split('0|1|2|3|4|5|6|7|8|9', '|') AS INTEGER[])) AS c) AS k1 ON s1.g0k0 = k1.v) AS s2) AS s3
 WHERE cell IS NOT NULL) AS x
GROUP BY cell;
-- fares
SELECT 0 AS t, cell, CAST(SUM(n) AS BIGINT) AS n, CAST(SUM(p0) AS VARCHAR) AS sum0
FROM (SELECT * FROM (SELECT s2.*, (e1) AS cell
 FROM (SELECT s1.*, k1.c AS e1
 FROM (SELECT g0k0, 0 AS n, SUM(v0) AS p0 FROM (SELECT l0 AS g0k0, v0 FROM (SELECT s3.*, CASE WHEN e1 > 858993459200 THEN 858993459200 WHEN e1 >= 0 THEN e1 WHEN e1 < 0 THEN 0 WHEN l1 <= CAST('0e+00' AS DOUBLE) THEN 0 WHEN l1 <= CAST('Infinity' AS DOUBLE) THEN 858993459200 END AS v0
 FROM (SELECT s2.*, TRY_CAST(l1 * CAST('8.589934592e+09' AS DOUBLE) AS BIGINT) AS e1
 FROM (SELECT encode(CAST("zone" AS VARCHAR)) AS l0, "fare" AS l1
 FROM "city"."trips" AS input) AS s2) AS s3) AS a) AS b GROUP BY g0k0) AS s1 JOIN (SELECT encode(unnest(string_split('a|b|c|d|e|f|g|h|i|j', '|'))) AS v, unnest(CAST(string_split('0|1|2|3|4|5|6|7|8|9', '|') AS INTEGER[])) AS c) AS k1 ON s1.g0k0 = k1.v) AS s2) AS s3
 WHERE cell IS NOT NULL) AS x
GROUP BY cell;
-- ages
SELECT 0 AS t, x.cell - 1 AS cell, 0 AS n, CAST(SUM(v0) * CAST(8589934592 AS HUGEINT) AS VARCHAR) AS sum0
FROM (SELECT s5.*, least(greatest(l1, 0), 100) AS v0
 FROM (SELECT s4.*, e2 AS cell
 FROM (SELECT s3.*, list_position([encode('north'), encode('south')], l0) AS e2
 FROM (SELECT * FROM (SELECT encode(CAST("zone" AS VARCHAR)) AS l0, "age" AS l1
 FROM "city"."trips" AS input) AS s1
 WHERE l1 IS NOT NULL) AS s3) AS s4) AS s5) AS x
GROUP BY x.cell
HAVING CASE WHEN COUNT(*) > 0 THEN x.cell IS NOT NULL END;
