// Copy number: tells the parts of one copy of a site from those of another.

import type { Random } from '../../platform/random.ts'

const numbersMax = 2 ** 47

export function newCopyNumber(random: Random): number {
  return random.below(numbersMax)
}
