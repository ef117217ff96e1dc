-- rows
SELECT 0 AS t, 0 AS cell, COUNT(*) AS n
FROM (SELECT 1 AS l
 FROM "city"."trips" AS input) AS x;
-- average
SELECT 0 AS t, 0 AS cell, COUNT(*) AS n, CAST(SUM(v0 - 429496729600) AS text) AS sum0
FROM (SELECT s2.*, CASE WHEN l0 <= '0e+00'::double precision THEN 0 WHEN l0 >= '1e+02'::double precision THEN 858993459200 ELSE CAST(((l0 * '8.589934592e+09'::double precision) + '6.755399441055744e+15'::double precision) - '6.755399441055744e+15'::double precision AS BIGINT) END AS v0
 FROM (SELECT * FROM (SELECT NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l0
 FROM "city"."trips" AS input) AS s1
 WHERE l0 IS NOT NULL) AS s2) AS x;
-- zones
SELECT 0 AS t, cell, CAST(SUM(n) AS BIGINT) AS n
FROM (SELECT * FROM (SELECT s2.*, (e1) AS cell
 FROM (SELECT s1.*, k1.c AS e1
 FROM (SELECT g0k0, COUNT(*) AS n FROM (SELECT l0 AS g0k0 FROM (SELECT CAST("zone" AS text) COLLATE "C" AS l0
 FROM "city"."trips" AS input) AS a) AS b GROUP BY g0k0) AS s1 JOIN (VALUES ('a', 0), ('b', 1), ('c', 2), ('d', 3), ('e', 4), ('f', 5), ('g', 6), ('h', 7), ('i', 8), ('j', 9)) AS k1(v, c) ON s1.g0k0 = k1.v) AS s2) AS s3
 WHERE cell IS NOT NULL) AS x
GROUP BY cell;
-- fares
SELECT 0 AS t, cell, CAST(SUM(n) AS BIGINT) AS n, CAST(SUM(p0) AS text) AS sum0
FROM (SELECT * FROM (SELECT s2.*, (e1) AS cell
 FROM (SELECT s1.*, k1.c AS e1
 FROM (SELECT g0k0, 0 AS n, SUM(v0) AS p0 FROM (SELECT l0 AS g0k0, v0 FROM (SELECT s2.*, CASE WHEN l1 <= '0e+00'::double precision THEN 0 WHEN l1 >= '1e+02'::double precision THEN 858993459200 ELSE CAST(((l1 * '8.589934592e+09'::double precision) + '6.755399441055744e+15'::double precision) - '6.755399441055744e+15'::double precision AS BIGINT) END AS v0
 FROM (SELECT * FROM (SELECT CAST("zone" AS text) COLLATE "C" AS l0, NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l1
 FROM "city"."trips" AS input) AS s1
 WHERE l1 IS NOT NULL) AS s2) AS a) AS b GROUP BY g0k0) AS s1 JOIN (VALUES ('a', 0), ('b', 1), ('c', 2), ('d', 3), ('e', 4), ('f', 5), ('g', 6), ('h', 7), ('i', 8), ('j', 9)) AS k1(v, c) ON s1.g0k0 = k1.v) AS s2) AS s3
 WHERE cell IS NOT NULL) AS x
GROUP BY cell;
-- ages
SELECT 0 AS t, cell, 0 AS n, CAST(SUM(v0) AS text) AS sum0
FROM (SELECT s6.*, CASE WHEN e4 <= '0e+00'::double precision THEN 0 WHEN e4 >= '1e+02'::double precision THEN 858993459200 ELSE CAST(((e4 * '8.589934592e+09'::double precision) + '6.755399441055744e+15'::double precision) - '6.755399441055744e+15'::double precision AS BIGINT) END AS v0
 FROM (SELECT s5.*, CAST(l1 AS double precision) AS e4
 FROM (SELECT s3.*, (CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END) AS cell
 FROM (SELECT * FROM (SELECT * FROM (SELECT CAST("zone" AS text) COLLATE "C" AS l0, CAST("age" AS bigint) AS l1
 FROM "city"."trips" AS input) AS s1
 WHERE l1 IS NOT NULL) AS s2
 WHERE CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END IS NOT NULL) AS s3) AS s5 OFFSET 0) AS s6) AS x
GROUP BY cell;
