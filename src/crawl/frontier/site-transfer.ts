// Site transfer: all that a frontier keeps of one site, taken out to be handed to another frontier.
//
// Job numbers are each frontier's own, so entries name the job by its id; who imports an entry of a job that it does not
// have passes over it.

import assert from 'node:assert/strict'
import { parseUrl, type Url } from '../../record/url.ts'
import type { FrontierTables } from './frontier-tables.ts'
import type { Lane } from './lane.ts'
import { afterPrefix, type EntryKind, entryKey, parseEntryKey, siteKey, sitePrefix } from './site-keys.ts'

export interface SiteEntry {
  readonly kind: EntryKind
  readonly jobId: string | undefined
  readonly name: Uint8Array
  readonly value: Uint8Array
}

/** Entries imported between two looks at whether there is room for more. */
const entriesAtOnce = 500
/** At the end of a queue chunk's name. */
const sequenceBytes = 6

export function* exportSite(tables: FrontierTables, site: Buffer): Generator<SiteEntry> {
  const ids = new Map(tables.jobs.all.map(({ number, id }) => [number, id]))
  for (const [key, value] of tables.sites.range(site, afterPrefix(site))) {
    const entry = parseEntryKey(key)
    if (entry === undefined) continue
    const jobId = entry.job === undefined ? undefined : ids.get(entry.job)
    // Of a job that was started anew: see job-sweep.ts.
    if (entry.job !== undefined && jobId === undefined) continue
    yield { kind: entry.kind, jobId, name: entry.rest, value }
  }
}

export async function importSite(
  tables: FrontierTables,
  url: Url,
  entries: Iterable<SiteEntry>,
  nowMs: number,
): Promise<void> {
  const site = sitePrefix(url)
  const own = Buffer.from(tables.sites.get(siteKey(site)) ?? []).toString('latin1')
  assert(own === '' || own === `${url.ringKey} ${url.site}`, `${own} and ${url.site} share a ring key`)
  const lanes: SiteEntry[] = []
  let count = 0
  for (const entry of entries) {
    const { kind, jobId, name, value } = entry
    const job = jobId === undefined ? undefined : tables.jobs.find(jobId)?.number
    if (jobId !== undefined && job === undefined) continue
    if (kind === 'queued')
      tables.jobs.skipSequence(Buffer.from(name).readUIntBE(name.length - sequenceBytes, sequenceBytes))
    if (kind === 'host') tables.hosts.forget(Buffer.from(name).toString('latin1'))
    if (kind === 'plan') tables.recrawl.forgetPlan(url)
    // Last, when all that they need is there. A site has few.
    if (kind === 'lane') lanes.push(entry)
    else tables.sites.put(entryKey(site, { kind, job, rest: Buffer.from(name) }), value)
    if (++count % entriesAtOnce === 0) {
      tables.buffer.checkpoint()
      await tables.buffer.room()
    }
  }
  tables.known.forget()
  for (const { jobId, name, value } of lanes) {
    const lane = importLane(tables, url, jobId!, Buffer.from(name).toString('latin1'), value)
    if (lane.pending > 0) tables.lanes.wake(lane, nowMs)
  }
}

/** A lane is scheduled here anew, and its URLs count for the job here. */
function importLane(
  tables: FrontierTables,
  url: Url,
  jobId: string,
  authority: string,
  value: Uint8Array,
): Lane {
  const job = tables.jobs.get(jobId)
  const [taken = 0, pending = 0] = Buffer.from(value).toString('latin1').split(' ').map(Number)
  const lane = tables.lanes.get(parseUrl(`${url.scheme}://${authority}/`), job.number)
  assert(lane.pending === 0, `${authority} is queued here already`)
  lane.taken = taken
  lane.pending = pending
  lane.unload()
  tables.lanes.noteChange(lane)
  job.counters.queued += taken
  job.counters.pending += pending
  tables.jobs.noteChange(job)
  return lane
}
