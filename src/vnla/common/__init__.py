"""What every part may use: errors, files, the machine, keyed randomness, GPU graphs and streams, native kernels."""
