// Watch look: what one event is to one watch: nothing, or something to be told.
//
// It never fails: where versions cannot be read (damaged, out of reach, no text) the event is told with what it says itself, for a change
// that was not looked at is better told than lost. Small changes add up: a change below what the watch asks for leaves the version before
// it as the one that the next is compared with.

import { type Clock, within } from '../../platform/clock.ts'
import type { Workers } from '../../platform/workers.ts'
import type { StoredEvent } from '../event-coding.ts'
import { EventFilter } from '../event-filter.ts'
import type { VersionBytes } from '../page-change/version-bytes.ts'
import type { Looked, LookWork } from './look-work.ts'
import {
  noExcerpt,
  type PageWatch,
  type PartState,
  type WatchSettings,
  type WatchSighting,
} from './page-watch.ts'
import type { VersionReader } from './version-reader.ts'

export interface LookResult {
  readonly sighting: WatchSighting
  /** False: it is kept or noted, and nobody is told. */
  readonly isTold: boolean
  /** The version that the next change is compared with, where that is not this one. */
  readonly baseMs: number | undefined
}

interface Compared {
  readonly looked: Looked
  readonly beforeMs: number | undefined
}

/** Other peers may have to be asked for the versions. */
const readMsMax = 60_000
const documents = new EventFilter({ documentsOnly: true })

export class WatchLook {
  readonly #reader: VersionReader
  readonly #workers: Pick<Workers<LookWork, Looked>, 'run'>
  readonly #clock: Clock

  constructor(needs: {
    reader: VersionReader
    workers: Pick<Workers<LookWork, Looked>, 'run'>
    clock: Clock
  }) {
    this.#reader = needs.reader
    this.#workers = needs.workers
    this.#clock = needs.clock
  }

  /** undefined when it is nothing to this watch. `baseMs`: of the version that changes are counted from. */
  async at(
    watch: PageWatch,
    event: StoredEvent,
    baseMs: number | undefined,
  ): Promise<LookResult | undefined> {
    const { target, look, tellsCosmetic } = watch
    if (target.kind !== 'url' && !documents.isWanted(event)) return undefined
    if (event.kind === 'gone' || event.target !== undefined) return told(sightingOf(event))
    // Who selects a part has said that it matters.
    if (event.cosmetic && !tellsCosmetic && look.part.kind !== 'selector') return undefined
    const isFirst = event.kind === 'new' && target.kind === 'url'
    const compared = await this.#compared(watch, event, baseMs)
    if (compared === undefined) return { ...told({ ...sightingOf(event), isFirst }), isTold: !isFirst }
    return resultOf(watch, event, compared, baseMs)
  }

  /** What a watch selects on the newest version. undefined when there is none, or it is no text. */
  async atNewest(
    { look }: Pick<WatchSettings, 'look'>,
    url: string,
  ): Promise<{ looked: Looked; capturedAtMs: number; url: string } | undefined> {
    const capture = await this.#reader.newest(url)
    const later = capture && (await this.#reader.read(capture))
    if (capture === undefined || later === undefined) return undefined
    const looked = await this.#workers.run({ look, earlier: undefined, later }, given(later))
    return { looked, capturedAtMs: capture.capturedAtMs, url: capture.url }
  }

  async #compared(
    watch: PageWatch,
    event: StoredEvent,
    baseMs: number | undefined,
  ): Promise<Compared | undefined> {
    try {
      return await within(this.#clock, readMsMax, this.#compare(watch, event, baseMs))
    } catch {
      // Whatever it was (a version that is damaged or out of reach, a thread that died): what the event itself says is told.
      return undefined
    }
  }

  async #compare(
    { look }: PageWatch,
    event: StoredEvent,
    baseMs: number | undefined,
  ): Promise<Compared | undefined> {
    const { later, earlier } = await this.#reader.find(event, baseMs)
    const now = later && (await this.#reader.read(later))
    if (now === undefined) return undefined
    const isCompared = event.kind === 'changed' || event.kind === 'back'
    const before = isCompared && earlier ? await this.#reader.read(earlier) : undefined
    if (event.kind === 'changed' && before === undefined) return undefined
    const looked = await this.#workers.run({ look, earlier: before, later: now }, given(now, before))
    return { looked, beforeMs: before && earlier?.capturedAtMs }
  }
}

function resultOf(
  { target, look }: PageWatch,
  event: StoredEvent,
  { looked, beforeMs }: Compared,
  baseMs: number | undefined,
): LookResult {
  const { isFound, isFoundBefore, isChanged, isEnough, wordShare, excerpt } = looked
  const isCompared = beforeMs !== undefined
  const partBefore: PartState = !isCompared ? 'unread' : isFoundBefore ? 'found' : 'missing'
  const sighting = {
    ...sightingOf(event),
    part: isFound ? ('found' as const) : ('missing' as const),
    partBefore,
    wordShare: isCompared ? wordShare : event.wordShare,
    beforeMs,
    excerpt: isCompared ? excerpt : noExcerpt,
  }
  switch (event.kind) {
    case 'new': {
      const isFirst = target.kind === 'url'
      return { sighting: { ...sighting, isFirst }, isTold: !isFirst && isFound, baseMs: undefined }
    }
    case 'changed': {
      const isTold = isEnough && (isFound || isFoundBefore || look.part.kind !== 'selector')
      return { sighting, isTold, baseMs: isChanged && !isTold ? (baseMs ?? beforeMs) : undefined }
    }
    default:
      return { sighting, isTold: true, baseMs: undefined }
  }
}

function told(sighting: WatchSighting): LookResult {
  return { sighting, isTold: true, baseMs: undefined }
}

export function sightingOf(event: StoredEvent): WatchSighting {
  const { id, stamp, atMs, kind, url, wordShare, status, target, title } = event
  return {
    ...{ id, stamp, atMs, kind, url, wordShare, status, target, title },
    isFirst: false,
    part: 'unread',
    partBefore: 'unread',
    beforeMs: undefined,
    excerpt: noExcerpt,
  }
}

function given(...versions: (VersionBytes | undefined)[]): ArrayBuffer[] {
  return versions.flatMap((version) => (version === undefined ? [] : [version.bytes.buffer as ArrayBuffer]))
}
