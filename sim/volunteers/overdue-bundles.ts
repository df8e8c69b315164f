// Bundles that somebody was late with, as the desks tell of them: how long it took until all their pages had come from others.

import { overdueSentence } from '../../src/network/volunteers/volunteer-desk.ts'

export class OverdueBundles {
  readonly #ms: number[] = []

  readonly overhear = (facts: object, sentence: string): void => {
    if (sentence === overdueSentence) this.#ms.push((facts as { ms: number }).ms)
  }

  get figures(): { readonly overdue: number; readonly overdueSecondsP99: number } {
    const sorted = this.#ms.toSorted((a, b) => a - b)
    const p99 = sorted[Math.max(0, Math.ceil(0.99 * sorted.length) - 1)] ?? 0
    return { overdue: sorted.length, overdueSecondsP99: Math.round(p99 / 100) / 10 }
  }
}
