-- trips_by_hour
SELECT coalesce(borough, 'null') AS from_borough, hour(pickup) AS pickup, count(*) AS exact
FROM trips LEFT JOIN zones ON PULocationID = LocationID GROUP BY ALL
-- between_boroughs
SELECT coalesce(f.borough, 'null') AS from_borough, coalesce(t.borough, 'null') AS to_borough, count(*) AS exact
FROM trips LEFT JOIN zones f ON PULocationID = f.LocationID LEFT JOIN zones t ON DOLocationID = t.LocationID GROUP BY ALL
-- fare
SELECT coalesce(borough, 'null') AS from_borough, avg(least(fare, 100)) AS exact
FROM trips LEFT JOIN zones ON PULocationID = LocationID GROUP BY ALL
-- cabs_by_borough
SELECT coalesce(borough, 'null') AS from_borough, count(DISTINCT cab) AS exact
FROM trips LEFT JOIN zones ON PULocationID = LocationID GROUP BY ALL
