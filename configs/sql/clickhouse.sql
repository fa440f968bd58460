-- The tables of a catalogue for ClickHouse: run it beside the folder catalogue, or put s3(...) in place of file(...).
CREATE VIEW disk AS SELECT * FROM file('catalogue/disk/*/*/*.parquet', 'Parquet');
CREATE VIEW phase AS SELECT * FROM file('catalogue/phase/*/*/*.parquet', 'Parquet');
