-- load.sql - take in what "foldmerge --tsv --hash" writes, of one host and
-- time.  Raw, since a backslash in a stack is a backslash.
INSERT INTO incoming
SELECT {time:DateTime('UTC')}, {host:String}, {labels:Map(String, String)},
       hash, stack, n
FROM input('hash UInt64, stack String, n UInt64')
FORMAT TSVRaw
