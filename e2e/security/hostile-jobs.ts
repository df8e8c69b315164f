// Jobs as a hostile member announces them: begun and signed by itself, with options of any kind.

import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { JobOptions } from '../../src/crawl/frontier/jobs/crawl-job.ts'
import type { Identity } from '../../src/network/announcements/announcement-kind.ts'
import { nameOf, startedBy } from '../../src/network/jobs/job-announcement.ts'
import type { Announcement } from './announcements.ts'

const seedChars = 1_500

/** `more`: fields of the job beside its options. */
export function jobAnnouncement(identity: Identity, options: object, more: object = {}): Announcement {
  const run = { options: options as JobOptions, run: 0 }
  const starter = startedBy(identity, run)
  const state = { state: 'running', createdAtMs: Date.now(), isSeeded: false }
  const value = deflateSync(JSON.stringify({ ...run, startedBy: starter, ...state, ...more }))
  return { kind: 'job', name: nameOf(run.options), value: new Uint8Array(value) }
}

/** A job of about so many bytes: seeds by chance cannot be packed. */
export function largeJob(identity: Identity, valueBytes: number): Announcement {
  const seeds = Array.from({ length: Math.floor((0.95 * valueBytes) / seedChars) }, () => {
    const path = randomBytes(Math.floor(seedChars * 0.75)).toString('base64url')
    return `http://127.9.9.9:9/${path}`
  })
  return jobAnnouncement(identity, { seeds, scope: 'page', budgets: {} }, { state: 'done' })
}
