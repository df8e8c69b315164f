// Line pairing: of lines that went and lines that came, which belong together, so that a line with one word changed is
// shown as that and not as two strangers.
//
// Order is kept: pairs never cross. Bounded: large blocks are paired in order, without looking for the best.

type LinePair = [left: string | undefined, right: string | undefined]

/** Scripts that do not put spaces between words: these are compared by character. */
export const unspaced = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]/

const cellsMax = 10_000
const likenessMin = 0.3
/** A line's beginning is enough to know it by. */
const likenessCharsMax = 300

export function alignedPairs(removed: readonly string[], added: readonly string[]): LinePair[] {
  if (removed.length * added.length > cellsMax) return pairsInOrder(removed, added)
  const leftWords = removed.map(wordsOf)
  const rightWords = added.map(wordsOf)
  const width = added.length + 1
  /** The most likeness that lines from (left, right) on can reach. */
  const best = new Float64Array((removed.length + 1) * width)
  const likenesses = new Float64Array((removed.length + 1) * width)
  for (let left = removed.length - 1; left >= 0; left--) {
    for (let right = added.length - 1; right >= 0; right--) {
      const at = left * width + right
      const likeness = likenessOf(leftWords[left]!, rightWords[right]!)
      likenesses[at] = likeness
      const together = likeness >= likenessMin ? likeness + best[at + width + 1]! : 0
      best[at] = Math.max(best[at + width]!, best[at + 1]!, together)
    }
  }
  return walked(removed, added, { best, likenesses, width })
}

function walked(
  removed: readonly string[],
  added: readonly string[],
  { best, likenesses, width }: { best: Float64Array; likenesses: Float64Array; width: number },
): LinePair[] {
  const pairs: LinePair[] = []
  let left = 0
  let right = 0
  while (left < removed.length && right < added.length) {
    const at = left * width + right
    const likeness = likenesses[at]!
    if (likeness >= likenessMin && best[at] === likeness + best[at + width + 1]!) {
      pairs.push([removed[left++], added[right++]])
    } else if (best[at] === best[at + width]) pairs.push([removed[left++], undefined])
    else pairs.push([undefined, added[right++]])
  }
  while (left < removed.length) pairs.push([removed[left++], undefined])
  while (right < added.length) pairs.push([undefined, added[right++]])
  return pairs
}

function pairsInOrder(removed: readonly string[], added: readonly string[]): LinePair[] {
  return [
    ...removed.map((line): LinePair => [line, undefined]),
    ...added.map((line): LinePair => [undefined, line]),
  ]
}

function wordsOf(line: string): Set<string> {
  const lower = line.slice(0, likenessCharsMax).toLowerCase()
  return new Set(unspaced.test(lower) ? lower : (lower.match(/[\p{L}\p{N}]+/gu) ?? [lower]))
}

/** Dice's: 1 for the same words, 0 for none in common. */
function likenessOf(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size + right.size === 0) return 0
  return (2 * left.intersection(right).size) / (left.size + right.size)
}
