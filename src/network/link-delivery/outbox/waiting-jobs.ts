// Waiting jobs: how many links of each job wait in the outbox: a job is not at its end while one does.
//
// Kept in the outbox's own transactions, so that it is right after any crash.

import type { KeyValue, Table } from '../../../platform/storage/key-value.ts'
import type { LinkText } from '../forwarded-link.ts'

const linksBytes = 6
const linksMax = 2 ** 48 - 1

export class WaitingJobs {
  readonly #table: Table
  readonly #links = new Map<string, number>()

  constructor(keyValue: KeyValue) {
    this.#table = keyValue.table('jobs')
    for (const [key, value] of this.#table.range()) this.#links.set(Buffer.from(key).toString(), read(value))
  }

  linksOf(jobId: string): number {
    return this.#links.get(jobId) ?? 0
  }

  /** Inside a transaction: these come (1) or go (-1). What it gives is to be called once that has happened. */
  change(links: Iterable<Pick<LinkText, 'jobId'>>, sign: 1 | -1): () => void {
    const more = new Map<string, number>()
    for (const { jobId } of links) more.set(jobId, (more.get(jobId) ?? 0) + sign)
    for (const [jobId, count] of more) {
      const key = Buffer.from(jobId)
      const stored = this.#table.get(key)
      const sum = Math.min(linksMax, count + (stored === undefined ? 0 : read(stored)))
      if (sum > 0) this.#table.put(key, written(sum))
      else this.#table.remove(key)
    }
    return () => {
      for (const [jobId, count] of more) this.#count(jobId, count)
    }
  }

  #count(jobId: string, more: number): void {
    const sum = this.linksOf(jobId) + more
    if (sum > 0) this.#links.set(jobId, sum)
    else this.#links.delete(jobId)
  }
}

/** What was damaged on disk counts as none. */
function read(value: Uint8Array): number {
  return value.length === linksBytes ? Buffer.from(value).readUIntBE(0, linksBytes) : 0
}

function written(links: number): Buffer {
  const value = Buffer.allocUnsafe(linksBytes)
  value.writeUIntBE(links, 0, linksBytes)
  return value
}
