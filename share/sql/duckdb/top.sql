-- top.sql - the functions in which most time goes from since until, of the
-- hosts LIKE a pattern: in themselves, and with what they call, where a
-- function that is in a stack twice counts once.  Suffixes, as _[k], are no
-- part of a name.
COPY
(
    WITH sums AS
    (
        SELECT hash, sum(n) AS n
        FROM profiles
        WHERE time >= getvariable('since')::TIMESTAMP
          AND time < getvariable('until')::TIMESTAMP
          AND host LIKE getvariable('host')
        GROUP BY hash
    ),
    split AS
    (
        SELECT sums.n,
               [regexp_replace(frame, '_\[[kjiw01]\]$', '')
                FOR frame IN string_split(stack, ';')] AS frames
        FROM sums
        JOIN stacks USING (hash)
    ),
    functions AS
    (
        SELECT unnest(list_distinct(frames)) AS function,
               frames[-1] AS leaf, n
        FROM split
    )
    SELECT function,
           sum(if(function = leaf, n, 0)) AS self,
           sum(n) AS total
    FROM functions
    GROUP BY function
    ORDER BY self DESC, total DESC, function
    LIMIT getvariable('rows')::UINTEGER
)
TO '/dev/stdout'
(FORMAT csv, DELIMITER '\t', HEADER false, QUOTE '', ESCAPE '');
