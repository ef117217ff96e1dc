-- households
SELECT county, count(*) AS exact FROM households GROUP BY ALL
-- persons
SELECT county, count(*) AS exact FROM persons JOIN households ON household = id GROUP BY ALL
-- children
SELECT county, age < 18 AS child, kind, count(*) AS exact FROM persons JOIN households ON household = id GROUP BY ALL
-- by_size
SELECT size AS size_from, any_child, count(*) AS exact
FROM (SELECT count(*) AS size, bool_or(age < 18) AS any_child FROM persons GROUP BY household) GROUP BY ALL
-- oldest
SELECT avg(oldest) AS exact FROM (SELECT least(greatest(max(age), 15), 100) AS oldest FROM persons GROUP BY household)
