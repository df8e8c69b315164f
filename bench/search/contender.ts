// What takes part in the benchmark of search.

import type { Page } from './corpus.ts'

export interface Contender {
  readonly name: string
  /** Resolves when all of them are found. */
  index(pages: Iterable<Page>): Promise<void>
  bytes(): Promise<number>
  /** Of all its processes since they began. 'here': it works in the process that measures. */
  processorSeconds(): Promise<number> | 'here'
  /** All queries, by so many callers at a time: the milliseconds that each took. undefined: it takes one caller only. */
  latencies(queries: readonly string[][], callers: number): Promise<number[] | undefined>
  close(): Promise<void>
}

/** Each caller asks one query after the other. */
export async function latenciesOf(
  queries: readonly string[][],
  callers: number,
  ask: (words: readonly string[]) => unknown,
): Promise<number[]> {
  const times: number[] = []
  const waiting = queries[Symbol.iterator]()
  const call = async (): Promise<void> => {
    for (const words of waiting) {
      const startMs = performance.now()
      await ask(words)
      times.push(performance.now() - startMs)
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  return times
}
