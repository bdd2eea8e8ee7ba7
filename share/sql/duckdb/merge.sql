-- merge.sql - one profile of all from since until, of the hosts LIKE a
-- pattern: the table that "foldmerge --tsv" makes of the same profiles.
COPY
(
    SELECT stack, sums.n
    FROM
    (
        SELECT hash, sum(n) AS n
        FROM profiles
        WHERE time >= getvariable('since')::TIMESTAMP
          AND time < getvariable('until')::TIMESTAMP
          AND host LIKE getvariable('host')
        GROUP BY hash
    ) AS sums
    JOIN stacks USING (hash)
    ORDER BY stack
)
TO '/dev/stdout'
(FORMAT csv, DELIMITER '\t', HEADER false, QUOTE '', ESCAPE '');
