// Entry names: what a site's entries are called outside of this frontier, as text, a byte a character.
//
// Job numbers are each frontier's own, so a name has the job's id in place of it: kind, ten bytes of job id where there is a
// job, and the rest of the key. The site is not part of it.

import type { JobTable } from '../jobs/job-table.ts'
import {
  type EntryKind,
  entryKinds,
  isKindWithJob,
  jobNumberBytes,
  lettersWithJob,
  sitePrefixBytes,
} from './site-keys.ts'

const jobIdBytes = 10
const kindOfLetter: ReadonlyMap<string, EntryKind> = new Map(
  Object.entries(entryKinds).map(([kind, letter]) => [letter, kind as EntryKind]),
)

export class EntryNames {
  readonly #jobs: JobTable

  constructor(jobs: JobTable) {
    this.#jobs = jobs
  }

  /** undefined for what is left of a job that was started anew: see job-sweep.ts. */
  nameOf(key: string): string | undefined {
    const letter = key[sitePrefixBytes]!
    if (!isKindWithJob(letter)) return key.slice(sitePrefixBytes)
    const start = sitePrefixBytes + 1
    const number =
      key.charCodeAt(start) * 65_536 + key.charCodeAt(start + 1) * 256 + key.charCodeAt(start + 2)
    const job = this.#jobs.byNumber(number)
    return job && letter + job.idBytes + key.slice(start + jobNumberBytes)
  }

  /** undefined when there is no such job here, or no such kind. */
  keyOf(site: string, name: string): string | undefined {
    const letter = name[0] ?? ''
    if (!kindOfLetter.has(letter)) return undefined
    const id = jobIdIn(name)
    if (id === undefined) return site + name
    const number = this.#jobs.find(id)?.number
    if (number === undefined) return undefined
    const bytes = String.fromCharCode(number >>> 16, (number >>> 8) & 255, number & 255)
    return site + letter + bytes + name.slice(1 + jobIdBytes)
  }
}

/** What all entries of the job on a site are called, one beginning for each kind. */
export function jobNames({ idBytes }: { readonly idBytes: string }): string[] {
  return lettersWithJob().map((letter) => letter + idBytes)
}

export function kindIn(name: string): EntryKind | undefined {
  return kindOfLetter.get(name[0] ?? '')
}

/** The id of the job that an entry of this name is of. */
export function jobIdIn(name: string): string | undefined {
  if (!isKindWithJob(name[0] ?? '')) return undefined
  return Buffer.from(name.slice(1, 1 + jobIdBytes), 'latin1').toString('hex')
}

/** What follows kind and job. */
export function restOf(name: string): string {
  return name.slice(isKindWithJob(name[0] ?? '') ? 1 + jobIdBytes : 1)
}
