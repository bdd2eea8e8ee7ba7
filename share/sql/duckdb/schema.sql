-- schema.sql - folded profiles in DuckDB; foldstack-scale(7).
--
-- A stack is stored once, by its hash, and a profile is hashes and counts:
-- queries add up numbers, and touch text only for what they print.

-- XXH64 of the text of a stack, as "foldmerge --tsv --hash" writes it; DuckDB
-- has no such function.  Two of a million stacks share a hash in 1 of 37
-- million cases.
CREATE TABLE IF NOT EXISTS stacks
(
    hash UBIGINT PRIMARY KEY,
    stack VARCHAR NOT NULL
);

CREATE TABLE IF NOT EXISTS profiles
(
    time TIMESTAMP NOT NULL,
    host VARCHAR NOT NULL,
    labels MAP(VARCHAR, VARCHAR),
    hash UBIGINT NOT NULL,
    n UBIGINT NOT NULL
);
