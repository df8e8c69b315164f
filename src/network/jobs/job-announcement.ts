// A job as all peers of a network know it: an announcement under the id that its options give it, whoever began it.
//
// Each time it is begun anew is a run, and a job of its own to the frontiers: so nothing of an earlier run is mistaken for it.

import { deflateSync, inflateSync } from 'node:zlib'
import * as v from 'valibot'
import { type JobOptions, type JobState, jobIdOf } from '../../crawl/frontier/jobs/crawl-job.ts'
import { JobError } from '../../crawl/jobs/job-error.ts'
import { PolyhistorError } from '../../errors.ts'
import { MessageWriter } from '../../formats/wire/message-bytes.ts'
import type { JobPriority, JobView } from '../../model/jobs/job-service.ts'
import { tryParseUrl } from '../../model/url/url.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type UnsignedAnnouncement, valueBytesMax } from '../announcements/announcement.ts'
import type { AnnouncementKind, Identity } from '../announcements/announcement-kind.ts'
import { jobSchema, seedsMax } from './job-schema.ts'

export const jobKind = 'job'
/** Where seeds redirected to, outside of the scope: named by job and URL. */
export const seedKind = 'seed'

export interface JobAnnouncement {
  /** Without the run. */
  readonly options: JobOptions
  readonly run: number
  readonly state: JobState
  readonly ending?: string | undefined
  readonly createdAtMs: number
  /** Normal unless told. */
  readonly priority?: JobPriority | undefined
  /** Who began the run, and answers for it whoever changes its state: signed, so that nobody is charged for another's jobs. */
  readonly startedBy: Starter
  /** Its seeds are on their way to those who crawl their sites. */
  readonly isSeeded: boolean
  /** What it came to, once it has ended. */
  readonly sums?: JobSums | undefined
  /** What those had done for it who are not there any more: nobody else can say. */
  readonly departed?: Departed | undefined
  /** Who was away when the run was begun, and has not been back since: they can have nothing of it. */
  readonly absent?: readonly PeerId[] | undefined
}

interface Starter {
  readonly peer: PeerId
  /** Of `startStatement`, base64url. */
  readonly signature: string
}

export type DepartedShare = Pick<JobSums, 'counters' | 'counts'>
export type Departed = Readonly<Record<PeerId, DepartedShare>>

export type JobSums = Pick<JobView, 'counters' | 'counts' | 'underWay'>

/** As many bytes as it may have when it is unpacked. */
const textBytesMax = 4 * 1024 * 1024
/** How far its time may be behind what its author's clock says: clocks differ. */
const createdAheadMsMax = 24 * 60 * 60_000
/** Links of runs before these are so old that nobody has them. */
const formerRunsMax = 8

/** By options, then run: hashing thousands of seeds takes long, and ids are asked for again and again. */
const idsOfRuns = new WeakMap<JobOptions, Map<number, string>>()

/** The same for all its runs. */
export function nameOf(options: JobOptions): string {
  return options.run === undefined ? idOf(options, 0) : jobIdOf({ ...options, run: undefined })
}

export function runOptions({ options, run }: Pick<JobAnnouncement, 'options' | 'run'>): JobOptions {
  return run === 0 ? options : { ...options, run }
}

export function runIdOf({ options, run }: Pick<JobAnnouncement, 'options' | 'run'>): string {
  return idOf(options, run)
}

function idOf(options: JobOptions, run: number): string {
  let ids = idsOfRuns.get(options)
  if (ids === undefined) idsOfRuns.set(options, (ids = new Map()))
  let id = ids.get(run)
  if (id === undefined) ids.set(run, (id = jobIdOf(runOptions({ options, run }))))
  return id
}

/** The ids of the runs before this one. */
export function formerIdsOf({ options, run }: JobAnnouncement): string[] {
  const count = Math.min(run, formerRunsMax)
  return Array.from({ length: count }, (_, index) => runIdOf({ options, run: run - 1 - index }))
}

export function startedBy(
  { self, sign }: Identity,
  { options, run }: Pick<JobAnnouncement, 'options' | 'run'>,
): Starter {
  const signature = sign(startStatement(nameOf(options), run))
  return { peer: self, signature: Buffer.from(signature).toString('base64url') }
}

function startStatement(name: string, run: number): Uint8Array {
  return new MessageWriter().text('start of a job').text(name).number(run).finish()
}

export function writeJobAnnouncement(announcement: JobAnnouncement): Uint8Array {
  const text = JSON.stringify(announcement)
  const bytes = deflateSync(text)
  const isShort = bytes.length <= valueBytesMax && Buffer.byteLength(text) <= textBytesMax
  if (isShort && announcement.options.seeds.length <= seedsMax) return bytes
  throw new JobError(
    'job-too-large',
    'A job of a network is told to every peer, and this one has too many seeds for that. Make several of it.',
  )
}

/** Reading takes long with thousands of seeds, and the same announcement is read by several. */
const jobsRead = new WeakMap<Uint8Array, JobAnnouncement | string>()

/** undefined for what is none. */
export function readJobAnnouncement(bytes: Uint8Array): JobAnnouncement | undefined {
  const job = readOrFault(bytes)
  return typeof job === 'string' ? undefined : job
}

function readOrFault(bytes: Uint8Array): JobAnnouncement | string {
  let read = jobsRead.get(bytes)
  if (read === undefined) jobsRead.set(bytes, (read = parseJob(bytes)))
  return read
}

function parseJob(bytes: Uint8Array): JobAnnouncement | string {
  const value = unpacked(bytes)
  if (value === undefined) return 'it is no job'
  // Before each of them is looked at.
  const { seeds } = (value as Partial<JobAnnouncement> | null)?.options ?? {}
  if (Array.isArray(seeds) && seeds.length > seedsMax) return 'it has too many seeds'
  try {
    return v.parse(jobSchema, value, { abortEarly: true, abortPipeEarly: true }) as JobAnnouncement
  } catch (error) {
    if (error instanceof v.ValiError || error instanceof PolyhistorError) return error.message
    throw error
  }
}

function unpacked(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(inflateSync(bytes, { maxOutputLength: textBytesMax }).toString())
  } catch {
    return undefined
  }
}

export const jobAnnouncementKind: AnnouncementKind = {
  kind: jobKind,
  nameBytesMax: 64,
  valueBytesMax,
  countMax: 2_000,
  bytesMax: 8 * 1024 * 1024,
  activeMax: 200,
  changes: { burst: 2_000, perMinute: 600 },
  fault: ({ name, value, version }) => {
    const job = readOrFault(value)
    if (typeof job === 'string') return job
    if (job.createdAtMs > version + createdAheadMsMax) return 'it begins in the future'
    return nameOf(job.options) === name ? undefined : 'its name is not that of its options'
  },
  isActive: ({ value }) => readJobAnnouncement(value)?.state === 'running',
  endorsement: ({ name, value }) => {
    const { startedBy: starter, run } = readJobAnnouncement(value)!
    const signature = Buffer.from(starter.signature, 'base64url')
    return { peer: starter.peer, statement: startStatement(name, run), signature }
  },
  // Whoever adopts it first answers for it.
  adopt: (announcement, identity) => {
    const job = unpacked(announcement.value) as JobAnnouncement
    const value = writeJobAnnouncement({ ...job, startedBy: startedBy(identity, job) })
    return { ...announcement, value, peer: identity.self }
  },
}

export const seedAnnouncementKind: AnnouncementKind = {
  kind: seedKind,
  nameBytesMax: 8_300,
  valueBytesMax: 0,
  countMax: 5_000,
  bytesMax: 2 * 1024 * 1024,
  changes: { burst: 10, perMinute: 1 },
  fault: ({ name }) => (seedOf({ name }) === undefined ? 'it names no job and URL' : undefined),
}

export function nameOfSeed({ jobId, href }: { jobId: string; href: string }): string {
  return `${jobId} ${href}`
}

export function seedOf({
  name,
}: Pick<UnsignedAnnouncement, 'name'>): { jobId: string; href: string } | undefined {
  const [, jobId, href] = /^([0-9a-f]{1,64}) (\S+)$/.exec(name) ?? []
  return jobId === undefined || tryParseUrl(href!)?.href !== href ? undefined : { jobId, href: href! }
}
