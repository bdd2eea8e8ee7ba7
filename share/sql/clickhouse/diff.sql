-- diff.sql - since until, the label named has one value before and another
-- after: both as a profile with two counts, for folddiff(1).
SELECT stack, before, after
FROM stacks
ANY INNER JOIN
(
    WITH labels[{label:String}] AS side
    SELECT hash,
           sumIf(toUInt128(n), side = {before:String}) AS before,
           sumIf(toUInt128(n), side = {after:String}) AS after
    FROM profiles
    WHERE time >= {since:DateTime('UTC')} AND time < {until:DateTime('UTC')}
      AND side IN ({before:String}, {after:String})
    GROUP BY hash
) AS sums USING (hash)
ORDER BY stack
FORMAT TSVRaw
