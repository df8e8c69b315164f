// Site log: how far each site has come, and what each commit changed of it, for those who keep copies.
//
// A site that is followed has a log position: the epoch of its lease, and a sequence that grows by one with each group of
// changes.
// Invariant: a site's log position is committed together with the changes that brought it there, so that who has all changes up
// to a log position has what this frontier had then. A site may also be here in part: while it comes in, and while it is taken
// away. That is known by its head, too.

import { type RingKey, ringKeyFromBytes, ringKeyToBytes } from '../../../model/ring-key.ts'
import type { Job, JobTable } from '../jobs/job-table.ts'
import type { BufferedTable, GroupWatch, Value } from '../write-buffer.ts'
import { EntryNames, jobNames } from './entry-names.ts'
import { afterPrefix, prefixOfSite, sitePrefixBytes } from './site-keys.ts'
import type { SiteNames } from './site-names.ts'

export interface SiteStage {
  readonly epoch: number
  readonly sequence: number
}

export interface SiteHead {
  readonly site: RingKey
  /** undefined when only a part of the site is here. */
  readonly position: SiteStage | undefined
}

/** What one commit changed of a site: entries by name, null where one was removed. In order: an entry whose name is `clearMark`
 * and the beginning of others' names says that those are gone, as far as they are not named after it. */
export interface SiteChanges {
  readonly site: RingKey
  readonly position: SiteStage
  readonly entries: ReadonlyMap<string, Value | null>
}

interface Followed {
  readonly site: RingKey
  epoch: number
  sequence: number
}

const clearMark = '*'
const partMark = 'part'
const behindAll = Buffer.alloc(21, 0xff)

export class SiteLog implements GroupWatch {
  readonly #heads: BufferedTable
  readonly #siteNames: SiteNames
  readonly names: EntryNames
  readonly #followed = new Map<RingKey, Followed>()
  /** The same by the first bytes of the ring key, as text. */
  readonly #followedAt = new Map<string, Set<RingKey>>()
  /** Sites that have moved on without a change. */
  readonly #touched = new Set<RingKey>()
  readonly #removed = new Set<string>()
  /** Jobs that were started anew, by the number that they had: the sites that have something of them. */
  readonly #restarted = new Map<Job, readonly RingKey[]>()
  listener: ((changes: readonly SiteChanges[]) => void) | undefined

  constructor(needs: { heads: BufferedTable; names: SiteNames; jobs: JobTable }) {
    this.#heads = needs.heads
    this.#siteNames = needs.names
    this.names = new EntryNames(needs.jobs)
  }

  *heads(): Generator<SiteHead> {
    for (const [key, value] of this.#heads.range(Buffer.alloc(1), behindAll)) {
      yield { site: ringKeyFromBytes(key), position: positionOf(value) }
    }
  }

  head(site: RingKey): SiteHead | undefined {
    const value = this.#heads.get(headKey(site))
    return value && { site, position: positionOf(value) }
  }

  /** Whether another ring key that begins the same has a head. */
  hasSibling(site: RingKey): boolean {
    const prefix = prefixOfSite(site)
    for (const [key] of this.#heads.range(prefix, afterPrefix(prefix)))
      if (ringKeyFromBytes(key) !== site) return true
    return false
  }

  /** Only a part of it is here from now on, or `position` was reached without us. */
  put(site: RingKey, position: SiteStage | undefined): void {
    this.#heads.put(headKey(site), Buffer.from(position ? textOf(position) : partMark))
  }

  remove(site: RingKey): void {
    this.#heads.remove(headKey(site))
    this.#removed.add(prefixOf(site))
  }

  /** Whether this process has had the site before. */
  wasHere(site: RingKey): boolean {
    return this.#removed.has(prefixOf(site))
  }

  /** From now on its changes are told. The log position is that of the next group, which is told in any case. */
  follow(site: RingKey, { epoch, sequence }: SiteStage): void {
    const prefix = prefixOf(site)
    this.#followed.set(site, { site, epoch, sequence: sequence - 1 })
    this.#followedAt.set(prefix, (this.#followedAt.get(prefix) ?? new Set()).add(site))
    this.#touched.add(site)
    // Something to commit, whatever else there is.
    this.put(site, { epoch, sequence })
  }

  unfollow(site: RingKey): void {
    const prefix = prefixOf(site)
    this.#followed.delete(site)
    this.#touched.delete(site)
    const siblings = this.#followedAt.get(prefix)
    siblings?.delete(site)
    if (siblings?.size === 0) this.#followedAt.delete(prefix)
  }

  /** What sites have of the job is of no use any more: to be called before it gets another number. `isOn` tells by prefix
   * whether a site has anything. */
  restarts(job: Job, isOn: (prefix: string) => boolean): void {
    const sites = [...this.#followedAt.keys()].filter(isOn).flatMap((prefix) => this.#whoseAt(prefix))
    this.#restarted.set(job, sites)
    for (const site of sites) this.#touched.add(site)
  }

  /** How far it has come with all that was told so far; undefined when it is not followed. */
  positionOf(site: RingKey): SiteStage | undefined {
    const followed = this.#followed.get(site)
    return followed && { epoch: followed.epoch, sequence: followed.sequence }
  }

  closing(changes: ReadonlyMap<string, Value | null>): (() => void) | undefined {
    if (this.#followed.size === 0) return undefined
    const bySite = new Map<RingKey, Map<string, Value | null>>()
    for (const site of this.#touched) bySite.set(site, new Map())
    this.#touched.clear()
    for (const [job, sites] of this.#restarted) {
      for (const name of jobNames(job)) for (const site of sites) bySite.get(site)?.set(clearMark + name, '')
    }
    this.#restarted.clear()
    this.#note(bySite, changes)
    if (bySite.size === 0) return undefined
    const told = [...bySite].map(([site, entries]) => this.#advance(this.#followed.get(site)!, entries))
    return () => this.listener?.(told)
  }

  #note(bySite: Map<RingKey, Map<string, Value | null>>, changes: ReadonlyMap<string, Value | null>): void {
    const listsAt = new Map<string, readonly Map<string, Value | null>[]>()
    for (const [key, value] of changes) {
      const prefix = key.slice(0, sitePrefixBytes)
      let lists = listsAt.get(prefix)
      if (lists === undefined) {
        lists = this.#whoseAt(prefix).map((site) => {
          const entries = bySite.get(site) ?? new Map<string, Value | null>()
          bySite.set(site, entries)
          return entries
        })
        listsAt.set(prefix, lists)
      }
      if (lists.length === 0) continue
      const name = this.names.nameOf(key)
      if (name !== undefined) for (const entries of lists) entries.set(name, value)
    }
  }

  /** Those followed that the entries under a prefix are of: before it has a name, any of its siblings may be the site. */
  #whoseAt(prefix: string): readonly RingKey[] {
    const siblings = this.#followedAt.get(prefix)
    if (siblings === undefined) return []
    const named = this.#siteNames.at(Buffer.from(prefix, 'latin1'))
    if (named === undefined) return [...siblings]
    return siblings.has(named) ? [named] : []
  }

  #advance(followed: Followed, entries: ReadonlyMap<string, Value | null>): SiteChanges {
    followed.sequence++
    const { site, epoch, sequence } = followed
    const position = { epoch, sequence }
    this.put(site, position)
    return { site, position, entries }
  }
}

export function prefixOf(site: RingKey): string {
  return prefixOfSite(site).toString('latin1')
}

function headKey(site: RingKey): Buffer {
  return Buffer.from(ringKeyToBytes(site))
}

function textOf({ epoch, sequence }: SiteStage): string {
  return `${epoch} ${sequence}`
}

function positionOf(value: Uint8Array): SiteStage | undefined {
  const text = Buffer.from(value).toString('latin1')
  if (text === partMark) return undefined
  const [epoch = 0, sequence = 0] = text.split(' ').map(Number)
  return { epoch, sequence }
}
