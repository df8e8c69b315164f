// A job as all peers of a network know it: a notice under the id that its options give it, whoever began it.
//
// Each time it is begun anew is a run, and a job of its own to the frontiers: so nothing of an earlier run is mistaken for it.

import { deflateSync, inflateSync } from 'node:zlib'
import { ApiError } from '../../api/api-error.ts'
import type { JobView } from '../../api/v1/job-desk.ts'
import { type JobOptions, type JobState, jobIdOf } from '../../crawl/frontier/crawl-job.ts'
import { valueBytesMax } from '../../replica/notices/notice.ts'
import type { PeerId } from '../../world/network.ts'

export const jobKind = 'job'

export interface JobNotice {
  /** Without the run. */
  readonly options: JobOptions
  readonly run: number
  readonly state: JobState
  readonly ending?: string | undefined
  readonly createdAtMs: number
  /** Its seeds are on their way to those who crawl their sites. */
  readonly isSeeded: boolean
  /** What it came to, once it has ended. */
  readonly sums?: JobSums | undefined
  /** What those had done for it who are not there any more: nobody else can say. */
  readonly departed?: Departed | undefined
  /** Who was away when the run was begun, and has not been back since: they can have nothing of it. */
  readonly absent?: readonly PeerId[] | undefined
}

export type DepartedShare = Pick<JobSums, 'counters' | 'counts'>
export type Departed = Readonly<Record<PeerId, DepartedShare>>

export type JobSums = Pick<JobView, 'counters' | 'counts' | 'underWay'>

/** As many bytes as it may have when it is unpacked. */
const textBytesMax = 32 * 1024 * 1024
/** Links of runs before these are so old that nobody has them. */
const formerRunsMax = 8

/** By options, then run: hashing thousands of seeds takes long, and ids are asked for again and again. */
const idsOfRuns = new WeakMap<JobOptions, Map<number, string>>()

/** The same for all its runs. */
export function nameOf(options: JobOptions): string {
  return options.run === undefined ? idOf(options, 0) : jobIdOf({ ...options, run: undefined })
}

export function runOptions({ options, run }: Pick<JobNotice, 'options' | 'run'>): JobOptions {
  return run === 0 ? options : { ...options, run }
}

export function runIdOf({ options, run }: Pick<JobNotice, 'options' | 'run'>): string {
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
export function formerIdsOf({ options, run }: JobNotice): string[] {
  const count = Math.min(run, formerRunsMax)
  return Array.from({ length: count }, (_, index) => runIdOf({ options, run: run - 1 - index }))
}

export function writeJobNotice(notice: JobNotice): Uint8Array {
  const bytes = deflateSync(JSON.stringify(notice))
  if (bytes.length <= valueBytesMax) return bytes
  throw new ApiError(
    'request-malformed',
    'A job of a network is told to every peer, and this one has too many seeds for that. Make several of it.',
  )
}

/** undefined for what is none: a later version may write them in another way. */
export function readJobNotice(bytes: Uint8Array): JobNotice | undefined {
  try {
    const notice = JSON.parse(inflateSync(bytes, { maxOutputLength: textBytesMax }).toString()) as JobNotice
    const { options, run, state, createdAtMs } = notice
    const isWhole =
      Array.isArray(options?.seeds) &&
      typeof options.budgets === 'object' &&
      Number.isSafeInteger(run) &&
      ['running', 'paused', 'done'].includes(state) &&
      Number.isFinite(createdAtMs)
    return isWhole ? notice : undefined
  } catch {
    return undefined
  }
}
