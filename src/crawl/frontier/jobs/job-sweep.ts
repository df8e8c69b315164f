// Job sweep: takes away what jobs that were started anew left behind, a little at a time.
//
// A job's entries lie with their sites, so all sites are passed once for the jobs that have ended when the pass begins.
// How far it is lies in the jobs' table, changed together with what was taken away: a crash costs nothing, and what is
// done twice finds nothing left. Every step is bounded, whatever a site or a job has.

import { afterPrefix, jobNumberBytes, jobPrefixes, sitePrefixBytes } from '../sites/site-keys.ts'
import type { BufferedTable } from '../write-buffer.ts'

interface Needs {
  sites: BufferedTable
  schedule: BufferedTable
  jobs: BufferedTable
}

interface SweepState {
  /** The jobs of this pass. */
  readonly jobs: readonly number[]
  /** Those that have come since; the next pass is for them. */
  readonly next: readonly number[]
  /** The site to go on with, as text, a byte a character. */
  readonly from: string
}

const stateKey = Buffer.from('sweep')
/** Entries taken away in a step, about. */
const entriesPerStep = 500
/** Sites looked at in a step, fewer where there are many jobs. */
const looksPerStep = 200
const jobsPerPass = 32
const nothing: SweepState = { jobs: [], next: [], from: '' }

export class JobSweep {
  readonly #needs: Needs
  #state: SweepState

  constructor(needs: Needs) {
    this.#needs = needs
    const stored = needs.jobs.get(stateKey)
    this.#state = stored ? (JSON.parse(Buffer.from(stored).toString('latin1')) as SweepState) : nothing
  }

  get isIdle(): boolean {
    return this.#state.jobs.length + this.#state.next.length === 0
  }

  /** Nobody asks for this job any more. */
  add(job: number): void {
    this.#put({ ...this.#state, next: [...this.#state.next, job] })
  }

  step(): void {
    if (this.isIdle) return
    if (this.#state.jobs.length === 0) this.#beginPass()
    let left = this.#sweepSchedule(entriesPerStep)
    for (let looks = looksPerStep; looks > 0 && left > 0; looks -= this.#state.jobs.length) {
      const site = this.#nextSite()
      if (site === undefined) {
        this.#put({ ...this.#state, jobs: [], from: '' })
        return
      }
      left = this.#sweepSite(site, left)
      // A site of which something may be left is looked at again.
      if (left > 0) this.#put({ ...this.#state, from: textAfter(site) })
    }
  }

  #beginPass(): void {
    const { next } = this.#state
    this.#put({ jobs: next.slice(0, jobsPerPass), next: next.slice(jobsPerPass), from: '' })
  }

  #nextSite(): Buffer | undefined {
    const from = Buffer.from(this.#state.from.padEnd(1, '\0'), 'latin1')
    for (const [key] of this.#needs.sites.range(from, behindAll, 1)) return key.subarray(0, sitePrefixBytes)
    return undefined
  }

  #sweepSchedule(limit: number): number {
    let left = limit
    for (const job of this.#state.jobs) {
      const prefix = Buffer.alloc(jobNumberBytes)
      prefix.writeUIntBE(job, 0, jobNumberBytes)
      left = removeAll(this.#needs.schedule, prefix, left)
    }
    return left
  }

  #sweepSite(site: Buffer, limit: number): number {
    let left = limit
    for (const job of this.#state.jobs) {
      for (const prefix of jobPrefixes(site, job)) left = removeAll(this.#needs.sites, prefix, left)
    }
    return left
  }

  #put(state: SweepState): void {
    this.#state = state
    if (this.isIdle) this.#needs.jobs.remove(stateKey)
    else this.#needs.jobs.put(stateKey, Buffer.from(JSON.stringify(state), 'latin1'))
  }
}

const behindAll = Buffer.alloc(sitePrefixBytes + 1, 0xff)

/** How many more may be removed. */
function removeAll(table: BufferedTable, prefix: Buffer, limit: number): number {
  if (limit <= 0) return 0
  const keys = [...table.range(prefix, afterPrefix(prefix), limit)].map(([key]) => key)
  for (const key of keys) table.remove(key)
  return limit - keys.length
}

function textAfter(site: Buffer): string {
  // No site's prefix is all 0xff but by an accident of 64 bits; then the pass ends there.
  return site.every((byte) => byte === 0xff)
    ? behindAll.toString('latin1')
    : afterPrefix(site).toString('latin1')
}
