# Ranks by igraph (PRPACK), of links that bench/rank.bench.ts writes: two arrays of 32-bit numbers, sources and targets.
# Prints one JSON object: {seconds: [...], version}. Ranks are written as 64-bit numbers.
#
#   python3 ranks_by_igraph.py LINKS_FILE PAGES RANKS_FILE ROUNDS [SEED_PAGE,...]

import array
import json
import sys
import time

import igraph

links_file, pages, ranks_file, rounds = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
seeds = [int(word) for word in sys.argv[5].split(",")] if len(sys.argv) > 5 else None
numbers = array.array("I")
with open(links_file, "rb") as file:
    numbers.frombytes(file.read())
count = len(numbers) // 2
graph = igraph.Graph(n=pages, directed=True)
graph.add_edges(zip(numbers[:count], numbers[count:]))
seconds = []
for _ in range(rounds):
    start = time.perf_counter()
    if seeds is None:
        ranks = graph.pagerank(damping=0.85)
    else:
        ranks = graph.personalized_pagerank(damping=0.85, reset_vertices=seeds)
    seconds.append(time.perf_counter() - start)
with open(ranks_file, "wb") as file:
    array.array("d", ranks).tofile(file)
print(json.dumps({"seconds": seconds, "version": igraph.__version__}))
