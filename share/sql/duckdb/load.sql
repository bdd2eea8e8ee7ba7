-- load.sql - take in a file that "foldmerge --tsv --hash" wrote, of one host
-- and time; all of it, or nothing.
BEGIN;

CREATE OR REPLACE TEMP TABLE incoming AS
SELECT *
FROM read_csv(getvariable('file'),
              columns = {'hash': 'UBIGINT', 'stack': 'VARCHAR', 'n': 'UBIGINT'},
              auto_detect = false, header = false, delim = '\t', quote = '',
              escape = '', max_line_size = 16777216);

INSERT OR IGNORE INTO stacks
SELECT hash, stack
FROM incoming;

INSERT INTO profiles
SELECT getvariable('time')::TIMESTAMP, getvariable('host'),
       getvariable('labels')::MAP(VARCHAR, VARCHAR), hash, n
FROM incoming;

COMMIT;
