// Pages that this peer itself fetched lately, a few of each host: volunteers are asked for one of them now and then, and cannot tell.

import type { Fetched } from '../../crawl/fetch/outcome.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'

const bytesMax = 16 * 1024 * 1024
const pageBytesMax = 256 * 1024
const perHostMax = 4
/** Older ones may have changed. */
const ageMsMax = 10 * 60_000

interface Known {
  readonly fetched: Fetched
  readonly atMs: number
}

export class OwnAnswers {
  readonly #clock: Clock
  readonly #random: Random
  readonly #byHost = new LruCache<string, readonly Known[]>({
    bytesMax,
    sizeOf: (known) => known.reduce((sum, { fetched }) => sum + fetched.bodyBytes + 2_048, 0),
  })

  constructor(needs: { clock: Clock; random: Random }) {
    this.#clock = needs.clock
    this.#random = needs.random
  }

  note(fetched: Fetched): void {
    const body = fetched.body()
    const isFit = fetched.kind === 'fetched' && fetched.status === 200 && fetched.bodyBytes <= pageBytesMax
    if (!isFit || !(body instanceof Uint8Array)) return
    // What came is given to another thread.
    const own = new Uint8Array(body)
    const capture = { ...fetched.capture, block: new Uint8Array(), request: new Uint8Array() }
    const copy = { ...fetched, capture, body: () => own, discard: async () => {} }
    const { origin } = fetched.capture.url
    const known = this.#byHost.get(origin) ?? []
    const others = known.filter(({ fetched: { capture } }) => capture.url.href !== fetched.capture.url.href)
    this.#byHost.set(
      origin,
      [...others, { fetched: copy, atMs: this.#clock.monotonicMs() }].slice(-perHostMax),
    )
  }

  of({ origin }: Url, count: number): Fetched[] {
    const sinceMs = this.#clock.monotonicMs() - ageMsMax
    const known = (this.#byHost.get(origin) ?? []).filter(({ atMs }) => atMs >= sinceMs)
    if (known.length === 0) return []
    const at = this.#random.below(known.length)
    return known.slice(at, at + count).map(({ fetched }) => fetched)
  }
}
