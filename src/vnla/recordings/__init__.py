"""Episodes as data sets for other programs: Minari, Parquet, and the JSON of the authors' code."""
