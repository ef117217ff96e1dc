-- vectors
WITH coded AS (SELECT l4, l5, cell, v0, v1, v2
 FROM (SELECT s23.*, CASE WHEN root IS NULL THEN w0 ELSE CAST(div(CAST(w0 AS numeric) * 858993459200, root) AS bigint) END AS v0, CASE WHEN root IS NULL THEN w1 ELSE CAST(div(CAST(w1 AS numeric) * 858993459200, root) AS bigint) END AS v1, CASE WHEN root IS NULL THEN w2 ELSE CAST(div(CAST(w2 AS numeric) * 858993459200, root) AS bigint) END AS v2
 FROM (SELECT s22.*, CASE WHEN near * near >= square THEN near ELSE near + 1 END AS root
 FROM (SELECT s21.*, CASE WHEN guess IS NOT NULL THEN div((CAST(guess AS numeric) + div(square, guess)), 2) END AS near
 FROM (SELECT s20.*, CASE WHEN square > CAST(858993459200 AS numeric) * 858993459200 THEN CAST(floor(sqrt(CAST(square AS double precision))) AS BIGINT) END AS guess
 FROM (SELECT s19.*, CAST(w0 AS numeric) * w0 + CAST(w1 AS numeric) * w1 + CAST(w2 AS numeric) * w2 AS square
 FROM (SELECT s18.*, CASE WHEN longest IS NULL THEN NULL WHEN longest > '1.7976931348623157e+308'::double precision THEN CASE WHEN l1 > '1.7976931348623157e+308'::double precision THEN 2199023255552 WHEN l1 < '-1.7976931348623157e+308'::double precision THEN -2199023255552 ELSE 0 END WHEN abs(l1) >= '1e+00'::double precision / scale10 THEN CAST(trunc(l1 * scale10) AS BIGINT) ELSE 0 END AS w0, CASE WHEN longest IS NULL THEN NULL WHEN longest > '1.7976931348623157e+308'::double precision THEN CASE WHEN l2 > '1.7976931348623157e+308'::double precision THEN 2199023255552 WHEN l2 < '-1.7976931348623157e+308'::double precision THEN -2199023255552 ELSE 0 END WHEN abs(l2) >= '1e+00'::double precision / scale10 THEN CAST(trunc(l2 * scale10) AS BIGINT) ELSE 0 END AS w1, CASE WHEN longest IS NULL THEN NULL WHEN longest > '1.7976931348623157e+308'::double precision THEN CASE WHEN e4 > '1.7976931348623157e+308'::double precision THEN 2199023255552 WHEN e4 < '-1.7976931348623157e+308'::double precision THEN -2199023255552 ELSE 0 END WHEN abs(e4) >= '1e+00'::double precision / scale10 THEN CAST(trunc(e4 * scale10) AS BIGINT) ELSE 0 END AS w2
 FROM (SELECT s17.*, CASE WHEN y9 >= '1.048576e+06'::double precision THEN y9 * '5e-01'::double precision ELSE y9 END AS y10, CASE WHEN y9 >= '1.048576e+06'::double precision THEN scale9 * '5e-01'::double precision ELSE scale9 END AS scale10
 FROM (SELECT s16.*, CASE WHEN y8 >= '2.097152e+06'::double precision THEN y8 * '2.5e-01'::double precision ELSE y8 END AS y9, CASE WHEN y8 >= '2.097152e+06'::double precision THEN scale8 * '2.5e-01'::double precision ELSE scale8 END AS scale9
 FROM (SELECT s15.*, CASE WHEN y7 >= '8.388608e+06'::double precision THEN y7 * '6.25e-02'::double precision ELSE y7 END AS y8, CASE WHEN y7 >= '8.388608e+06'::double precision THEN scale7 * '6.25e-02'::double precision ELSE scale7 END AS scale8
 FROM (SELECT s14.*, CASE WHEN y6 >= '1.34217728e+08'::double precision THEN y6 * '3.90625e-03'::double precision ELSE y6 END AS y7, CASE WHEN y6 >= '1.34217728e+08'::double precision THEN scale6 * '3.90625e-03'::double precision ELSE scale6 END AS scale7
 FROM (SELECT s13.*, CASE WHEN y5 >= '3.4359738368e+10'::double precision THEN y5 * '1.52587890625e-05'::double precision ELSE y5 END AS y6, CASE WHEN y5 >= '3.4359738368e+10'::double precision THEN scale5 * '1.52587890625e-05'::double precision ELSE scale5 END AS scale6
 FROM (SELECT s12.*, CASE WHEN y4 >= '2.251799813685248e+15'::double precision THEN y4 * '2.3283064365386963e-10'::double precision ELSE y4 END AS y5, CASE WHEN y4 >= '2.251799813685248e+15'::double precision THEN scale4 * '2.3283064365386963e-10'::double precision ELSE scale4 END AS scale5
 FROM (SELECT s11.*, CASE WHEN y3 >= '9.671406556917033e+24'::double precision THEN y3 * '5.421010862427522e-20'::double precision ELSE y3 END AS y4, CASE WHEN y3 >= '9.671406556917033e+24'::double precision THEN scale3 * '5.421010862427522e-20'::double precision ELSE scale3 END AS scale4
 FROM (SELECT s10.*, CASE WHEN y2 >= '1.78405961588245e+44'::double precision THEN y2 * '2.938735877055719e-39'::double precision ELSE y2 END AS y3, CASE WHEN y2 >= '1.78405961588245e+44'::double precision THEN scale2 * '2.938735877055719e-39'::double precision ELSE scale2 END AS scale3
 FROM (SELECT s9.*, CASE WHEN y1 >= '6.070840288205404e+82'::double precision THEN y1 * '8.636168555094445e-78'::double precision ELSE y1 END AS y2, CASE WHEN y1 >= '6.070840288205404e+82'::double precision THEN scale1 * '8.636168555094445e-78'::double precision ELSE scale1 END AS scale2
 FROM (SELECT s8.*, CASE WHEN y0 >= '7.029552803973744e+159'::double precision THEN y0 * '7.458340731200207e-155'::double precision ELSE y0 END AS y1, CASE WHEN y0 >= '7.029552803973744e+159'::double precision THEN scale0 * '7.458340731200207e-155'::double precision ELSE scale0 END AS scale1
 FROM (SELECT s7.*, CASE WHEN longest <= '1.7976931348623157e+308'::double precision THEN longest ELSE '0e+00'::double precision END AS y0, '8.589934592e+09'::double precision AS scale0
 FROM (SELECT s6.*, CASE WHEN l1 IS NOT NULL AND l2 IS NOT NULL AND e4 IS NOT NULL THEN GREATEST(abs(l1), abs(l2), abs(e4)) END AS longest
 FROM (SELECT s5.*, CAST(l3 AS double precision) AS e4
 FROM (SELECT s3.*, (CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END) AS cell
 FROM (SELECT * FROM (SELECT * FROM (SELECT CAST("zone" AS text) COLLATE "C" AS l0, NULLIF(CAST("lat" AS double precision), 'NaN'::double precision) AS l1, NULLIF(CAST("lon" AS double precision), 'NaN'::double precision) AS l2, CAST("age" AS bigint) AS l3, CAST("cab" AS text) COLLATE "C" AS l4, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l5
 FROM "city"."trips" AS input) AS s1
 WHERE l1 IS NOT NULL AND l2 IS NOT NULL AND l3 IS NOT NULL AND l4 IS NOT NULL AND l5 IS NOT NULL) AS s2
 WHERE CASE WHEN l0 = 'north' THEN 0 WHEN l0 = 'south' THEN 1 END IS NOT NULL) AS s3) AS s5 OFFSET 0) AS s6 OFFSET 0) AS s7 OFFSET 0) AS s8 OFFSET 0) AS s9 OFFSET 0) AS s10 OFFSET 0) AS s11 OFFSET 0) AS s12 OFFSET 0) AS s13 OFFSET 0) AS s14 OFFSET 0) AS s15 OFFSET 0) AS s16 OFFSET 0) AS s17 OFFSET 0) AS s18 OFFSET 0) AS s19 OFFSET 0) AS s20 OFFSET 0) AS s21 OFFSET 0) AS s22 OFFSET 0) AS s23 OFFSET 0) AS z),
overactive AS (SELECT l4, l5, '\x647072656C656173652F626F756E643172'::bytea || int4send(octet_length(convert_to(l4, 'UTF8'))) || convert_to(l4, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l5 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l5 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l5 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l5 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l5 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l5 AS text) END, 'UTF8') || '\x00000000'::bytea AS ur FROM coded AS a GROUP BY l4, l5 HAVING COUNT(*) > 5),
kept AS (SELECT cell, v0, v1, v2 FROM coded AS c WHERE NOT EXISTS (SELECT 1 FROM overactive AS o WHERE o.l4 = c.l4 AND o.l5 = c.l5)
 UNION ALL SELECT cell, v0, v1, v2 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l4, l5 ORDER BY d) AS r
 FROM (SELECT s2.*, sha256(ur || int4send(CAST(cell AS int)) || int8send(v0) || int8send(v1) || int8send(v2) || int8send(occurrence)) AS d
 FROM (SELECT s.*, o.ur FROM (SELECT s1.*, ROW_NUMBER() OVER (PARTITION BY l4, l5, cell, v0, v1, v2 ORDER BY v2) - 1 AS occurrence
 FROM (SELECT s.* FROM coded AS s JOIN overactive AS o ON o.l4 = s.l4 AND o.l5 = s.l5) AS s1) AS s JOIN overactive AS o ON o.l4 = s.l4 AND o.l5 = s.l5) AS s2) AS s3) AS s4
 WHERE r <= 5) AS b)
SELECT 0 AS t, cell, COUNT(*) AS n, CAST(SUM(v0) AS text) AS sum0, CAST(SUM(v1) AS text) AS sum1, CAST(SUM(v2) AS text) AS sum2
FROM kept AS x
GROUP BY cell;
-- texts
WITH coded AS (SELECT l1, l2, cell, v0
 FROM (SELECT s54.*, CASE WHEN e23 <= '0e+00'::double precision THEN 0 WHEN e23 >= '1e+01'::double precision THEN 687194767360 ELSE CAST(((e23 * '6.8719476736e+10'::double precision) + '6.755399441055744e+15'::double precision) - '6.755399441055744e+15'::double precision AS BIGINT) END AS v0
 FROM (SELECT * FROM (SELECT s52.*, (CASE WHEN e49 IS NOT NULL THEN CASE WHEN e49 < 2 THEN CASE WHEN e49 < 0 THEN NULL ELSE 0 END ELSE CASE WHEN e49 < 10 THEN 1 ELSE CASE WHEN e49 <= 10 THEN 1 ELSE NULL END END END WHEN e48 IS NOT NULL THEN CASE WHEN e48 < '1.5e+00'::double precision THEN CASE WHEN e48 < '0e+00'::double precision THEN CASE WHEN e48 < '-1.7976931348623157e+308'::double precision THEN 0 ELSE NULL END ELSE 0 END ELSE CASE WHEN e48 < '1e+01'::double precision THEN 1 ELSE CASE WHEN e48 = '1e+01'::double precision OR e48 > '1.7976931348623157e+308'::double precision THEN 1 ELSE NULL END END END ELSE 2 END) AS cell
 FROM (SELECT * FROM (SELECT s50.*, CASE WHEN e32 = 1 THEN -e46 ELSE e46 END AS e48, CASE WHEN e28 = 1 AND (length(e34) < 19 OR length(e34) = 19 AND e34 <= CASE WHEN e32 = 1 THEN '9223372036854775808' ELSE '9223372036854775807' END) THEN CASE WHEN e34 = '' THEN 0 ELSE CAST(CASE WHEN e32 = 1 THEN '-' ELSE '' END || e34 AS bigint) END END AS e49
 FROM (SELECT s47.*, CASE WHEN e28 = 3 THEN CAST('Infinity' AS double precision) WHEN e44 = '' THEN '0e+00'::double precision WHEN e42 > 309 OR e42 = 309 AND e44 >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792' THEN CAST('Infinity' AS double precision) WHEN e42 < -323 OR e42 = -323 AND e44 <= '24703282292062327208828439643411068618252990130716238221279284125033775363510437593264991818081799618989828234772285886546332835517796989819938739800539093906315035659515570226392290858392449105184435931802849936536152500319370457678249219365623669863658480757001585769269903706311928279558551332927834338409351978015531246597263579574622766465272827220056374006485499977096599470454020828166226237857393450736339007967761930577506740176324673600968951340535537458516661134223766678604162159680461914467291840300530057530849048765391711386591646239524912623653881879636239373280423891018672348497668235089863388587925628302755995657524455507255189313690836254779186948667994968324049705821028513185451396213837722826145437693412532098591327667236328125' THEN '0e+00'::double precision WHEN e28 IS NOT NULL THEN CAST('0.' || e44 || 'e' || e42 AS double precision) END AS e46
 FROM (SELECT s45.*, CASE WHEN ltrim(substr(e38, 801), '0') <> '' THEN substr(e38, 1, 800) || '1' ELSE rtrim(substr(e38, 1, 800), '0') END AS e44
 FROM (SELECT s43.*, e39 + e40 AS e42
 FROM (SELECT s41.*, CASE WHEN e34 <> '' THEN e34 || e35 ELSE ltrim(e35, '0') END AS e38, CASE WHEN e34 <> '' THEN length(e34) ELSE length(ltrim(e35, '0')) - length(e35) END AS e39, CASE WHEN e36 = '' THEN 0 WHEN length(e36) > 9 THEN 1000000000 ELSE CAST(e36 AS bigint) END * CASE WHEN substr(e31, 1, 1) = '-' THEN -1 ELSE 1 END AS e40
 FROM (SELECT s37.*, ltrim(split_part(e30, '.', 1), '0') AS e34, split_part(e30, '.', 2) AS e35, ltrim(e31, '+-0') AS e36
 FROM (SELECT s33.*, CASE WHEN e28 = 3 THEN '' WHEN e28 IS NOT NULL THEN ltrim(split_part(translate(e26, 'E', 'e'), 'e', 1), '+-') END AS e30, CASE WHEN e28 = 3 THEN '' WHEN e28 IS NOT NULL THEN split_part(translate(e26, 'E', 'e'), 'e', 2) END AS e31, CASE WHEN substr(e26, 1, 1) = '-' THEN 1 ELSE 0 END AS e32
 FROM (SELECT s29.*, CASE WHEN e26 ~ '^([+-]?[0-9]+)$' THEN 1 WHEN e26 ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?)$' THEN 2 WHEN e26 ~ '^([+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?)$' THEN 3 END AS e28
 FROM (SELECT s27.*, CASE WHEN octet_length(l0) <= 1048576 THEN l0 END COLLATE "C" AS e26
 FROM (SELECT s25.*, CASE WHEN e7 = 1 THEN -e21 ELSE e21 END AS e23, CASE WHEN e3 = 1 AND (length(e9) < 19 OR length(e9) = 19 AND e9 <= CASE WHEN e7 = 1 THEN '9223372036854775808' ELSE '9223372036854775807' END) THEN CASE WHEN e9 = '' THEN 0 ELSE CAST(CASE WHEN e7 = 1 THEN '-' ELSE '' END || e9 AS bigint) END END AS e24
 FROM (SELECT s22.*, CASE WHEN e3 = 3 THEN CAST('Infinity' AS double precision) WHEN e19 = '' THEN '0e+00'::double precision WHEN e17 > 309 OR e17 = 309 AND e19 >= '179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792' THEN CAST('Infinity' AS double precision) WHEN e17 < -323 OR e17 = -323 AND e19 <= '24703282292062327208828439643411068618252990130716238221279284125033775363510437593264991818081799618989828234772285886546332835517796989819938739800539093906315035659515570226392290858392449105184435931802849936536152500319370457678249219365623669863658480757001585769269903706311928279558551332927834338409351978015531246597263579574622766465272827220056374006485499977096599470454020828166226237857393450736339007967761930577506740176324673600968951340535537458516661134223766678604162159680461914467291840300530057530849048765391711386591646239524912623653881879636239373280423891018672348497668235089863388587925628302755995657524455507255189313690836254779186948667994968324049705821028513185451396213837722826145437693412532098591327667236328125' THEN '0e+00'::double precision WHEN e3 IS NOT NULL THEN CAST('0.' || e19 || 'e' || e17 AS double precision) END AS e21
 FROM (SELECT s20.*, CASE WHEN ltrim(substr(e13, 801), '0') <> '' THEN substr(e13, 1, 800) || '1' ELSE rtrim(substr(e13, 1, 800), '0') END AS e19
 FROM (SELECT s18.*, e14 + e15 AS e17
 FROM (SELECT s16.*, CASE WHEN e9 <> '' THEN e9 || e10 ELSE ltrim(e10, '0') END AS e13, CASE WHEN e9 <> '' THEN length(e9) ELSE length(ltrim(e10, '0')) - length(e10) END AS e14, CASE WHEN e11 = '' THEN 0 WHEN length(e11) > 9 THEN 1000000000 ELSE CAST(e11 AS bigint) END * CASE WHEN substr(e6, 1, 1) = '-' THEN -1 ELSE 1 END AS e15
 FROM (SELECT s12.*, ltrim(split_part(e5, '.', 1), '0') AS e9, split_part(e5, '.', 2) AS e10, ltrim(e6, '+-0') AS e11
 FROM (SELECT s8.*, CASE WHEN e3 = 3 THEN '' WHEN e3 IS NOT NULL THEN ltrim(split_part(translate(e1, 'E', 'e'), 'e', 1), '+-') END AS e5, CASE WHEN e3 = 3 THEN '' WHEN e3 IS NOT NULL THEN split_part(translate(e1, 'E', 'e'), 'e', 2) END AS e6, CASE WHEN substr(e1, 1, 1) = '-' THEN 1 ELSE 0 END AS e7
 FROM (SELECT s4.*, CASE WHEN e1 ~ '^([+-]?[0-9]+)$' THEN 1 WHEN e1 ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?)$' THEN 2 WHEN e1 ~ '^([+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?)$' THEN 3 END AS e3
 FROM (SELECT s2.*, CASE WHEN octet_length(l1) <= 1048576 THEN l1 END COLLATE "C" AS e1
 FROM (SELECT CAST("zone" AS text) COLLATE "C" AS l0, CAST("cab" AS text) COLLATE "C" AS l1, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l2
 FROM "city"."trips" AS input) AS s2 OFFSET 0) AS s4 OFFSET 0) AS s8 OFFSET 0) AS s12 OFFSET 0) AS s16 OFFSET 0) AS s18 OFFSET 0) AS s20 OFFSET 0) AS s22 OFFSET 0) AS s25 OFFSET 0) AS s27 OFFSET 0) AS s29 OFFSET 0) AS s33 OFFSET 0) AS s37 OFFSET 0) AS s41 OFFSET 0) AS s43 OFFSET 0) AS s45 OFFSET 0) AS s47 OFFSET 0) AS s50 OFFSET 0) AS s51
 WHERE e23 IS NOT NULL AND l1 IS NOT NULL AND l2 IS NOT NULL) AS s52) AS s53
 WHERE cell IS NOT NULL) AS s54) AS z),
overactive AS (SELECT l1, l2, '\x647072656C656173652F626F756E643172'::bytea || int4send(octet_length(convert_to(l1, 'UTF8'))) || convert_to(l1, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l2 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l2 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l2 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l2 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l2 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l2 AS text) END, 'UTF8') || '\x00000000'::bytea AS ur FROM coded AS a GROUP BY l1, l2 HAVING COUNT(*) > 5),
kept AS (SELECT cell, v0 FROM coded AS c WHERE NOT EXISTS (SELECT 1 FROM overactive AS o WHERE o.l1 = c.l1 AND o.l2 = c.l2)
 UNION ALL SELECT cell, v0 FROM (SELECT * FROM (SELECT s3.*, ROW_NUMBER() OVER (PARTITION BY l1, l2 ORDER BY d) AS r
 FROM (SELECT s2.*, sha256(ur || int4send(CAST(cell AS int)) || int8send(v0) || int8send(occurrence)) AS d
 FROM (SELECT s.*, o.ur FROM (SELECT s1.*, ROW_NUMBER() OVER (PARTITION BY l1, l2, cell, v0 ORDER BY v0) - 1 AS occurrence
 FROM (SELECT s.* FROM coded AS s JOIN overactive AS o ON o.l1 = s.l1 AND o.l2 = s.l2) AS s1) AS s JOIN overactive AS o ON o.l1 = s.l1 AND o.l2 = s.l2) AS s2) AS s3) AS s4
 WHERE r <= 5) AS b)
SELECT 0 AS t, cell, COUNT(*) AS n, CAST(SUM(v0) AS text) AS sum0
FROM kept AS x
GROUP BY cell;
-- points
WITH coded AS (SELECT l2, l3, cell
 FROM (SELECT * FROM (SELECT s50.*, (CASE WHEN l0 >= '-9e+01'::double precision AND l0 <= '9e+01'::double precision AND l1 >= '-1.8e+02'::double precision AND l1 <= '1.8e+02'::double precision AND (l0 <> '0e+00'::double precision OR l1 <> '0e+00'::double precision) THEN COALESCE(CASE WHEN e48 <= '2.4999999987168354e+05'::double precision THEN CASE WHEN e48 = e48 THEN CASE WHEN (((e40 - '6.281872829603454e+06'::double precision) * (e40 - '6.281872829603454e+06'::double precision) + (e42 - '0e+00'::double precision) * (e42 - '0e+00'::double precision)) + (e44 - '1.1002485477353614e+06'::double precision) * (e44 - '1.1002485477353614e+06'::double precision)) = e48 THEN 0 WHEN (((e40 - '3.144971823145891e+06'::double precision) * (e40 - '3.144971823145891e+06'::double precision) + (e42 - '3.7480314688416775e+06'::double precision) * (e42 - '3.7480314688416775e+06'::double precision)) + (e44 - '4.077985572200376e+06'::double precision) * (e44 - '4.077985572200376e+06'::double precision)) = e48 THEN 1 WHEN (((e40 - '1.406372783847151e+06'::double precision) * (e40 - '1.406372783847151e+06'::double precision) + (e42 - '1.6760498176765624e+06'::double precision) * (e42 - '1.6760498176765624e+06'::double precision)) + (e44 - '5.971040007118565e+06'::double precision) * (e44 - '5.971040007118565e+06'::double precision)) = e48 THEN 2 END END END, 3) ELSE NULL END) AS cell
 FROM (SELECT s49.*, CASE WHEN e40 + e46 >= '1.406372783847151e+06'::double precision AND e40 - e46 <= '6.281872829603454e+06'::double precision AND e42 + e46 >= '0e+00'::double precision AND e42 - e46 <= '3.7480314688416775e+06'::double precision AND e44 + e46 >= '1.1002485477353614e+06'::double precision AND e44 - e46 <= '5.971040007118565e+06'::double precision THEN LEAST((((e40 - '6.281872829603454e+06'::double precision) * (e40 - '6.281872829603454e+06'::double precision) + (e42 - '0e+00'::double precision) * (e42 - '0e+00'::double precision)) + (e44 - '1.1002485477353614e+06'::double precision) * (e44 - '1.1002485477353614e+06'::double precision)), (((e40 - '3.144971823145891e+06'::double precision) * (e40 - '3.144971823145891e+06'::double precision) + (e42 - '3.7480314688416775e+06'::double precision) * (e42 - '3.7480314688416775e+06'::double precision)) + (e44 - '4.077985572200376e+06'::double precision) * (e44 - '4.077985572200376e+06'::double precision)), (((e40 - '1.406372783847151e+06'::double precision) * (e40 - '1.406372783847151e+06'::double precision) + (e42 - '1.6760498176765624e+06'::double precision) * (e42 - '1.6760498176765624e+06'::double precision)) + (e44 - '5.971040007118565e+06'::double precision) * (e44 - '5.971040007118565e+06'::double precision))) END AS e48
 FROM (SELECT s47.*, sqrt('2.4999999987168354e+05'::double precision) * '1.001e+00'::double precision + '1e-02'::double precision AS e46
 FROM (SELECT s45.*, (e38 * '9.933056200098587e-01'::double precision) * e20 AS e44
 FROM (SELECT s43.*, (e38 * e16) * e36 AS e42
 FROM (SELECT s41.*, (e38 * e16) * e32 AS e40
 FROM (SELECT s39.*, '6.378137e+06'::double precision / sqrt('1e+00'::double precision - ('6.694379990141317e-03'::double precision * e20) * e20) AS e38
 FROM (SELECT s37.*, CASE WHEN e4 < '0e+00'::double precision THEN -e34 ELSE e34 END AS e36
 FROM (SELECT s35.*, CASE WHEN e22 = '2e+00'::double precision THEN e28 WHEN e22 = '4e+00'::double precision THEN -e30 ELSE e30 END AS e34
 FROM (SELECT s33.*, CASE WHEN e22 = '2e+00'::double precision THEN -e30 WHEN e22 = '4e+00'::double precision THEN -e28 ELSE e28 END AS e32
 FROM (SELECT s31.*, e24 + (e24 * e26) * ((((('1.5896230157654656e-10'::double precision * e26 + '-2.5050747762857807e-08'::double precision) * e26 + '2.7557313621385722e-06'::double precision) * e26 + '-1.984126982958954e-04'::double precision) * e26 + '8.333333333322118e-03'::double precision) * e26 + '-1.666666666666663e-01'::double precision) AS e30
 FROM (SELECT s29.*, ('1e+00'::double precision - '5e-01'::double precision * e26) + (e26 * e26) * ((((('-1.1358536521387682e-11'::double precision * e26 + '2.087570084197473e-09'::double precision) * e26 + '-2.755731417929674e-07'::double precision) * e26 + '2.4801587288851704e-05'::double precision) * e26 + '-1.3888888888873056e-03'::double precision) * e26 + '4.1666666666666595e-02'::double precision) AS e28
 FROM (SELECT s27.*, e24 * e24 AS e26
 FROM (SELECT s25.*, (((abs(e4) - e22 * '7.853981256484985e-01'::double precision) - e22 * '3.774894707930798e-08'::double precision) - e22 * '2.6951514290790595e-15'::double precision) AS e24
 FROM (SELECT s23.*, CASE WHEN abs(e4) * '1.2732395447351628e+00'::double precision >= '3e+00'::double precision THEN '4e+00'::double precision WHEN abs(e4) * '1.2732395447351628e+00'::double precision >= '1e+00'::double precision THEN '2e+00'::double precision ELSE '0e+00'::double precision END AS e22
 FROM (SELECT s21.*, CASE WHEN e2 < '0e+00'::double precision THEN -e18 ELSE e18 END AS e20
 FROM (SELECT s19.*, CASE WHEN e6 = '2e+00'::double precision THEN e12 WHEN e6 = '4e+00'::double precision THEN -e14 ELSE e14 END AS e18
 FROM (SELECT s17.*, CASE WHEN e6 = '2e+00'::double precision THEN -e14 WHEN e6 = '4e+00'::double precision THEN -e12 ELSE e12 END AS e16
 FROM (SELECT s15.*, e8 + (e8 * e10) * ((((('1.5896230157654656e-10'::double precision * e10 + '-2.5050747762857807e-08'::double precision) * e10 + '2.7557313621385722e-06'::double precision) * e10 + '-1.984126982958954e-04'::double precision) * e10 + '8.333333333322118e-03'::double precision) * e10 + '-1.666666666666663e-01'::double precision) AS e14
 FROM (SELECT s13.*, ('1e+00'::double precision - '5e-01'::double precision * e10) + (e10 * e10) * ((((('-1.1358536521387682e-11'::double precision * e10 + '2.087570084197473e-09'::double precision) * e10 + '-2.755731417929674e-07'::double precision) * e10 + '2.4801587288851704e-05'::double precision) * e10 + '-1.3888888888873056e-03'::double precision) * e10 + '4.1666666666666595e-02'::double precision) AS e12
 FROM (SELECT s11.*, e8 * e8 AS e10
 FROM (SELECT s9.*, (((abs(e2) - e6 * '7.853981256484985e-01'::double precision) - e6 * '3.774894707930798e-08'::double precision) - e6 * '2.6951514290790595e-15'::double precision) AS e8
 FROM (SELECT s7.*, CASE WHEN abs(e2) * '1.2732395447351628e+00'::double precision >= '3e+00'::double precision THEN '4e+00'::double precision WHEN abs(e2) * '1.2732395447351628e+00'::double precision >= '1e+00'::double precision THEN '2e+00'::double precision ELSE '0e+00'::double precision END AS e6
 FROM (SELECT s5.*, CASE WHEN l0 >= '-9e+01'::double precision AND l0 <= '9e+01'::double precision AND l1 >= '-1.8e+02'::double precision AND l1 <= '1.8e+02'::double precision AND (l0 <> '0e+00'::double precision OR l1 <> '0e+00'::double precision) AND abs(l1) >= '7.888609052210118e-31'::double precision THEN l1 * '1.7453292519943295e-02'::double precision ELSE '0e+00'::double precision END AS e4
 FROM (SELECT s3.*, CASE WHEN l0 >= '-9e+01'::double precision AND l0 <= '9e+01'::double precision AND l1 >= '-1.8e+02'::double precision AND l1 <= '1.8e+02'::double precision AND (l0 <> '0e+00'::double precision OR l1 <> '0e+00'::double precision) AND abs(l0) >= '7.888609052210118e-31'::double precision THEN l0 * '1.7453292519943295e-02'::double precision ELSE '0e+00'::double precision END AS e2
 FROM (SELECT * FROM (SELECT NULLIF(CAST("lat" AS double precision), 'NaN'::double precision) AS l0, NULLIF(CAST("lon" AS double precision), 'NaN'::double precision) AS l1, CAST("cab" AS text) COLLATE "C" AS l2, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l3
 FROM "city"."trips" AS input) AS s1
 WHERE l2 IS NOT NULL AND l3 IS NOT NULL) AS s3 OFFSET 0) AS s5 OFFSET 0) AS s7 OFFSET 0) AS s9 OFFSET 0) AS s11 OFFSET 0) AS s13 OFFSET 0) AS s15 OFFSET 0) AS s17 OFFSET 0) AS s19 OFFSET 0) AS s21 OFFSET 0) AS s23 OFFSET 0) AS s25 OFFSET 0) AS s27 OFFSET 0) AS s29 OFFSET 0) AS s31 OFFSET 0) AS s33 OFFSET 0) AS s35 OFFSET 0) AS s37 OFFSET 0) AS s39 OFFSET 0) AS s41 OFFSET 0) AS s43 OFFSET 0) AS s45 OFFSET 0) AS s47 OFFSET 0) AS s49 OFFSET 0) AS s50) AS s51
 WHERE cell IS NOT NULL) AS z),
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
-- keys
WITH coded AS (SELECT l3, l4, k0, k1, k2, n
 FROM (SELECT l3, l4, k0, k1, k2, COUNT(*) AS n FROM (SELECT * FROM (SELECT s5.*, l2 AS k2
 FROM (SELECT s4.*, CASE WHEN l1 < 18 THEN CASE WHEN l1 < 0 THEN NULL ELSE 0 END ELSE CASE WHEN l1 < 65 THEN 1 ELSE CASE WHEN l1 <= 65 THEN 1 ELSE NULL END END END AS k1
 FROM (SELECT s3.*, l0 AS k0
 FROM (SELECT * FROM (SELECT * FROM (SELECT CAST("zone" AS text) COLLATE "C" AS l0, CAST("age" AS bigint) AS l1, CASE WHEN isfinite("t") AND "t" < TIMESTAMPTZ '294240-01-01 00:00:00Z' THEN CAST(extract(epoch FROM "t") * 1000000 AS bigint) END AS l2, CAST("cab" AS text) COLLATE "C" AS l3, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l4
 FROM "city"."trips" AS input) AS s1
 WHERE l0 IS NOT NULL AND l2 IS NOT NULL AND l3 IS NOT NULL AND l4 IS NOT NULL) AS s2
 WHERE l1 >= 0 AND l1 <= 65) AS s3) AS s4) AS s5) AS s6
 WHERE octet_length(k0) <= 1024 AND k1 IS NOT NULL) AS g GROUP BY l3, l4, k0, k1, k2) AS z),
overactive AS (SELECT l3, l4, '\x647072656C656173652F626F756E643163'::bytea || int4send(octet_length(convert_to(l3, 'UTF8'))) || convert_to(l3, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l4 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l4 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l4 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l4 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l4 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l4 AS text) END, 'UTF8') || '\x00000000'::bytea AS uc FROM coded AS a GROUP BY l3, l4 HAVING COUNT(*) > 3),
kept AS (SELECT k0, k1, k2, n FROM coded AS c WHERE NOT EXISTS (SELECT 1 FROM overactive AS o WHERE o.l3 = c.l3 AND o.l4 = c.l4)
 UNION ALL SELECT k0, k1, k2, n FROM (SELECT * FROM (SELECT s2.*, ROW_NUMBER() OVER (PARTITION BY l3, l4 ORDER BY d) AS r
 FROM (SELECT s1.*, sha256(uc || '\x00000000'::bytea || sha256('\x05'::bytea || convert_to(k0, 'UTF8') || '\x0000'::bytea || int4send(CAST(k1 AS int)) || '\x070100000000000003E8'::bytea || int8send((k2 # (-9223372036854775807 - 1))))) AS d
 FROM (SELECT s.*, o.uc FROM coded AS s JOIN overactive AS o ON o.l3 = s.l3 AND o.l4 = s.l4) AS s1) AS s2) AS s3
 WHERE r <= 3) AS b)
SELECT 0 AS t, 0 AS cell, CAST(SUM(CASE WHEN n > 1 THEN 1 ELSE n END) AS BIGINT) AS n, k0, k1, k2
FROM kept AS x
GROUP BY k0, k1, k2
HAVING CAST(SUM(CASE WHEN n > 1 THEN 1 ELSE n END) AS BIGINT) >= 5;
-- by_keys
SELECT f.*
FROM (WITH coded AS (SELECT l5, l6, k0, k1, k2, cell, v0
 FROM (SELECT s9.*, CASE WHEN l4 <= '0e+00'::double precision THEN 0 WHEN l4 >= '1e+02'::double precision THEN 858993459200 ELSE CAST(((l4 * '8.589934592e+09'::double precision) + '6.755399441055744e+15'::double precision) - '6.755399441055744e+15'::double precision AS BIGINT) END AS v0
 FROM (SELECT s8.*, (CASE WHEN l3 = 1 THEN 0 END) AS cell
 FROM (SELECT * FROM (SELECT s6.*, l2 AS k2
 FROM (SELECT s5.*, CASE WHEN l1 < 18 THEN CASE WHEN l1 < 0 THEN NULL ELSE 0 END ELSE CASE WHEN l1 < 65 THEN 1 ELSE CASE WHEN l1 <= 65 THEN 1 ELSE NULL END END END AS k1
 FROM (SELECT s4.*, l0 AS k0
 FROM (SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT CAST("zone" AS text) COLLATE "C" AS l0, CAST("age" AS bigint) AS l1, CASE WHEN isfinite("t") AND "t" < TIMESTAMPTZ '294240-01-01 00:00:00Z' THEN CAST(extract(epoch FROM "t") * 1000000 AS bigint) END AS l2, CAST(CAST("shared" AS int) AS bigint) AS l3, NULLIF(CAST("fare" AS double precision), 'NaN'::double precision) AS l4, CAST("cab" AS text) COLLATE "C" AS l5, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l6
 FROM "city"."trips" AS input) AS s1
 WHERE l0 IS NOT NULL AND l2 IS NOT NULL AND l4 IS NOT NULL AND l5 IS NOT NULL AND l6 IS NOT NULL) AS s2
 WHERE l1 >= 0 AND l1 <= 65) AS s3
 WHERE CASE WHEN l3 = 1 THEN 0 END IS NOT NULL) AS s4) AS s5) AS s6) AS s7
 WHERE octet_length(k0) <= 1024 AND k1 IS NOT NULL) AS s8) AS s9) AS z),
overactive AS (SELECT l5, l6, '\x647072656C656173652F626F756E643163'::bytea || int4send(octet_length(convert_to(l5, 'UTF8'))) || convert_to(l5, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l6 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l6 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l6 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l6 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l6 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l6 AS text) END, 'UTF8') || '\x00000000'::bytea AS uc, '\x647072656C656173652F626F756E643172'::bytea || int4send(octet_length(convert_to(l5, 'UTF8'))) || convert_to(l5, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l6 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l6 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l6 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l6 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l6 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l6 AS text) END, 'UTF8') || '\x00000000'::bytea AS ur FROM coded AS a GROUP BY l5, l6 HAVING COUNT(*) > 2),
kept AS (SELECT k0, k1, k2, cell, v0 FROM coded AS c WHERE NOT EXISTS (SELECT 1 FROM overactive AS o WHERE o.l5 = c.l5 AND o.l6 = c.l6)
 UNION ALL SELECT k0, k1, k2, cell, v0 FROM (SELECT * FROM (SELECT s6.*, ROW_NUMBER() OVER (PARTITION BY l5, l6, k0, k1, k2, cell ORDER BY d) AS rc
 FROM (SELECT s5.*, sha256(ur || int4send(CAST(cell AS int)) || sha256('\x05'::bytea || convert_to(k0, 'UTF8') || '\x0000'::bytea || int4send(CAST(k1 AS int)) || '\x070100000000000003E8'::bytea || int8send((k2 # (-9223372036854775807 - 1)))) || int8send(v0) || int8send(occurrence)) AS d
 FROM (SELECT s.*, o.ur FROM (SELECT s4.*, ROW_NUMBER() OVER (PARTITION BY l5, l6, k0, k1, k2, cell, v0 ORDER BY v0) - 1 AS occurrence
 FROM (SELECT * FROM (SELECT s2.*, DENSE_RANK() OVER (PARTITION BY l5, l6 ORDER BY cd) AS cr
 FROM (SELECT s1.*, sha256(uc || int4send(CAST(cell AS int)) || sha256('\x05'::bytea || convert_to(k0, 'UTF8') || '\x0000'::bytea || int4send(CAST(k1 AS int)) || '\x070100000000000003E8'::bytea || int8send((k2 # (-9223372036854775807 - 1))))) AS cd
 FROM (SELECT s.*, o.uc FROM coded AS s JOIN overactive AS o ON o.l5 = s.l5 AND o.l6 = s.l6) AS s1) AS s2) AS s3
 WHERE cr <= 2) AS s4) AS s JOIN overactive AS o ON o.l5 = s.l5 AND o.l6 = s.l6) AS s5) AS s6) AS s7
 WHERE rc <= 2) AS b)
SELECT 0 AS t, cell AS cell, COUNT(*) AS n, CAST(SUM(v0 - 429496729600) AS text) AS sum0, k0, k1, k2
FROM kept AS x
GROUP BY k0, k1, k2, cell) AS f JOIN (WITH coded AS (SELECT l3, l4, k0, k1, k2, n
 FROM (SELECT l3, l4, k0, k1, k2, COUNT(*) AS n FROM (SELECT * FROM (SELECT s5.*, l2 AS k2
 FROM (SELECT s4.*, CASE WHEN l1 < 18 THEN CASE WHEN l1 < 0 THEN NULL ELSE 0 END ELSE CASE WHEN l1 < 65 THEN 1 ELSE CASE WHEN l1 <= 65 THEN 1 ELSE NULL END END END AS k1
 FROM (SELECT s3.*, l0 AS k0
 FROM (SELECT * FROM (SELECT * FROM (SELECT CAST("zone" AS text) COLLATE "C" AS l0, CAST("age" AS bigint) AS l1, CASE WHEN isfinite("t") AND "t" < TIMESTAMPTZ '294240-01-01 00:00:00Z' THEN CAST(extract(epoch FROM "t") * 1000000 AS bigint) END AS l2, CAST("cab" AS text) COLLATE "C" AS l3, CASE WHEN isfinite("day") THEN CAST("day" - DATE '1970-01-01' AS bigint) END AS l4
 FROM "city"."trips" AS input) AS s1
 WHERE l0 IS NOT NULL AND l2 IS NOT NULL AND l3 IS NOT NULL AND l4 IS NOT NULL) AS s2
 WHERE l1 >= 0 AND l1 <= 65) AS s3) AS s4) AS s5) AS s6
 WHERE octet_length(k0) <= 1024 AND k1 IS NOT NULL) AS g GROUP BY l3, l4, k0, k1, k2) AS z),
overactive AS (SELECT l3, l4, '\x647072656C656173652F626F756E643163'::bytea || int4send(octet_length(convert_to(l3, 'UTF8'))) || convert_to(l3, 'UTF8') || int4send(octet_length(convert_to(CASE WHEN l4 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l4 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l4 AS text) END, 'UTF8'))) || convert_to(CASE WHEN l4 BETWEEN -719162 AND 2932896 THEN to_char(DATE '1970-01-01' + CAST(l4 AS int), 'YYYY-MM-DD') ELSE 'day ' || CAST(l4 AS text) END, 'UTF8') || '\x00000000'::bytea AS uc FROM coded AS a GROUP BY l3, l4 HAVING COUNT(*) > 3),
kept AS (SELECT k0, k1, k2, n FROM coded AS c WHERE NOT EXISTS (SELECT 1 FROM overactive AS o WHERE o.l3 = c.l3 AND o.l4 = c.l4)
 UNION ALL SELECT k0, k1, k2, n FROM (SELECT * FROM (SELECT s2.*, ROW_NUMBER() OVER (PARTITION BY l3, l4 ORDER BY d) AS r
 FROM (SELECT s1.*, sha256(uc || '\x00000000'::bytea || sha256('\x05'::bytea || convert_to(k0, 'UTF8') || '\x0000'::bytea || int4send(CAST(k1 AS int)) || '\x070100000000000003E8'::bytea || int8send((k2 # (-9223372036854775807 - 1))))) AS d
 FROM (SELECT s.*, o.uc FROM coded AS s JOIN overactive AS o ON o.l3 = s.l3 AND o.l4 = s.l4) AS s1) AS s2) AS s3
 WHERE r <= 3) AS b)
SELECT 0 AS t, 0 AS cell, CAST(SUM(CASE WHEN n > 1 THEN 1 ELSE n END) AS BIGINT) AS n, k0, k1, k2
FROM kept AS x
GROUP BY k0, k1, k2
HAVING CAST(SUM(CASE WHEN n > 1 THEN 1 ELSE n END) AS BIGINT) >= 5) AS g ON f.k0 = g.k0 AND f.k1 = g.k1 AND f.k2 = g.k2;
