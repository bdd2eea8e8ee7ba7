-- top.sql - the functions in which most time goes from since until, of the
-- hosts LIKE a pattern: in themselves, and with what they call, where a
-- function that is in a stack twice counts once.  Suffixes, as _[k], are no
-- part of a name.
SELECT function,
       sumIf(n, function = leaf) AS self,
       sum(n) AS total
FROM
(
    SELECT arrayMap(frame -> replaceRegexpOne(frame, '_\\[[kjiw01]\\]$', ''),
                    splitByChar(';', stack)) AS frames,
           frames[-1] AS leaf,
           arrayJoin(arrayDistinct(frames)) AS function,
           n
    FROM stacks
    ANY INNER JOIN
    (
        SELECT hash, sum(toUInt128(n)) AS n
        FROM profiles
        WHERE time >= {since:DateTime('UTC')} AND time < {until:DateTime('UTC')}
          AND host LIKE {host:String}
        GROUP BY hash
    ) AS sums USING (hash)
)
GROUP BY function
ORDER BY self DESC, total DESC, function
LIMIT {rows:UInt32}
FORMAT TSVRaw
