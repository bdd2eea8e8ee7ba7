-- diff.sql - since until, the label named has one value before and another
-- after: both as a profile with two counts, for folddiff(1).
COPY
(
    WITH sides AS
    (
        SELECT hash, n, labels[getvariable('label')] AS side
        FROM profiles
        WHERE time >= getvariable('since')::TIMESTAMP
          AND time < getvariable('until')::TIMESTAMP
    ),
    sums AS
    (
        SELECT hash,
               sum(if(side = getvariable('before'), n, 0)) AS before,
               sum(if(side = getvariable('after'), n, 0)) AS after
        FROM sides
        WHERE side IN (getvariable('before'), getvariable('after'))
        GROUP BY hash
    )
    SELECT stack, sums.before, sums.after
    FROM sums
    JOIN stacks USING (hash)
    ORDER BY stack
)
TO '/dev/stdout'
(FORMAT csv, DELIMITER '\t', HEADER false, QUOTE '', ESCAPE '');
