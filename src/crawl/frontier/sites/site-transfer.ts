// Site transfer: all that a frontier keeps of one site, read to be handed to another frontier, brought in, and taken away.
//
// All of it goes a piece at a time, so that a large site holds nobody up. Who reads while the site goes on changing gets some
// entries older than others, and has to apply what the log tells of the time since he began.

import assert from 'node:assert/strict'
import type { RingKey } from '../../../model/ring-key.ts'
import { parseUrl } from '../../../model/url/url.ts'
import { isEventName } from '../changes/event-keys.ts'
import type { FrontierTables } from '../frontier-tables.ts'
import type { Lane } from '../lanes/lane.ts'
import { chunkText } from '../lanes/packed-chunk.ts'
import { lastOffset } from '../lanes/queue-chunk.ts'
import { isReadableEntry } from './entry-check.ts'
import { jobIdIn, kindIn, restOf } from './entry-names.ts'
import { afterPrefix, entryKinds, hostPrefix, lanePrefix, parseEntryKey, siteKey } from './site-keys.ts'
import { prefixOf, type SiteStage } from './site-log.ts'

/** Name and value. */
export type SiteEntry = readonly [name: string, value: Uint8Array]

export interface SitePiece {
  readonly entries: readonly SiteEntry[]
  /** Where to go on; undefined when that was all. */
  readonly next: string | undefined
}

/** Entries moved between two looks at whether there is room for more. */
const entriesAtOnce = 500
/** At the end of a queue chunk's name. */
const sequenceBytes = 6

export function readSite(
  tables: FrontierTables,
  site: RingKey,
  from: string | undefined,
  bytesMax: number,
): SitePiece {
  const prefix = Buffer.from(prefixOf(site), 'latin1')
  const entries: SiteEntry[] = []
  if (tables.names.isAnothers(site)) return { entries, next: undefined }
  const nameKey = siteKey(prefix)
  if (from === undefined) {
    tables.noise.writeSite(prefix)
    const named = tables.sites.get(nameKey)
    if (named !== undefined) entries.push([entryKinds.site, named])
  }
  const start = from === undefined ? prefix : Buffer.from(from, 'latin1')
  let bytes = 0
  for (const [key, value] of tables.sites.range(start, afterPrefix(prefix))) {
    if (nameKey.equals(key)) continue
    const text = key.toString('latin1')
    if (bytes >= bytesMax) return { entries, next: text }
    const name = tables.log.names.nameOf(text)
    if (name === undefined) continue
    entries.push([name, value])
    bytes += name.length + value.length
  }
  return { entries, next: undefined }
}

/** Nothing of the site may be here. It is only here in part until this resolves. Its name must come first: of a site that does
 * not tell its name nothing is kept, for it may be made up, and begin like one that is here or comes later. */
export async function bringIn(
  tables: FrontierTables,
  site: RingKey,
  entries: Iterable<SiteEntry>,
  position: SiteStage,
  nowMs: number,
): Promise<void> {
  const prefix = prefixOf(site)
  tables.log.put(site, undefined)
  const lanes: SiteEntry[] = []
  let isNamed = false
  let count = 0
  for (const entry of entries) {
    if (!isReadableEntry(site, ...entry)) continue
    isNamed ||= kindIn(entry[0]) === 'site' && !tables.names.isAnothers(site)
    if (!isNamed) break
    // Last, when all that they need is there. A site has few.
    if (kindIn(entry[0]) === 'lane') lanes.push(entry)
    else bringInEntry(tables, prefix, entry, nowMs)
    if (++count % entriesAtOnce === 0) {
      tables.buffer.checkpoint()
      await tables.buffer.room()
    }
  }
  if (isNamed) forgetInMemory(tables, Buffer.from(prefix, 'latin1'))
  // What was known then need not be in what has come.
  if (tables.log.wasHere(site)) tables.known.forgetRecent()
  for (const [name, value] of lanes) bringInLane(tables, name, value, nowMs)
  tables.log.put(site, position)
  tables.buffer.checkpoint()
}

function bringInEntry(tables: FrontierTables, prefix: string, [name, value]: SiteEntry, nowMs: number): void {
  const text = tables.log.names.keyOf(prefix, name)
  if (text === undefined) return
  const kind = kindIn(name)
  const key = Buffer.from(text, 'latin1')
  if (kind === 'queued') {
    const first = key.readUIntBE(key.length - sequenceBytes, sequenceBytes)
    tables.jobs.skipSequence(first + lastOffset(chunkText(Buffer.from(value).toString('latin1'))))
  } else if (kind === 'host') tables.hosts.forget(restOf(name))
  else if (kind === 'visit') tables.recrawl.cameIn(key, value, nowMs)
  else if (kind === 'event') {
    const isEvent = isEventName(restOf(name))
    if (!tables.changeLog.isPlausible(isEvent, value)) return
    tables.changeLog.cameIn(Buffer.from(prefix, 'latin1'), isEvent, value)
  }
  tables.sites.put(key, value)
}

/** A lane is scheduled here anew, and its URLs count for the job here. */
function bringInLane(tables: FrontierTables, name: string, value: Uint8Array, nowMs: number): void {
  const job = tables.jobs.find(jobIdIn(name)!)
  if (job === undefined) return
  const authority = restOf(name)
  const [taken = 0, pending = 0] = Buffer.from(value).toString('latin1').split(' ').map(Number)
  const lane = tables.lanes.get(parseUrl(`http://${authority}/`), job.number)
  assert(lane.pending === 0, `${authority} is queued here already`)
  lane.taken = taken
  lane.pending = pending
  lane.unload()
  tables.lanes.noteChange(lane)
  job.counters.queued += taken
  job.counters.pending += pending
  tables.jobs.noteChange(job)
  if (pending > 0) tables.lanes.wake(lane, nowMs)
}

/** Takes all of the site away. None of it may be leased. It is only here in part until this resolves. */
export async function takeAway(tables: FrontierTables, site: RingKey): Promise<void> {
  const prefix = Buffer.from(prefixOf(site), 'latin1')
  tables.writeAll()
  tables.log.unfollow(site)
  tables.log.put(site, undefined)
  for (const lane of lanesOf(tables, prefix)) removeLane(tables, lane)
  for (const [key] of [...rangeOf(tables, hostPrefix(prefix))]) {
    tables.hosts.forget(parseEntryKey(key)!.rest.toString('latin1'))
  }
  forgetInMemory(tables, prefix)
  // From where it was: what is removed already would be looked past again and again.
  for (let from = prefix; ; ) {
    const entries = [...tables.sites.range(from, afterPrefix(prefix), entriesAtOnce)]
    for (const [key, value] of entries) {
      from = Buffer.from(key)
      const { kind, rest } = parseEntryKey(key) ?? {}
      // Last of all: without it what is left would be nobody's.
      if (kind === 'site') continue
      if (kind === 'visit') tables.recrawl.goesOut(key, value)
      if (kind === 'event') tables.changeLog.goesOut(prefix, isEventName(rest!.toString('latin1')), value)
      tables.sites.remove(key)
    }
    if (entries.length < entriesAtOnce) break
    tables.buffer.checkpoint()
    await tables.buffer.room()
  }
  tables.names.remove(prefix)
  tables.log.remove(site)
  tables.buffer.checkpoint()
}

/** Of a ring key that begins like a site's only its place in the log is its own. */
export function takeHeadAway(tables: FrontierTables, site: RingKey): void {
  tables.log.unfollow(site)
  tables.log.remove(site)
  tables.buffer.checkpoint()
}

/** Its hosts are left alone as if each had just been asked: the previous lease holder may have asked them. */
export function leaveAlone(tables: FrontierTables, site: RingKey, nowMs: number): void {
  const prefix = Buffer.from(prefixOf(site), 'latin1')
  const authorities = new Set(lanesOf(tables, prefix).map(({ authority }) => authority))
  for (const [key] of rangeOf(tables, hostPrefix(prefix)))
    authorities.add(parseEntryKey(key)!.rest.toString('latin1'))
  for (const authority of authorities)
    tables.hosts.afterRestart(tables.hosts.get(prefix, authority, nowMs), nowMs)
}

function removeLane(tables: FrontierTables, lane: Lane): void {
  assert(lane.leased.size === 0, `${lane.authority} is being fetched`)
  const job = tables.jobs.byNumber(lane.job)
  if (job !== undefined) {
    job.counters.queued -= lane.taken
    job.counters.pending -= lane.pending
    tables.jobs.noteChange(job)
  }
  tables.lanes.remove(lane)
}

function lanesOf(tables: FrontierTables, prefix: Buffer): Lane[] {
  return [...rangeOf(tables, lanePrefix(prefix))].map(([key]) => {
    const { job, rest } = parseEntryKey(key)!
    return tables.lanes.get(parseUrl(`http://${rest.toString('latin1')}/`), job!)
  })
}

function rangeOf(tables: FrontierTables, prefix: Buffer): Iterable<[Buffer, Uint8Array]> {
  return tables.sites.range(prefix, afterPrefix(prefix))
}

function forgetInMemory(tables: FrontierTables, prefix: Buffer): void {
  tables.changeLog.forgetSite(prefix)
  tables.noise.forgetSite(prefix)
  const stored = tables.sites.get(siteKey(prefix))
  // Beside its ring key.
  const name = stored && Buffer.from(stored).toString('latin1').split(' ')[1]
  if (name === undefined) return
  tables.recrawl.forgetPlan(name)
  tables.known.forgetSite(name)
}
