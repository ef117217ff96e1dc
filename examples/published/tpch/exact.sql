-- pricing
SELECT l_returnflag, sum(l_quantity) AS exact FROM lineitem JOIN orders ON l_orderkey = o_orderkey GROUP BY ALL
-- revenue_by_region
SELECT region, sum(l_extendedprice * (100 - l_discount) // 100) AS exact
FROM lineitem JOIN orders ON l_orderkey = o_orderkey JOIN customer ON o_custkey = c_custkey JOIN nation ON c_nation = nation
GROUP BY ALL
-- orders_by_priority
SELECT o_orderpriority, region, count(*) AS exact
FROM orders JOIN customer ON o_custkey = c_custkey JOIN nation ON c_nation = nation GROUP BY ALL
-- late_items
SELECT o_orderpriority, l_shipdate - o_orderdate > 60 AS late, count(*) AS exact
FROM lineitem JOIN orders ON l_orderkey = o_orderkey GROUP BY ALL
-- days_to_ship
SELECT coalesce(c_mktsegment, 'null') AS c_mktsegment, avg(l_shipdate - o_orderdate) AS exact
FROM lineitem JOIN orders ON l_orderkey = o_orderkey LEFT JOIN customer ON o_custkey = c_custkey GROUP BY ALL
-- customers_by_orders
SELECT 1 + (n - 1) // 5 * 5 AS orders_from, count(*) AS exact
FROM (SELECT count(*) AS n FROM orders GROUP BY o_custkey) GROUP BY ALL
