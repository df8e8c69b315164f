// Page builder: builds the pages of captures that other peers fetch: as much of what they want as fits into a message.

import { textOfId } from '../comparison/difference.ts'
import { nextKey } from '../sums/key-range.ts'
import { idBytes } from '../sums/tally.ts'
import type { CaptureReader } from './capture-reader.ts'
import type { HeldCaptures } from './held-captures.ts'
import type { Traffic } from './traffic.ts'
import { type FetchedPage, fetchedPage } from './wire/answers.ts'
import type { Want } from './wire/questions.ts'

interface Needs {
  held: HeldCaptures
  reading: CaptureReader
  traffic: Traffic
}

interface Wanted {
  readonly wants: readonly Want[]
  readonly isWhole: boolean
  readonly bytesMax: number
}

const pageBytesMax = 1024 * 1024
/** Of the roster, at a time: few at first, for a page may hold no more. */
const entriesAtOnce = { first: 16, most: 256 } as const
/** A page ends when so many entries were gone through for it: some 50 ms. */
const entriesMax = 20_000

export class PageBuilder {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** As it is sent. */
  async make({ wants, isWhole, bytesMax }: Wanted, signal: AbortSignal): Promise<Uint8Array> {
    const { reading, traffic } = this.#needs
    const search = new Search()
    const keys = this.#keysOf(wants, search)
    for await (const portion of reading.portions(keys, isWhole, Math.min(bytesMax, pageBytesMax))) {
      signal.throwIfAborted()
      const { captures, next, release } = portion
      if (captures.length === 0 && next !== undefined) continue
      for (const { bytes } of captures) traffic.countOut(bytes?.length ?? 0)
      const goesOn = next && { want: search.wantOf.get(next)!, from: next }
      const page = fetchedPage.encode({ captures, next: goesOn ?? search.stoppedAt })
      release()
      return page
    }
    return fetchedPage.encode({ captures: [], next: search.stoppedAt })
  }

  /** Of what is wanted and here. */
  *#keysOf(wants: readonly Want[], search: Search): Iterable<Uint8Array> {
    for (const [want, { range, ids }] of wants.entries()) {
      const wanted = ids && new Set(ids.map(textOfId))
      for (const key of this.#keysIn(range)) {
        if (++search.count > entriesMax) {
          search.stoppedAt = { want, from: key }
          return
        }
        if (wanted !== undefined && !wanted.delete(textOfId(key.subarray(-idBytes)))) continue
        search.wantOf.set(key, want)
        yield key
        if (wanted?.size === 0) break
      }
    }
  }

  /** Some at a time: an iteration must not outlive what is awaited between. */
  *#keysIn({ from, to }: Want['range']): Iterable<Uint8Array> {
    let limit: number = entriesAtOnce.first
    for (let start = from; ; ) {
      const range = { ...(start.length > 0 && { from: start }), ...(to && { to }), limit }
      const entries = [...this.#needs.held.roster.entries(range)]
      for (const { key } of entries) yield key
      if (entries.length < limit) return
      start = nextKey(entries.at(-1)!.key)
      limit = Math.min(2 * limit, entriesAtOnce.most)
    }
  }
}

/** How far a search for wanted captures has come. */
class Search {
  count = 0
  readonly wantOf = new Map<Uint8Array, number>()
  stoppedAt: FetchedPage['next']
}
