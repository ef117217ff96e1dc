-- clients
SELECT region, count(*) AS exact FROM clients JOIN districts USING (district) GROUP BY ALL
-- loans
SELECT region, status, role, count(*) AS exact
FROM loans JOIN dispositions USING (account) JOIN clients USING (client) JOIN districts USING (district) GROUP BY ALL
-- amount
SELECT region, sum(least(amount, 600000)) AS exact
FROM loans JOIN dispositions USING (account) JOIN clients USING (client) JOIN districts USING (district) GROUP BY ALL
-- monthly
SELECT CASE WHEN born IS NULL THEN 'null' WHEN year(granted) - year(born) < 30 THEN '0' WHEN year(granted) - year(born) < 45 THEN '30'
  WHEN year(granted) - year(born) < 60 THEN '45' ELSE '60' END AS age_from, avg(least(amount / months, 10000)) AS exact
FROM loans JOIN dispositions USING (account) LEFT JOIN clients USING (client) WHERE months > 0 GROUP BY ALL
