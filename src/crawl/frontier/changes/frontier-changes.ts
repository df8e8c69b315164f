// Frontier changes: the events of a frontier's sites, as those see them who read them and tell them on.

import { decodeEvent } from '../../../changes/event-coding.ts'
import { type LateLog, type ToldIds, textOf } from '../../../changes/late-captures.ts'
import type { LocalEvents, LocalPage, LocalRange } from '../../../changes/local-events.ts'
import type { JudgedTimes, KeptVersions } from '../../../changes/missed-changes.ts'
import { type RingKey, ringKeyOfSite } from '../../../model/ring-key.ts'
import type { SiteKey } from '../../../model/url/site.ts'
import type { Url } from '../../../model/url/url.ts'
import type { FrontierTables } from '../frontier-tables.ts'
import type { LoggedEvent } from './change-log.ts'
import { type LogLimits, LogUpkeep } from './log-upkeep.ts'

export class FrontierChanges implements LocalEvents, LateLog {
  readonly #tables: FrontierTables

  constructor(tables: FrontierTables) {
    this.#tables = tables
  }

  get generation(): number {
    return this.#tables.served.generation
  }

  get comingCount(): number {
    return this.#tables.served.comingCount
  }

  get droppedUpTo(): number {
    return this.#tables.changeLog.droppedUpTo
  }

  promise(): number {
    const { changeLog, buffer } = this.#tables
    const { promisedMax } = changeLog
    const stamp = changeLog.promise()
    if (changeLog.promisedMax !== promisedMax) buffer.checkpoint()
    return stamp
  }

  pass(stamp: number): void {
    this.#tables.changeLog.pass(stamp)
  }

  page({ takenAfter, generation, ...range }: LocalRange): LocalPage {
    const { served, changeLog } = this.#tables
    const page = changeLog.page({
      ...range,
      isWanted: (site) => {
        const own = served.generationOf(site)
        return own !== undefined && own > takenAfter && own <= generation
      },
    })
    return { ...page, events: page.events.map(withSite) }
  }

  onAppended(listener: () => void): () => void {
    return this.#tables.changeLog.onAppended(listener)
  }

  followClocks(aheadMs: () => number): void {
    this.#tables.changeLog.followClocks(aheadMs)
  }

  takenAfter(generation: number): readonly string[] {
    return this.#tables.served.takenAfter(generation)
  }

  isServed(site: string): boolean {
    return this.#tables.served.generationOf(Buffer.from(site, 'latin1')) !== undefined
  }

  toldSince(site: string, sinceMs: number): Iterator<undefined, ToldIds> {
    return this.#tables.toldEvents.toldSince(Buffer.from(site, 'latin1'), sinceMs)
  }

  missed(url: Url, versions: KeptVersions, told: ToldIds, times: JudgedTimes): readonly Uint8Array[] {
    return this.#tables.changes.missed(url, versions, told, times)
  }

  tellMissed(
    url: Url,
    versions: KeptVersions,
    told: ToldIds,
    times: JudgedTimes,
    ids: ReadonlySet<string>,
  ): void {
    const { changes, buffer } = this.#tables
    changes.tellMissed(url, versions, told, times, (id) => ids.has(textOf(id)))
    buffer.checkpoint()
  }

  upkeep(limits: LogLimits): { step(nowMs: number): boolean } {
    const { changeLog, door, buffer } = this.#tables
    const upkeep = new LogUpkeep({ log: changeLog, isOpen: (site) => door.isOpenAt(site) }, limits)
    return {
      step: (nowMs) => {
        const isDone = upkeep.step(nowMs)
        buffer.checkpoint()
        return isDone
      },
    }
  }
}

function withSite({ site, stamp, position, bytes }: LoggedEvent): LocalPage['events'][number] {
  return {
    prefix: site.toString('latin1'),
    stamp,
    position,
    bytes,
    get site(): RingKey {
      return ringKeyOfSite(decodeEvent(bytes).site as SiteKey)
    },
  }
}
