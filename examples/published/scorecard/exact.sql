-- students
SELECT state, field, count(*) AS exact FROM students JOIN colleges USING (college) GROUP BY ALL
-- wages
SELECT field, wage // 5000 * 5000 AS wage_from, count(*) AS exact FROM wages JOIN students ON taxpayer = student GROUP BY ALL
-- mean_wage
SELECT state, field, avg(least(wage, 200000)) AS exact
FROM wages JOIN students ON taxpayer = student JOIN colleges USING (college) GROUP BY ALL
-- working
SELECT years AS years_from, count(*) AS exact FROM (SELECT count(DISTINCT year) AS years FROM wages GROUP BY taxpayer) GROUP BY ALL
-- best_wage
SELECT max // 25000 * 25000 AS best_from, count(*) AS exact FROM (SELECT max(wage) AS max FROM wages GROUP BY taxpayer) GROUP BY ALL
