// Change recorder: makes events of what the visits to this frontier's URLs showed.
//
// The state of each page lies with its site, beside the events, and changes in the commit that completes the URL: so a visit is an
// event once, however often processes die. A capture that was kept while its URL was not completed (the process died between) is
// found in the archive at the next visit, and becomes an event before that visit's own.

import { hash } from 'node:crypto'
import type { ChangeDetails } from '../../../changes/change-event.ts'
import { idBytes } from '../../../changes/event-coding.ts'
import { lateMsMax, type ToldIds } from '../../../changes/late-captures.ts'
import {
  isClear,
  type JudgedTimes,
  type KeptVersions,
  type Missed,
  missedChanges,
} from '../../../changes/missed-changes.ts'
import type { VersionDifference } from '../../../changes/page-change/page-change.ts'
import {
  type FailedVisit,
  noteFailure,
  noteSighting,
  type PageChange,
  type PageState,
  pageStateCoding,
  type Sighting,
} from '../../../changes/page-state.ts'
import { readableOr } from '../../../formats/wire/message-bytes.ts'
import type { Digest } from '../../../model/digest.ts'
import type { Url } from '../../../model/url/url.ts'
import { UrlHash } from '../known/url-hash.ts'
import { hashedStateKey, sitePrefix } from '../sites/site-keys.ts'
import type { BufferedTable } from '../write-buffer.ts'
import type { ChangeLog } from './change-log.ts'
import type { NoiseMemory } from './noise-memory.ts'
import type { ToldEvents } from './told-events.ts'

/** What a visit saw of its URL. */
export interface Observation {
  readonly sighting: Sighting
  /** How it differs from the version before, where they were compared. */
  readonly difference?: VersionDifference | undefined
  /** The newest capture of the URL that was kept before this visit. */
  readonly before?: Sighting | undefined
  /** All of those after that time, the oldest first. */
  earlier(afterMs: number): Iterable<Sighting>
}

interface Needs {
  readonly sites: BufferedTable
  readonly log: ChangeLog
  readonly toldEvents: ToldEvents
  readonly noise: NoiseMemory
  /** The epoch of the lease that the site is crawled under. */
  epochOf(url: Url): number
}

/** Captures without an event that are looked at for one page. */
const earlierMax = 32

export class ChangeRecorder {
  readonly #needs: Needs
  readonly #hash = new UrlHash()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  observed(url: Url, job: string | undefined, observed: Observation): void {
    const key = this.#keyOf(url)
    const before = this.#read(key)
    const state = mayHaveMissed(before, observed) ? this.#catchUp(url, job, before, observed) : before
    const { change, state: after } = noteSighting(state, observed.sighting)
    if (change?.kind === 'changed') this.#append(url, job, { ...change, ...this.#details(url, observed) })
    else if (change) this.#append(url, job, change)
    else if (isPage(observed.sighting)) this.#needs.noise.unchanged(url)
    this.#put(key, before, after)
  }

  #details(url: Url, { difference }: Observation): ChangeDetails | undefined {
    if (difference === undefined) return undefined
    const { cosmetic, ignored } = this.#needs.noise.judge(url, difference)
    const { wordShare, linksAdded, linksRemoved, titleBefore, title } = difference.change
    return {
      ...{ cosmetic, wordShare, linksAdded, linksRemoved },
      titleBefore: titleBefore || undefined,
      title: title || undefined,
      ignored: ignored.length === 0 ? undefined : ignored,
    }
  }

  /** Makes events of captures that have none, and gives the state after them. */
  #catchUp(
    url: Url,
    job: string | undefined,
    before: PageState | undefined,
    { sighting, earlier }: Observation,
  ): PageState | undefined {
    // A page without a state was kept before there were events, or by a peer that died before it could write the first one.
    const fromMs = before === undefined ? sighting.atMs - lateMsMax : 0
    let told: ToldIds | undefined
    const isTold = (id: Uint8Array): boolean => {
      told ??= this.#needs.toldEvents.told(sitePrefix(url), before?.atMs ?? 0)
      return told.has(id)
    }
    let state = before
    let count = 0
    for (const missed of earlier(before?.atMs ?? 0)) {
      if (missed.atMs >= sighting.atMs || ++count > earlierMax) break
      if (!isClear(missed)) continue
      const noted = noteSighting(state, missed)
      state = noted.state
      // Where clocks differ, what came before may seem to be later.
      if (noted.change !== undefined && missed.atMs >= fromMs && !isTold(missed.id))
        this.#append(url, job, noted.change)
    }
    return state
  }

  /** The ids of captures of the page that are not told, and should be. Of one that was never completed nothing is known: it may be
   * what a browser asked for, or robots.txt. */
  missed(url: Url, versions: KeptVersions, told: ToldIds, times: JudgedTimes): readonly Uint8Array[] {
    return this.#missed(url, versions, told, times)?.changes.map(({ id }) => id) ?? []
  }

  /** Tells them, if the captures of all are safe. */
  tellMissed(
    url: Url,
    versions: KeptVersions,
    told: ToldIds,
    times: JudgedTimes,
    isSafe: (id: Uint8Array) => boolean,
  ): void {
    const key = this.#keyOf(url)
    const before = this.#read(key)
    const missed = this.#missed(url, versions, told, times)
    if (before === undefined || missed === undefined) return
    // Something was kept meanwhile: it is told the next time, with all the rest.
    if (!missed.changes.every(({ id }) => isSafe(id))) return
    for (const change of missed.changes) this.#append(url, undefined, change)
    this.#put(key, before, missed.state)
  }

  #missed(url: Url, versions: KeptVersions, told: ToldIds, times: JudgedTimes): Missed | undefined {
    const { toldEvents } = this.#needs
    const site = sitePrefix(url)
    const state = this.#read(this.#keyOf(url))
    const isTold = (id: Uint8Array): boolean => told.has(id) || toldEvents.isTold(site, id, told.sequence)
    return state && missedChanges(state, versions, isTold, times)
  }

  /** A visit brought nothing. */
  failed(url: Url, job: string | undefined, visit: Omit<FailedVisit, 'id'>): void {
    const key = this.#keyOf(url)
    const before = this.#read(key)
    const { state, change } = noteFailure(before, { ...visit, id: idOf(url, visit.atMs) })
    if (change) this.#append(url, job, change)
    this.#put(key, before, state)
  }

  #append(url: Url, job: string | undefined, change: PageChange): void {
    const place = {
      site: sitePrefix(url),
      siteName: url.site,
      url: url.href,
      epoch: this.#needs.epochOf(url),
      job,
    }
    this.#needs.log.append(place, change)
  }

  #keyOf(url: Url): Buffer {
    return hashedStateKey(sitePrefix(url), this.#hash.of(url.href, 0))
  }

  #read(key: Buffer): PageState | undefined {
    const stored = this.#needs.sites.get(key)
    return stored && readableOr(() => pageStateCoding.decode(stored), undefined)
  }

  #put(key: Buffer, before: PageState | undefined, state: PageState | undefined): void {
    if (state !== undefined && state !== before) this.#needs.sites.put(key, pageStateCoding.encode(state))
  }
}

/** It, or that it is the same as before. */
function isPage({ status }: Sighting): boolean {
  return status === 304 || (status >= 200 && status < 300)
}

/** Whether a capture may be kept that no event was made of. */
function mayHaveMissed(state: PageState | undefined, { before }: Observation): boolean {
  if (before === undefined || (state !== undefined && before.atMs <= state.atMs)) return false
  if (state?.is !== 'shown' || state.target !== undefined) return true
  return before.digest === undefined || !isSameDigest(state.digest, before.digest)
}

function isSameDigest(one: Sighting['digest'], other: Digest): boolean {
  return one !== undefined && Buffer.compare(one.bytes, other.bytes) === 0
}

/** Of a visit without a capture. */
function idOf({ href }: Url, atMs: number): Uint8Array {
  return hash('sha256', `${href} ${atMs}`, 'buffer').subarray(0, idBytes)
}
