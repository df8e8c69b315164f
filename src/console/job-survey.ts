// Job survey: who did what of a job, on all peers of the network: hosts with the peer that crawls each, and what was not kept, by
// reason. What others say is a claim, shown to people.

import { unlessFails } from '../errors.ts'
import type { JobMissing } from '../model/jobs/job-missing.ts'
import type { JobDetails, JobService } from '../model/jobs/job-service.ts'
import type { JobPart, PeerSurvey } from '../model/survey.ts'

interface Needs {
  readonly jobs: Pick<JobService, 'details'>
  readonly self: string
  /** Everybody known to be there, without ourselves. */
  peers(): readonly string[]
  survey(peer: string): PeerSurvey
}

const peersMax = 200
const hostsMax = 2_000

export async function jobDetailsOfAll({ jobs, self, peers, survey }: Needs, id: string): Promise<JobDetails> {
  const own = await jobs.details(id)
  const asked = peers().slice(0, peersMax)
  const parts = await Promise.all(
    [self, ...asked].map(async (peer) => ({
      peer,
      part: await unlessFails(Promise.resolve(survey(peer).job(id))),
    })),
  )
  const told = parts.flatMap(({ peer, part }) => (part === undefined ? [] : [{ peer, part }]))
  const hosts = told.flatMap(({ peer, part }) => part.hosts.map((host) => ({ ...host, peer })))
  return {
    ...own,
    hosts: hosts.slice(0, hostsMax),
    areHostsAll: hosts.length <= hostsMax && told.every(({ part }) => part.areHostsAll),
    missing: mergedReasons(told.map(({ part }) => part)),
    silent: parts.length - told.length,
  }
}

/** Those of one kind together, the most frequent first. */
export function mergedReasons(parts: readonly Pick<JobPart, 'missing'>[]): JobMissing[] {
  const byCode = new Map<string, JobMissing>()
  for (const reason of parts.flatMap(({ missing }) => missing)) {
    const before = byCode.get(reason.code)
    const sum = before && { count: before.count + reason.count, seeds: before.seeds + reason.seeds }
    byCode.set(reason.code, { ...(before ?? reason), ...sum })
  }
  return [...byCode.values()].sort((one, other) => other.count - one.count)
}
