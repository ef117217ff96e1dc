-- income_by_degree
SELECT degree, avg(least(income, 200000)) AS exact FROM survey JOIN codebook ON educ = code GROUP BY ALL
-- people_by_degree
SELECT degree, age >= 25 AND age < 65 AS working_age, status, count(*) AS exact FROM survey JOIN codebook ON educ = code GROUP BY ALL
-- people_by_schooling
SELECT CASE WHEN years IS NULL THEN 'null' WHEN years < 8 THEN '0' WHEN years < 12 THEN '8' WHEN years < 16 THEN '12' ELSE '16' END
  AS years_from, count(*) AS exact
FROM survey LEFT JOIN codebook ON educ = code GROUP BY ALL
