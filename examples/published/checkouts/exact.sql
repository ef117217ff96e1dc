-- age_by_education
SELECT education, avg(least(greatest(age, 10), 90)) AS exact FROM members GROUP BY ALL
-- loans_by_genre_and_age
SELECT genre, CASE WHEN age IS NULL THEN 'null' WHEN age < 18 THEN '10' WHEN age < 30 THEN '18' WHEN age < 50 THEN '30' ELSE '50' END
  AS age_from, count(*) AS exact
FROM checkouts LEFT JOIN members ON member = id GROUP BY ALL
-- borrowers_by_genre
SELECT genre, count(DISTINCT member) AS exact FROM checkouts GROUP BY ALL
-- members_by_loans
SELECT CASE WHEN loans < 5 THEN 1 WHEN loans < 10 THEN 5 WHEN loans < 12 THEN 10 ELSE 12 END AS loans_from, any_crime, count(*) AS exact
FROM (SELECT count(*) AS loans, bool_or(genre = 'crime') AS any_crime FROM checkouts GROUP BY member) GROUP BY ALL
-- genres_of_a_member
SELECT avg(genres) AS exact FROM (SELECT count(DISTINCT genre) AS genres FROM checkouts GROUP BY member)
