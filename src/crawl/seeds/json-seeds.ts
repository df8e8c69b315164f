// URLs of a JSON file: bookmarks as Chrome and Firefox keep and export them, JSON Feed, or a list of URLs.
//
// Looks for what such files have in common: objects with `url` or `uri`, below `children`, `roots` or `items`. Without recursion, for
// a file may be nested as deep as it likes.

const nodesMax = 2_000_000

export function urlsInJson(value: unknown): string[] {
  const found: string[] = []
  // The last first, so that they come out in order.
  const left: unknown[] = [value]
  for (let nodes = 0; left.length > 0 && nodes < nodesMax; nodes++) {
    const next = left.pop()
    if (typeof next === 'string') found.push(next)
    else if (Array.isArray(next))
      for (let index = next.length - 1; index >= 0; index--) left.push(next[index])
    else if (typeof next === 'object' && next !== null) {
      const { url, uri, children, roots, items } = next as Record<string, unknown>
      const own = typeof url === 'string' ? url : uri
      left.push(...partsOf(items), ...partsOf(roots), ...partsOf(children))
      if (typeof own === 'string') found.push(own)
    }
  }
  return found
}

/** Lists and objects only: a text there is a title. */
function partsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return [value.filter((part) => typeof part === 'object')]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value)
    .filter((part) => typeof part === 'object')
    .reverse()
}
