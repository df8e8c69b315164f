// Takedowns: URLs, prefixes and sites that are hidden at once and for good. Their captures are removed, their bytes go at
// the next compaction, and nothing under them is taken again.
//
// A takedown is in the index, and also a line of takedowns.jsonl beside it: whoever rebuilds the index from the volumes
// must not bring back what was taken down.

import { digestHex, digestOf } from '../record/digest.ts'
import { siteOf } from '../record/site.ts'
import { surtPrefixRange } from '../record/surt-range.ts'
import { parseUrl, tryParseUrl } from '../record/url.ts'
import type { Clock } from '../world/clock.ts'
import type { Range } from '../world/key-value.ts'
import { rangesOf, type Selection } from './finding.ts'
import type { Ledger } from './index/ledger.ts'
import type { StoreIndex } from './index/store-index.ts'
import { StoreError } from './store-error.ts'
import type { TakedownList } from './takedown-list.ts'
import type { TakedownTraces } from './takedown-traces.ts'

export type TakedownTarget = Extract<Selection, { kind: 'url' | 'prefix' | 'site' }>

export interface Takedown {
  target: TakedownTarget
  atMs: number
  reason: string
  /** Whether all captures that were there have been removed. */
  isDone: boolean
}

/** Captures removed in one index change. */
const removalsMax = 500
const nameBytesMax = 1_500

export class Takedowns {
  readonly #index: StoreIndex
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #list: TakedownList
  readonly #traces: TakedownTraces
  readonly #urls = new Set<string>()
  readonly #prefixes = new Set<string>()
  readonly #prefixLengths = new Set<number>()
  readonly #sites = new Set<string>()

  constructor(needs: {
    index: StoreIndex
    ledger: Ledger
    clock: Clock
    list: TakedownList
    traces: TakedownTraces
  }) {
    this.#index = needs.index
    this.#ledger = needs.ledger
    this.#clock = needs.clock
    this.#list = needs.list
    this.#traces = needs.traces
    for (const takedown of this.all()) this.#hide(takedown.target)
  }

  get isEmpty(): boolean {
    return this.#urls.size + this.#prefixes.size + this.#sites.size === 0
  }

  *all(): Iterable<Takedown> {
    for (const [, value] of this.#index.takedowns.range())
      yield JSON.parse(Buffer.from(value).toString()) as Takedown
  }

  hides(surt: string, site: string): boolean {
    if (this.isEmpty) return false
    if (this.#urls.has(surt) || this.#sites.has(site)) return true
    for (const length of this.#prefixLengths) if (this.#prefixes.has(surt.slice(0, length))) return true
    return false
  }

  hidesUrl(url: string): boolean {
    const parsed = this.isEmpty ? null : tryParseUrl(url)
    return parsed !== null && this.hides(parsed.surt, parsed.site)
  }

  check(surt: string, site: string): void {
    if (this.hides(surt, site)) throw this.refusal(surt)
  }

  refusal(name: string): StoreError {
    return new StoreError(
      'store-taken-down',
      `${name} was taken down: it is hidden, and nothing of it is kept.`,
    )
  }

  /** Resolves when hidden for good and all its captures are removed. Gives the number of those. */
  async add(target: TakedownTarget, reason: string): Promise<number> {
    checkTarget(target)
    const takedown: Takedown = { target, atMs: this.#clock.nowMs(), reason, isDone: false }
    await this.#list.append(takedown)
    await this.#index.changeForGood(() => this.#put(takedown))
    this.#hide(target)
    return this.#carryOut(takedown)
  }

  /** Carries out what a crash cut short, and takes up what only the list knows. */
  async finish(): Promise<void> {
    const known = new Set([...this.all()].map(({ target }) => nameOf(target)))
    const missing = (await this.#list.read()).filter(({ target }) => !known.has(nameOf(target)))
    if (missing.length > 0) {
      await this.#index.changeForGood(() => {
        for (const takedown of missing) this.#put(takedown)
      })
    }
    for (const takedown of [...this.all()]) {
      this.#hide(takedown.target)
      if (!takedown.isDone) await this.#carryOut(takedown)
    }
  }

  async #carryOut(takedown: Takedown): Promise<number> {
    let count = 0
    for (const range of rangesOf(takedown.target)) {
      for (let from = range.from; ; ) {
        const { removed, last } = await this.#index.change(() =>
          this.#removeSome(takedown, { ...range, from: from! }),
        )
        count += removed
        if (last === undefined) break
        from = last
      }
    }
    await this.#index.changeForGood(() => {
      this.#traces.mayExistElsewhere()
      this.#put({ ...takedown, isDone: true })
    })
    return count
  }

  /** Inside an index change. `last`: where to go on, if there may be more. */
  #removeSome({ target }: Takedown, range: Range): { removed: number; last: Uint8Array | undefined } {
    const some = [...this.#index.captures({ ...range, limit: removalsMax })]
    // Between the keys of an IPv6 site lie those of its neighbours.
    const isMeant = (url: string) => target.kind !== 'site' || parseUrl(url).site === target.site
    const meant = some.filter(([, { url }]) => isMeant(url))
    for (const [key, entry] of meant) this.#ledger.removeCapture(key, entry, { isUrgent: true })
    if (meant.length > 0) this.#traces.mayExist()
    return { removed: meant.length, last: some.length < removalsMax ? undefined : some.at(-1)![0] }
  }

  #put(takedown: Takedown): void {
    this.#index.takedowns.put(Buffer.from(nameOf(takedown.target)), Buffer.from(JSON.stringify(takedown)))
  }

  #hide(target: TakedownTarget): void {
    switch (target.kind) {
      case 'url':
        this.#urls.add(parseUrl(target.url).surt)
        break
      case 'prefix': {
        const { from } = surtPrefixRange(target.url)
        this.#prefixes.add(from)
        this.#prefixLengths.add(from.length)
        break
      }
      case 'site':
        this.#sites.add(siteOf(target.site))
    }
  }
}

/** A part of a site is hidden by prefix: taken for its site, far more would go than was asked for. */
function checkTarget(target: TakedownTarget): void {
  if (target.kind !== 'site') {
    parseUrl(target.url)
    return
  }
  const site = siteOf(target.site)
  if (site === target.site) return
  throw new StoreError(
    'store-bad-target',
    `${target.site} is not a site but a part of ${site}. Take down the prefix http://${target.site}/, or the site ${site}.`,
  )
}

/** Short enough for an index key, however long the URL. */
function nameOf(target: TakedownTarget): string {
  const name = `${target.kind} ${target.kind === 'site' ? target.site : target.url}`
  if (Buffer.byteLength(name) <= nameBytesMax) return name
  return `${target.kind} ${digestHex(digestOf('sha256', name))}`
}
