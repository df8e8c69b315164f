// Takedowns: URLs, prefixes and sites that are hidden at once and for good. Their captures are removed, their bytes go at
// the next compaction, and nothing under them is taken again.
//
// A takedown is in the index, and also a line of takedowns.jsonl beside it: whoever rebuilds the index from the volumes
// must not bring back what was taken down.

import { hasSitesUnder } from '../record/site.ts'
import { isWithin, surtDomainRanges } from '../record/surt-range.ts'
import { parseUrl, type Url } from '../record/url.ts'
import type { Clock } from '../world/clock.ts'
import type { Range } from '../world/key-value.ts'
import type { Ledger } from './index/ledger.ts'
import type { StoreIndex } from './index/store-index.ts'
import { lineBytesMax } from './line-file.ts'
import { selectedRanges } from './selected-ranges.ts'
import { StoreError } from './store-error.ts'
import type { TakedownList } from './takedown-list.ts'
import type { TakedownQuarantine } from './takedown-quarantine.ts'
import {
  checkTakedown,
  nameOf,
  storedTakedown,
  type Takedown,
  type TakedownTarget,
} from './takedown-record.ts'
import { TakedownSet } from './takedown-set.ts'
import type { TakedownTraces } from './takedown-traces.ts'

export type { Takedown, TakedownTarget } from './takedown-record.ts'

/** Captures removed in one index change. */
const removalsMax = 500

export class Takedowns {
  readonly #index: StoreIndex
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #list: TakedownList
  readonly #quarantine: TakedownQuarantine
  readonly #traces: TakedownTraces
  readonly #hidden = new TakedownSet()

  constructor(needs: {
    index: StoreIndex
    ledger: Ledger
    clock: Clock
    list: TakedownList
    quarantine: TakedownQuarantine
    traces: TakedownTraces
  }) {
    this.#index = needs.index
    this.#ledger = needs.ledger
    this.#clock = needs.clock
    this.#list = needs.list
    this.#quarantine = needs.quarantine
    this.#traces = needs.traces
    for (const takedown of this.all()) this.#hidden.add(takedown.target)
  }

  get isEmpty(): boolean {
    return this.#hidden.isEmpty
  }

  *all(): Iterable<Takedown> {
    for (const [, value] of this.#index.takedowns.range()) {
      const takedown = takedownIn(value)
      if (takedown !== undefined) yield takedown
    }
  }

  /** Stored ones that could not be read and hide nothing. */
  get quarantined(): number {
    return this.#quarantine.count
  }

  hides(surt: string, site: string): boolean {
    return this.#hidden.hides(surt, site)
  }

  hidesUrl(url: string): boolean {
    return this.#hidden.hidesUrl(url)
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
  async add(wanted: TakedownTarget, reason: string): Promise<number> {
    const target = checkTakedown(wanted, reason)
    const takedown: Takedown = { target, atMs: this.#clock.nowMs(), reason, isDone: false }
    await this.#list.append(takedown)
    await this.#index.changeForGood(() => this.#put(takedown))
    this.#hidden.add(target)
    return this.#carryOut(takedown)
  }

  /** Carries out what a crash cut short, and takes up what only the list knows. */
  async finish(): Promise<void> {
    const listed = await this.#setAside()
    const known = new Set([...this.all()].map(({ target }) => nameOf(target)))
    const missing = listed.filter(({ target }) => !known.has(nameOf(target)))
    if (missing.length > 0) {
      await this.#index.changeForGood(() => {
        for (const takedown of missing) this.#put(takedown)
      })
    }
    for (const takedown of [...this.all()]) {
      this.#hidden.add(takedown.target)
      if (!takedown.isDone) await this.#carryOut(takedown)
    }
  }

  /** Takes out what is no takedown, of the list and of the index. Gives what is left of the list. */
  async #setAside(): Promise<Takedown[]> {
    const { takedowns, unreadable } = await this.#list.read()
    const poisoned = [...this.#index.takedowns.range()].filter(([, value]) => takedownIn(value) === undefined)
    await this.#quarantine.add([
      ...unreadable,
      ...poisoned.map(([, value]) => Buffer.from(value.subarray(0, lineBytesMax)).toString()),
    ])
    if (unreadable.length > 0) await this.#list.replace(takedowns)
    if (poisoned.length > 0) {
      await this.#index.changeForGood(() => {
        for (const [key] of poisoned) this.#index.takedowns.remove(key)
      })
    }
    return takedowns
  }

  async #carryOut(takedown: Takedown): Promise<number> {
    let count = 0
    for (const range of selectedRanges(this.#index, takedown.target)) {
      for (let { from } = range; ; ) {
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
    const isMeant = (url: string) => target.kind !== 'site' || isOfSite(parseUrl(url), target.site)
    const meant = some.filter(([, { url }]) => isMeant(url))
    for (const [key, entry] of meant) this.#ledger.removeCapture(key, entry, { isUrgent: true })
    if (meant.length > 0) this.#traces.mayExist()
    return { removed: meant.length, last: some.length < removalsMax ? undefined : some.at(-1)![0] }
  }

  #put(takedown: Takedown): void {
    this.#index.takedowns.put(Buffer.from(nameOf(takedown.target)), Buffer.from(JSON.stringify(takedown)))
  }
}

function isOfSite({ site, surt }: Url, name: string): boolean {
  return site === name || (hasSitesUnder(name) && isWithin(surtDomainRanges(name), surt))
}

function takedownIn(value: Uint8Array): Takedown | undefined {
  try {
    return storedTakedown(JSON.parse(Buffer.from(value).toString()))
  } catch {
    return undefined
  }
}
