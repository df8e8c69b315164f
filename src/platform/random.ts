// Chance, as the rest of the program may see it. The real one is fit for keys; a simulated one repeats by its seed.

export interface Random {
  bytes(length: number): Uint8Array
  /** A whole number in [0, limit), each equally likely. The limit is a whole number from 1 to 2^48 - 1. */
  below(limit: number): number
  /** A number in [0, 1). */
  fraction(): number
  /** A version 4 UUID in lower case, as WARC record ids use it. */
  uuid(): string
}

/** A time that is shorter or longer by up to this share of it, so that those who began together do not stay in step. */
export function jittered(ms: number, share: number, random: Random): number {
  return ms * (1 - share + 2 * share * random.fraction())
}

/** In any order, each equally likely. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = [...items]
  for (let last = order.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    ;[order[last], order[other]] = [order[other]!, order[last]!]
  }
  return order
}
