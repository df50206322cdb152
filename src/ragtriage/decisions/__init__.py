"""What follows from the numbers: diagnosis, gate, baseline."""
