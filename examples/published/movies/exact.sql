-- views
SELECT movie, count(DISTINCT "user") AS exact FROM ratings GROUP BY ALL
-- rating
SELECT coalesce(genre, 'null') AS genre, avg(rating) AS exact FROM ratings r LEFT JOIN movies m ON r.movie = m.movie GROUP BY ALL
-- views_by_age
SELECT coalesce(genre, 'null') AS genre, CASE WHEN m.year IS NULL THEN 'null' WHEN year(day) - m.year < 2 THEN '0'
  WHEN year(day) - m.year < 10 THEN '2' ELSE '10' END AS age_of_movie_from, count(*) AS exact
FROM ratings r LEFT JOIN movies m ON r.movie = m.movie GROUP BY ALL
