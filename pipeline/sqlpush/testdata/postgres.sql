-- one_number
SELECT 0 AS t, 0 AS cell, CAST(SUM(CASE WHEN n > 5 THEN 5 ELSE n END) AS BIGINT) AS n
FROM (SELECT l0, l1, COUNT(*) AS n FROM (SELECT * FROM (SELECT CAST("cab" AS text) COLLATE "C" AS l0, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l1, CAST("zone" AS text) COLLATE "C" AS l2, NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l3, CASE WHEN isfinite("t") AND "t" < TIMESTAMPTZ '294240-01-01 00:00:00Z' THEN CAST(extract(epoch FROM "t") * 1000000 AS bigint) END AS l4
 FROM "city"."trips" AS input) AS s1
 WHERE l2 NOT IN ('depot') AND l3 >= '0e+00'::double precision AND l4 >= 1357016400000000 AND l4 <= 1388552399999999 AND l0 IS NOT NULL AND l1 IS NOT NULL) AS g GROUP BY l0, l1) AS x;
-- rows_bounded
WITH coded AS (SELECT l2, l3, cell
 FROM (SELECT s3.*, ((CASE WHEN l0 = convert_from('\x69742773'::bytea, 'UTF8') THEN 1 WHEN l0 = 'north' THEN 0 WHEN l0 = convert_from('\xC3BC'::bytea, 'UTF8') THEN 2 ELSE 4 END) * 3 + (CASE WHEN l1 < 30 THEN CASE WHEN l1 < 18 THEN CASE WHEN l1 < 0 THEN NULL ELSE 0 END ELSE 1 END ELSE CASE WHEN l1 < 65 THEN 2 ELSE CASE WHEN l1 <= 65 THEN 2 ELSE NULL END END END)) AS cell
 FROM (SELECT * FROM (SELECT * FROM (SELECT CAST("zone" AS text) COLLATE "C" AS l0, CAST("age" AS bigint) AS l1, CAST("cab" AS text) COLLATE "C" AS l2, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l3, NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l4, CASE WHEN isfinite("t") AND "t" < TIMESTAMPTZ '294240-01-01 00:00:00Z' THEN CAST(extract(epoch FROM "t") * 1000000 AS bigint) END AS l5
 FROM "city"."trips" AS input) AS s1
 WHERE l0 NOT IN ('depot') AND l4 >= '0e+00'::double precision AND l5 >= 1357016400000000 AND l5 <= 1388552399999999 AND l2 IS NOT NULL AND l3 IS NOT NULL) AS s2
 WHERE l1 >= 0 AND l1 <= 65) AS s3) AS z),
overactive AS (SELECT l2, l3, '\x647072656C656173652F626F756E643172'::bytea || int4send(octet_length(convert_to(l2, 'UTF8'))) || convert_to(l2, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l3 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l3 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l3 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l3 AS text) END, 'UTF8') || '\x00000000'::bytea AS ur FROM coded AS a GROUP BY l2, l3 HAVING COUNT(*) > 5),
kept AS (SELECT cell FROM coded AS c WHERE NOT EXISTS (SELECT 1 FROM overactive AS o WHERE o.l2 = c.l2 AND o.l3 = c.l3)
 UNION ALL SELECT cell FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l2, l3 ORDER BY d) AS r
 FROM (SELECT s2.*, sha256(ur || int4send(CAST(cell AS int)) || int8send(occurrence)) AS d
 FROM (SELECT s.*, o.ur FROM (SELECT s1.*, ROW_NUMBER() OVER (PARTITION BY l2, l3, cell ORDER BY cell) - 1 AS occurrence
 FROM (SELECT s.* FROM coded AS s JOIN overactive AS o ON o.l2 = s.l2 AND o.l3 = s.l3) AS s1) AS s JOIN overactive AS o ON o.l2 = s.l2 AND o.l3 = s.l3) AS s2) AS s3) AS s4
 WHERE r <= 5) AS b)
SELECT 0 AS t, cell, COUNT(*) AS n
FROM kept AS x
GROUP BY cell;
-- cells_bounded
WITH coded AS (SELECT l2, l3, cell, n
 FROM (SELECT l2, l3, cell, COUNT(*) AS n FROM (SELECT s38.*, ((e3) * 53 + ((e36) / 7)) AS cell
 FROM (SELECT s37.*, CASE WHEN e34 >= 10 THEN e32 - 306 WHEN (e30 = 0 OR (e30 - ((e30) / 100) * 100 <> 0 AND e30 - ((e30) / 4) * 4 = 0)) THEN e32 + 60 ELSE e32 + 59 END AS e36
 FROM (SELECT s35.*, (5 * e32 + 2) / 153 AS e34
 FROM (SELECT s33.*, e28 - (365 * e30 + ((e30) / 4) - ((e30) / 100)) AS e32
 FROM (SELECT s31.*, (e28 - ((e28) / 1460) + ((e28) / 36524) - ((e28) / 146096)) / 365 AS e30
 FROM (SELECT s29.*, e26 - ((e26) / 146097) * 146097 AS e28
 FROM (SELECT s27.*, e24 + 719468 AS e26
 FROM (SELECT s25.*, e22 - ((e22) / 146097) * 146097 AS e24
 FROM (SELECT s23.*, e16 + 146100 - e20 AS e22
 FROM (SELECT s21.*, e18 - ((e18) / 7) * 7 AS e20
 FROM (SELECT s19.*, e16 + 3 AS e18
 FROM (SELECT s17.*, e12 - (CASE WHEN e12 >= 0 THEN (e12) / 146097 ELSE -1 - ((-1 - e12) / 146097) END) * 146097 AS e16
 FROM (SELECT s15.*, e10 - e12 * 86400 AS e14
 FROM (SELECT s13.*, CASE WHEN e10 >= 0 THEN (e10) / 86400 ELSE -1 - ((-1 - e10) / 86400) END AS e12
 FROM (SELECT s11.*, e8 + CASE WHEN e6 < 704869200 THEN CASE WHEN e6 < -1739041424 THEN -17776 ELSE -18000 END ELSE CASE WHEN e6 < 729057600 THEN -14400 ELSE -18000 END END AS e10
 FROM (SELECT s9.*, e4 - (CASE WHEN e4 >= 0 THEN (e4) / 12622780800 ELSE -1 - ((-1 - e4) / 12622780800) END) * 12622780800 AS e8
 FROM (SELECT s7.*, CASE WHEN e4 < -62135596800 THEN -62135596800 WHEN e4 > 253402300799 THEN 253402300799 ELSE e4 END AS e6
 FROM (SELECT s5.*, CASE WHEN l1 >= 0 THEN (l1) / 1000000 ELSE -1 - ((-1 - l1) / 1000000) END AS e4
 FROM (SELECT s3.*, k3.c AS e3
 FROM (SELECT * FROM (SELECT * FROM (SELECT CAST("zone" AS text) COLLATE "C" AS l0, CASE WHEN isfinite("t") AND "t" < TIMESTAMPTZ '294240-01-01 00:00:00Z' THEN CAST(extract(epoch FROM "t") * 1000000 AS bigint) END AS l1, CAST("cab" AS text) COLLATE "C" AS l2, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l3, NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l4
 FROM "city"."trips" AS input) AS s1
 WHERE l0 NOT IN ('depot') AND l4 >= '0e+00'::double precision AND l1 >= 1357016400000000 AND l1 <= 1388552399999999 AND l2 IS NOT NULL AND l3 IS NOT NULL) AS s2
 WHERE l1 IS NOT NULL) AS s3 JOIN (VALUES ('a', 0), ('b', 1), ('c', 2), ('d', 3), ('e', 4), ('f', 5), ('g', 6), ('h', 7), ('i', 8), ('j', 9)) AS k3(v, c) ON s3.l0 = k3.v) AS s5 OFFSET 0) AS s7 OFFSET 0) AS s9 OFFSET 0) AS s11 OFFSET 0) AS s13 OFFSET 0) AS s15 OFFSET 0) AS s17 OFFSET 0) AS s19 OFFSET 0) AS s21 OFFSET 0) AS s23 OFFSET 0) AS s25 OFFSET 0) AS s27 OFFSET 0) AS s29 OFFSET 0) AS s31 OFFSET 0) AS s33 OFFSET 0) AS s35 OFFSET 0) AS s37 OFFSET 0) AS s38) AS g GROUP BY l2, l3, cell) AS z),
overactive AS (SELECT l2, l3, '\x647072656C656173652F626F756E643163'::bytea || int4send(octet_length(convert_to(l2, 'UTF8'))) || convert_to(l2, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l3 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l3 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l3 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l3 AS text) END, 'UTF8') || '\x00000000'::bytea AS uc FROM coded AS a GROUP BY l2, l3 HAVING COUNT(*) > 2),
kept AS (SELECT cell, n FROM coded AS c WHERE NOT EXISTS (SELECT 1 FROM overactive AS o WHERE o.l2 = c.l2 AND o.l3 = c.l3)
 UNION ALL SELECT cell, n FROM (SELECT * FROM (SELECT s2.*, ROW_NUMBER() OVER (PARTITION BY l2, l3 ORDER BY d) AS r
 FROM (SELECT s1.*, sha256(uc || int4send(CAST(cell AS int))) AS d
 FROM (SELECT s.*, o.uc FROM coded AS s JOIN overactive AS o ON o.l2 = s.l2 AND o.l3 = s.l3) AS s1) AS s2) AS s3
 WHERE r <= 2) AS b)
SELECT 0 AS t, cell, CAST(SUM(CASE WHEN n > 1 THEN 1 ELSE n END) AS BIGINT) AS n
FROM kept AS x
GROUP BY cell;
-- grid
WITH coded AS (SELECT l2, l3, cell
 FROM (SELECT s7.*, (CASE WHEN l0 >= '-9e+01'::double precision AND l0 <= '9e+01'::double precision AND l1 >= '-1.8e+02'::double precision AND l1 <= '1.8e+02'::double precision AND (l0 <> '0e+00'::double precision OR l1 <> '0e+00'::double precision) THEN CASE WHEN e3 IS NOT NULL AND e5 IS NOT NULL THEN e3 * 4 + e5 ELSE NULL END ELSE NULL END) AS cell
 FROM (SELECT s6.*, CASE WHEN l1 < '-7.35e+01'::double precision THEN CASE WHEN l1 < '-7.375e+01'::double precision THEN CASE WHEN l1 < '-7.4e+01'::double precision THEN NULL ELSE 0 END ELSE 1 END ELSE CASE WHEN l1 < '-7.3e+01'::double precision THEN CASE WHEN l1 < '-7.325e+01'::double precision THEN 2 ELSE 3 END ELSE CASE WHEN l1 = '-7.3e+01'::double precision THEN 3 END END END AS e5
 FROM (SELECT s4.*, CASE WHEN l0 < '4.05e+01'::double precision THEN CASE WHEN l0 < '4.025e+01'::double precision THEN CASE WHEN l0 < '4e+01'::double precision THEN NULL ELSE 0 END ELSE 1 END ELSE CASE WHEN l0 < '4.1e+01'::double precision THEN CASE WHEN l0 < '4.075e+01'::double precision THEN 2 ELSE 3 END ELSE CASE WHEN l0 = '4.1e+01'::double precision THEN 3 END END END AS e3
 FROM (SELECT * FROM (SELECT * FROM (SELECT NULLIF(CAST("lat" AS double precision), 'NaN'::double precision) AS l0, NULLIF(CAST("lon" AS double precision), 'NaN'::double precision) AS l1, CAST("cab" AS text) COLLATE "C" AS l2, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l3, CAST("zone" AS text) COLLATE "C" AS l4, NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l5, CASE WHEN isfinite("t") AND "t" < TIMESTAMPTZ '294240-01-01 00:00:00Z' THEN CAST(extract(epoch FROM "t") * 1000000 AS bigint) END AS l6
 FROM "city"."trips" AS input) AS s1
 WHERE l4 NOT IN ('depot') AND l5 >= '0e+00'::double precision AND l6 >= 1357016400000000 AND l6 <= 1388552399999999 AND l2 IS NOT NULL AND l3 IS NOT NULL) AS s2
 WHERE l0 >= '4e+01'::double precision AND l0 <= '4.1e+01'::double precision AND l1 >= '-7.4e+01'::double precision AND l1 <= '-7.3e+01'::double precision AND l0 >= '-9e+01'::double precision AND l0 <= '9e+01'::double precision AND l1 >= '-1.8e+02'::double precision AND l1 <= '1.8e+02'::double precision AND (l0 <> '0e+00'::double precision OR l1 <> '0e+00'::double precision)) AS s4 OFFSET 0) AS s6 OFFSET 0) AS s7) AS z),
overactive AS (SELECT l2, l3, '\x647072656C656173652F626F756E643172'::bytea || int4send(octet_length(convert_to(l2, 'UTF8'))) || convert_to(l2, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l3 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l3 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l3 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l3 AS text) END, 'UTF8') || '\x00000000'::bytea AS ur FROM coded AS a GROUP BY l2, l3 HAVING COUNT(*) > 5),
kept AS (SELECT cell FROM coded AS c WHERE NOT EXISTS (SELECT 1 FROM overactive AS o WHERE o.l2 = c.l2 AND o.l3 = c.l3)
 UNION ALL SELECT cell FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l2, l3 ORDER BY d) AS r
 FROM (SELECT s2.*, sha256(ur || int4send(CAST(cell AS int)) || int8send(occurrence)) AS d
 FROM (SELECT s.*, o.ur FROM (SELECT s1.*, ROW_NUMBER() OVER (PARTITION BY l2, l3, cell ORDER BY cell) - 1 AS occurrence
 FROM (SELECT s.* FROM coded AS s JOIN overactive AS o ON o.l2 = s.l2 AND o.l3 = s.l3) AS s1) AS s JOIN overactive AS o ON o.l2 = s.l2 AND o.l3 = s.l3) AS s2) AS s3) AS s4
 WHERE r <= 5) AS b)
SELECT 0 AS t, cell, COUNT(*) AS n
FROM kept AS x
GROUP BY cell;
-- mean_fare
WITH coded AS (SELECT l2, l3, cell, v0
 FROM (SELECT s20.*, CASE WHEN l1 <= '0e+00'::double precision THEN 0 WHEN l1 >= '1e+02'::double precision THEN 858993459200 ELSE CAST(((l1 * '8.589934592e+09'::double precision) + '6.755399441055744e+15'::double precision) - '6.755399441055744e+15'::double precision AS BIGINT) END AS v0
 FROM (SELECT s19.*, (24 * (e17 - ((e17) / 7) * 7) + ((e13) / 3600)) AS cell
 FROM (SELECT s18.*, e15 + 3 AS e17
 FROM (SELECT s16.*, e11 - (CASE WHEN e11 >= 0 THEN (e11) / 146097 ELSE -1 - ((-1 - e11) / 146097) END) * 146097 AS e15
 FROM (SELECT s14.*, e9 - e11 * 86400 AS e13
 FROM (SELECT s12.*, CASE WHEN e9 >= 0 THEN (e9) / 86400 ELSE -1 - ((-1 - e9) / 86400) END AS e11
 FROM (SELECT s10.*, e7 + CASE WHEN e5 < 704869200 THEN CASE WHEN e5 < -1739041424 THEN -17776 ELSE -18000 END ELSE CASE WHEN e5 < 729057600 THEN -14400 ELSE -18000 END END AS e9
 FROM (SELECT s8.*, e3 - (CASE WHEN e3 >= 0 THEN (e3) / 12622780800 ELSE -1 - ((-1 - e3) / 12622780800) END) * 12622780800 AS e7
 FROM (SELECT s6.*, CASE WHEN e3 < -62135596800 THEN -62135596800 WHEN e3 > 253402300799 THEN 253402300799 ELSE e3 END AS e5
 FROM (SELECT s4.*, CASE WHEN l0 >= 0 THEN (l0) / 1000000 ELSE -1 - ((-1 - l0) / 1000000) END AS e3
 FROM (SELECT * FROM (SELECT * FROM (SELECT CASE WHEN isfinite("t") AND "t" < TIMESTAMPTZ '294240-01-01 00:00:00Z' THEN CAST(extract(epoch FROM "t") * 1000000 AS bigint) END AS l0, NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l1, CAST("cab" AS text) COLLATE "C" AS l2, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l3, CAST("zone" AS text) COLLATE "C" AS l4
 FROM "city"."trips" AS input) AS s1
 WHERE l4 NOT IN ('depot') AND l1 >= '0e+00'::double precision AND l0 >= 1357016400000000 AND l0 <= 1388552399999999 AND l2 IS NOT NULL AND l3 IS NOT NULL) AS s2
 WHERE l0 IS NOT NULL) AS s4 OFFSET 0) AS s6 OFFSET 0) AS s8 OFFSET 0) AS s10 OFFSET 0) AS s12 OFFSET 0) AS s14 OFFSET 0) AS s16 OFFSET 0) AS s18 OFFSET 0) AS s19) AS s20) AS z),
overactive AS (SELECT l2, l3, '\x647072656C656173652F626F756E643163'::bytea || int4send(octet_length(convert_to(l2, 'UTF8'))) || convert_to(l2, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l3 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l3 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l3 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l3 AS text) END, 'UTF8') || '\x00000000'::bytea AS uc, '\x647072656C656173652F626F756E643172'::bytea || int4send(octet_length(convert_to(l2, 'UTF8'))) || convert_to(l2, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l3 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l3 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l3 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l3 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l3 AS text) END, 'UTF8') || '\x00000000'::bytea AS ur FROM coded AS a GROUP BY l2, l3 HAVING COUNT(*) > 2),
kept AS (SELECT cell, v0 FROM coded AS c WHERE NOT EXISTS (SELECT 1 FROM overactive AS o WHERE o.l2 = c.l2 AND o.l3 = c.l3)
 UNION ALL SELECT cell, v0 FROM (SELECT * FROM (SELECT s8.*, ROW_NUMBER() OVER (PARTITION BY l2, l3 ORDER BY d) AS r
 FROM (SELECT * FROM (SELECT s6.*, ROW_NUMBER() OVER (PARTITION BY l2, l3, cell ORDER BY d) AS rc
 FROM (SELECT s5.*, sha256(ur || int4send(CAST(cell AS int)) || int8send(v0) || int8send(occurrence)) AS d
 FROM (SELECT s.*, o.ur FROM (SELECT s4.*, ROW_NUMBER() OVER (PARTITION BY l2, l3, cell, v0 ORDER BY v0) - 1 AS occurrence
 FROM (SELECT * FROM (SELECT s2.*, DENSE_RANK() OVER (PARTITION BY l2, l3 ORDER BY cd) AS cr
 FROM (SELECT s1.*, sha256(uc || int4send(CAST(cell AS int))) AS cd
 FROM (SELECT s.*, o.uc FROM coded AS s JOIN overactive AS o ON o.l2 = s.l2 AND o.l3 = s.l3) AS s1) AS s2) AS s3
 WHERE cr <= 3) AS s4) AS s JOIN overactive AS o ON o.l2 = s.l2 AND o.l3 = s.l3) AS s5) AS s6) AS s7
 WHERE rc <= 2) AS s8) AS s9
 WHERE r <= 4) AS b)
SELECT 0 AS t, cell, COUNT(*) AS n, CAST(SUM(v0 - 429496729600) AS text) AS sum0
FROM kept AS x
GROUP BY cell;
-- spread
WITH coded AS (SELECT l1, l2, v0
 FROM (SELECT s2.*, CASE WHEN l0 <= '-5e+00'::double precision THEN -41943040 WHEN l0 >= '1e+02'::double precision THEN 838860800 ELSE CAST(((l0 * '8.388608e+06'::double precision) + '6.755399441055744e+15'::double precision) - '6.755399441055744e+15'::double precision AS BIGINT) END AS v0
 FROM (SELECT * FROM (SELECT NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l0, CAST("cab" AS text) COLLATE "C" AS l1, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l2, CAST("zone" AS text) COLLATE "C" AS l3, CASE WHEN isfinite("t") AND "t" < TIMESTAMPTZ '294240-01-01 00:00:00Z' THEN CAST(extract(epoch FROM "t") * 1000000 AS bigint) END AS l4
 FROM "city"."trips" AS input) AS s1
 WHERE l3 NOT IN ('depot') AND l0 >= '0e+00'::double precision AND l4 >= 1357016400000000 AND l4 <= 1388552399999999 AND l1 IS NOT NULL AND l2 IS NOT NULL) AS s2) AS z),
overactive AS (SELECT l1, l2, '\x647072656C656173652F626F756E643172'::bytea || int4send(octet_length(convert_to(l1, 'UTF8'))) || convert_to(l1, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l2 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l2 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l2 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l2 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l2 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l2 AS text) END, 'UTF8') || '\x00000000'::bytea AS ur FROM coded AS a GROUP BY l1, l2 HAVING COUNT(*) > 5),
kept AS (SELECT v0 FROM coded AS c WHERE NOT EXISTS (SELECT 1 FROM overactive AS o WHERE o.l1 = c.l1 AND o.l2 = c.l2)
 UNION ALL SELECT v0 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l1, l2 ORDER BY d) AS rc
 FROM (SELECT s2.*, sha256(ur || '\x00000000'::bytea || int8send(v0) || int8send(occurrence)) AS d
 FROM (SELECT s.*, o.ur FROM (SELECT s1.*, ROW_NUMBER() OVER (PARTITION BY l1, l2, v0 ORDER BY v0) - 1 AS occurrence
 FROM (SELECT s.* FROM coded AS s JOIN overactive AS o ON o.l1 = s.l1 AND o.l2 = s.l2) AS s1) AS s JOIN overactive AS o ON o.l1 = s.l1 AND o.l2 = s.l2) AS s2) AS s3) AS s4
 WHERE rc <= 5) AS b)
SELECT 0 AS t, 0 AS cell, COUNT(*) AS n, CAST(SUM(v0 - 398458880) AS text) AS sum0, CAST(SUM((v0 - 398458880) * (v0 - 398458880) - 96976925569843200) AS text) AS squares
FROM kept AS x;
-- tables
WITH coded AS (SELECT l3, l4, cell0, cell1, cell2
 FROM (SELECT s7.*, CASE WHEN l2 < 18 THEN CASE WHEN l2 < 0 THEN NULL ELSE 0 END ELSE CASE WHEN l2 < 65 THEN 1 ELSE CASE WHEN l2 <= 65 THEN 1 ELSE NULL END END END AS cell2
 FROM (SELECT s6.*, CASE WHEN l1 = 0 THEN 1 WHEN l1 = 1 THEN 0 END AS cell1
 FROM (SELECT s5.*, CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END AS cell0
 FROM (SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT CAST("zone" AS text) COLLATE "C" AS l0, CAST(CAST("shared" AS int) AS bigint) AS l1, CAST("age" AS bigint) AS l2, CAST("cab" AS text) COLLATE "C" AS l3, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l4, NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l5, CASE WHEN isfinite("t") AND "t" < TIMESTAMPTZ '294240-01-01 00:00:00Z' THEN CAST(extract(epoch FROM "t") * 1000000 AS bigint) END AS l6
 FROM "city"."trips" AS input) AS s1
 WHERE l0 NOT IN ('depot') AND l5 >= '0e+00'::double precision AND l6 >= 1357016400000000 AND l6 <= 1388552399999999 AND l3 IS NOT NULL AND l4 IS NOT NULL) AS s2
 WHERE CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END IS NOT NULL) AS s3
 WHERE CASE WHEN l1 = 0 THEN 1 WHEN l1 = 1 THEN 0 END IS NOT NULL) AS s4
 WHERE l2 >= 0 AND l2 <= 65) AS s5) AS s6) AS s7) AS z),
overactive AS (SELECT l3, l4, '\x647072656C656173652F626F756E643163'::bytea || int4send(octet_length(convert_to(l3, 'UTF8'))) || convert_to(l3, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l4 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l4 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l4 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l4 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l4 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l4 AS text) END, 'UTF8') || '\x00000000'::bytea AS uc, '\x647072656C656173652F626F756E643172'::bytea || int4send(octet_length(convert_to(l3, 'UTF8'))) || convert_to(l3, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l4 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l4 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l4 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l4 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l4 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l4 AS text) END, 'UTF8') || '\x00000000'::bytea AS ur FROM coded AS a GROUP BY l3, l4 HAVING COUNT(*) > 2),
kept AS (SELECT cell0, cell1, cell2 FROM coded AS c WHERE NOT EXISTS (SELECT 1 FROM overactive AS o WHERE o.l3 = c.l3 AND o.l4 = c.l4)
 UNION ALL SELECT cell0, cell1, cell2 FROM (SELECT * FROM (SELECT s6.*, ROW_NUMBER() OVER (PARTITION BY l3, l4 ORDER BY d) AS r
 FROM (SELECT s5.*, sha256(ur || int4send(CAST(cell0 AS int)) || int4send(CAST(cell1 AS int)) || int4send(CAST(cell2 AS int)) || int8send(occurrence)) AS d
 FROM (SELECT s.*, o.ur FROM (SELECT s4.*, ROW_NUMBER() OVER (PARTITION BY l3, l4, cell0, cell1, cell2 ORDER BY cell2) - 1 AS occurrence
 FROM (SELECT * FROM (SELECT s2.*, DENSE_RANK() OVER (PARTITION BY l3, l4 ORDER BY cd) AS cr
 FROM (SELECT s1.*, sha256(uc || int4send(CAST(cell0 AS int)) || int4send(CAST(cell1 AS int)) || int4send(CAST(cell2 AS int))) AS cd
 FROM (SELECT s.*, o.uc FROM coded AS s JOIN overactive AS o ON o.l3 = s.l3 AND o.l4 = s.l4) AS s1) AS s2) AS s3
 WHERE cr <= 2) AS s4) AS s JOIN overactive AS o ON o.l3 = s.l3 AND o.l4 = s.l4) AS s5) AS s6) AS s7
 WHERE r <= 2) AS b),
counted AS (SELECT cell0, cell1, cell2 FROM kept AS y)
SELECT 0 AS t, cell, COUNT(*) AS n
FROM (SELECT ((cell0) * 2 + (cell1)) AS cell FROM counted) AS x
GROUP BY cell
UNION ALL
SELECT 1 AS t, cell, COUNT(*) AS n
FROM (SELECT ((cell0) * 2 + (cell2)) AS cell FROM counted) AS x
GROUP BY cell
UNION ALL
SELECT 2 AS t, cell, COUNT(*) AS n
FROM (SELECT ((cell1) * 2 + (cell2)) AS cell FROM counted) AS x
GROUP BY cell;
