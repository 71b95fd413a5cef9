#!/bin/sh
# Right: the same clauses by another program.
awk -v n="$1" 'BEGIN {
  for (i = 0; i < n * n; i++) for (j = i + 1; j < n * n; j++) {
    r = int(i / n) - int(j / n); c = i % n - j % n
    if (r == 0 || c == 0 || r == c || r == -c) clause[m++] = "-" (i + 1) " -" (j + 1)
  }
  print "p cnf", n * n, m + n
  for (i = 0; i < n; i++) { for (j = 1; j <= n; j++) printf "%d ", i * n + j; print 0 }
  for (i = 0; i < m; i++) print clause[i], 0
}'
