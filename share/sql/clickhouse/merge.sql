-- merge.sql - one profile of all from since until, of the hosts LIKE a
-- pattern: the table that "foldmerge --tsv" makes of the same profiles.
--
-- Sums have 128 bits, since those of 64 would wrap without a word; who reads
-- more than 64 of them says so.
SELECT stack, n
FROM stacks
ANY INNER JOIN
(
    SELECT hash, sum(toUInt128(n)) AS n
    FROM profiles
    WHERE time >= {since:DateTime('UTC')} AND time < {until:DateTime('UTC')}
      AND host LIKE {host:String}
    GROUP BY hash
) AS sums USING (hash)
ORDER BY stack
FORMAT TSVRaw
