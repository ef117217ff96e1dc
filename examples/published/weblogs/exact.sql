-- visitors_by_country
SELECT coalesce(country, 'null') AS of_country, count(DISTINCT visitor) AS exact
FROM hits LEFT JOIN ranges ON list_reduce(string_split(ip, '.')::BIGINT[], lambda a, b: a * 256 + b) BETWEEN first AND last GROUP BY ALL
-- hits_by_class
SELECT coalesce(country, 'null') AS of_country, status // 100 AS class, count(*) AS exact
FROM hits LEFT JOIN ranges ON list_reduce(string_split(ip, '.')::BIGINT[], lambda a, b: a * 256 + b) BETWEEN first AND last GROUP BY ALL
-- bytes
SELECT coalesce(country, 'null') AS of_country, sum(least(bytes, 100000)) AS exact
FROM hits LEFT JOIN ranges ON list_reduce(string_split(ip, '.')::BIGINT[], lambda a, b: a * 256 + b) BETWEEN first AND last GROUP BY ALL
-- pages
SELECT lower(split_part(path, '?', 1)) AS page, count(DISTINCT visitor) AS exact FROM hits GROUP BY ALL
