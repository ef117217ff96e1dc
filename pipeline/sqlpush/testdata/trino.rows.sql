-- rows
SELECT 0 AS t, 0 AS cell, COUNT(*) AS n
FROM (SELECT 1 AS l
 FROM "city"."trips" AS input) AS x;
-- average
SELECT 0 AS t, 0 AS cell, COUNT(*) AS n, CAST(SUM(CAST(v0 - 429496729600 AS decimal(38, 0))) AS varchar) AS sum0
FROM (SELECT s2.*, CASE WHEN l0 <= CAST('0e+00' AS DOUBLE) THEN 0 WHEN l0 >= CAST('1e+02' AS DOUBLE) THEN 858993459200 ELSE CAST(((l0 * CAST('8.589934592e+09' AS DOUBLE)) + CAST('6.755399441055744e+15' AS DOUBLE)) - CAST('6.755399441055744e+15' AS DOUBLE) AS BIGINT) END AS v0
 FROM (SELECT * FROM (SELECT CASE WHEN NOT is_nan(CAST("fare" AS double)) THEN CAST("fare" AS double) END AS l0
 FROM "city"."trips" AS input) AS s1
 WHERE l0 IS NOT NULL) AS s2) AS x;
-- zones
SELECT 0 AS t, cell, CAST(SUM(n) AS BIGINT) AS n
FROM (SELECT * FROM (SELECT s2.*, (e1) AS cell
 FROM (SELECT s1.*, k1.c AS e1
 FROM (SELECT g0k0, COUNT(*) AS n FROM (SELECT l0 AS g0k0 FROM (SELECT CAST("zone" AS varchar) AS l0
 FROM "city"."trips" AS input) AS a) AS b GROUP BY g0k0) AS s1 JOIN (VALUES ('a', 0), ('b', 1), ('c', 2), ('d', 3), ('e', 4), ('f', 5), ('g', 6), ('h', 7), ('i', 8), ('j', 9)) AS k1(v, c) ON s1.g0k0 = k1.v) AS s2) AS s3
 WHERE cell IS NOT NULL) AS x
GROUP BY cell;
-- fares
SELECT 0 AS t, cell, CAST(SUM(n) AS BIGINT) AS n, CAST(SUM(CAST(p0 AS decimal(38, 0))) AS varchar) AS sum0
FROM (SELECT * FROM (SELECT s2.*, (e1) AS cell
 FROM (SELECT s1.*, k1.c AS e1
 FROM (SELECT g0k0, 0 AS n, SUM(CAST(v0 AS decimal(38, 0))) AS p0 FROM (SELECT l0 AS g0k0, v0 FROM (SELECT s2.*, CASE WHEN l1 <= CAST('0e+00' AS DOUBLE) THEN 0 WHEN l1 >= CAST('1e+02' AS DOUBLE) THEN 858993459200 ELSE CAST(((l1 * CAST('8.589934592e+09' AS DOUBLE)) + CAST('6.755399441055744e+15' AS DOUBLE)) - CAST('6.755399441055744e+15' AS DOUBLE) AS BIGINT) END AS v0
 FROM (SELECT * FROM (SELECT CAST("zone" AS varchar) AS l0, CASE WHEN NOT is_nan(CAST("fare" AS double)) THEN CAST("fare" AS double) END AS l1
 FROM "city"."trips" AS input) AS s1
 WHERE l1 IS NOT NULL) AS s2) AS a) AS b GROUP BY g0k0) AS s1 JOIN (VALUES ('a', 0), ('b', 1), ('c', 2), ('d', 3), ('e', 4), ('f', 5), ('g', 6), ('h', 7), ('i', 8), ('j', 9)) AS k1(v, c) ON s1.g0k0 = k1.v) AS s2) AS s3
 WHERE cell IS NOT NULL) AS x
GROUP BY cell;
-- ages
SELECT 0 AS t, cell, 0 AS n, CAST(SUM(CAST(v0 AS decimal(38, 0))) AS varchar) AS sum0
FROM (SELECT s6.*, CASE WHEN e4 <= CAST('0e+00' AS DOUBLE) THEN 0 WHEN e4 >= CAST('1e+02' AS DOUBLE) THEN 858993459200 ELSE CAST(((e4 * CAST('8.589934592e+09' AS DOUBLE)) + CAST('6.755399441055744e+15' AS DOUBLE)) - CAST('6.755399441055744e+15' AS DOUBLE) AS BIGINT) END AS v0
 FROM (SELECT s5.*, CAST(l1 AS DOUBLE) AS e4
 FROM (SELECT s3.*, (CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END) AS cell
 FROM (SELECT * FROM (SELECT * FROM (SELECT CAST("zone" AS varchar) AS l0, "age" AS l1
 FROM "city"."trips" AS input) AS s1
 WHERE l1 IS NOT NULL) AS s2
 WHERE CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END IS NOT NULL) AS s3) AS s5) AS s6) AS x
GROUP BY cell;
