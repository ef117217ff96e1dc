-- calls_by_hour
SELECT district, hour(start) AS start, count(*) AS exact FROM calls JOIN cells USING (cell) GROUP BY ALL
-- phones_by_home
SELECT coalesce(home, 'null') AS home, all_at_night, count(*) AS exact
FROM (SELECT arg_max(district, start) FILTER (WHERE district IS NOT NULL) AS home,
    bool_and(hour(start) < 6 OR hour(start) >= 22) AS all_at_night
  FROM calls LEFT JOIN cells USING (cell) GROUP BY phone) GROUP BY ALL
-- phones_by_calls
SELECT CASE WHEN n < 2 THEN 1 WHEN n < 5 THEN 2 WHEN n < 8 THEN 5 ELSE 8 END AS calls_from, count(*) AS exact
FROM (SELECT count(*) AS n FROM calls GROUP BY phone) GROUP BY ALL
-- minutes_of_a_phone
SELECT avg(least(minutes, 400)) AS exact FROM (SELECT sum(least(seconds / 64, 60)) AS minutes FROM calls GROUP BY phone)
