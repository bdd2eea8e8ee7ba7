-- schema.sql - folded profiles in ClickHouse; foldstack-scale(7).
--
-- A stack is stored once, by its hash, and a profile is hashes and counts:
-- queries add up numbers, and touch text only for what they print.

-- XXH64 of the text of a stack, as "foldmerge --tsv --hash" writes it.  Two of
-- a million stacks share a hash in 1 of 37 million cases.  A stack that came
-- twice is there twice until they are merged in the background, so that queries
-- join it with ANY, behind sums, of which there are fewer bytes in memory.
CREATE TABLE IF NOT EXISTS stacks
(
    hash UInt64,
    stack String CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree
ORDER BY hash;

CREATE TABLE IF NOT EXISTS profiles
(
    time DateTime('UTC'),
    host LowCardinality(String),
    labels Map(LowCardinality(String), String),
    hash UInt64,
    n UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (time, host, hash);

-- What is loaded goes here, and nowhere stays: from here into both tables.
CREATE TABLE IF NOT EXISTS incoming
(
    time DateTime('UTC'),
    host LowCardinality(String),
    labels Map(LowCardinality(String), String),
    hash UInt64,
    stack String,
    n UInt64,
    CONSTRAINT hash_is_that_of_stack CHECK hash = xxHash64(stack)
)
ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS incoming_stacks TO stacks AS
SELECT hash, stack
FROM incoming;

CREATE MATERIALIZED VIEW IF NOT EXISTS incoming_profiles TO profiles AS
SELECT time, host, labels, hash, n
FROM incoming;
