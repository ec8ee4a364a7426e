// Sums what the scan leaves.
