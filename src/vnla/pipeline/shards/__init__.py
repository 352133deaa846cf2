"""Work that many machines share without knowing of each other: each makes its part, and a merge puts them together."""
