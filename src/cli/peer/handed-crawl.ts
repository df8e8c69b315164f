// A crawl that a running peer does for us: begun there, followed here, paused there on Ctrl-C.

import type { JobOptions, JobOutcome } from '../../app/crawl/crawler.ts'
import type { JobMissing } from '../../model/jobs/job-missing.ts'
import type { JobRequest } from '../../model/jobs/job-service.ts'
import type { Context } from '../context.ts'
import { listenForInterruption } from '../interruption.ts'
import { CrawlProgress, type CrawlState } from '../output/crawl-progress.ts'
import { type PeerClient, PeerError } from './peer-client.ts'

/** What the peer tells of a job. */
interface HandedJob extends CrawlState {
  readonly id: string
  readonly state: 'running' | 'paused' | 'done'
  readonly ending: string | null
  readonly outcome: JobOutcome | null
  readonly missing: readonly JobMissing[]
  readonly advice: string | null
}

interface HandedCrawl {
  readonly job: HandedJob
  /** By us; a job that somebody else paused or ended has ended all the same. */
  readonly wasStopped: boolean
}

export async function crawlThrough(
  context: Context,
  peer: PeerClient,
  { budgets, ...options }: JobOptions & Pick<JobRequest, 'priority'>,
): Promise<HandedCrawl> {
  const { pages, bytes, timeMs } = budgets
  const request = { ...options, pages, bytes, timeMs }
  let job = await peer.post<HandedJob>('/api/v1/jobs', request)
  const path = `/api/v1/jobs/${job.id}`
  const progress = new CrawlProgress(context, () => job)
  const interruption = listenForInterruption((sentence) => context.terminal.tell(sentence))
  let pausing: Promise<unknown> | undefined
  interruption.signal.addEventListener('abort', () => {
    pausing = peer.post(`${path}/pause`)
    // Asked for again below; here it must only not go unheard.
    pausing.catch(() => {})
  })
  progress.start()
  try {
    let hasEnded = false
    for await (const { name, data } of peer.events(`${path}/events`)) {
      if (name === 'progress') job = data as HandedJob
      if (name === 'trouble') throw stoppedBy(data as { code: string; message: string })
      hasEnded ||= name === 'end'
    }
    await pausing
    if (!hasEnded) throw cutOff(peer)
    return { job, wasStopped: interruption.signal.aborted && job.state !== 'done' }
  } finally {
    progress.end()
    interruption.release()
  }
}

function stoppedBy({ code, message }: { code: string; message: string }): PeerError {
  return new PeerError(code, `The peer had to stop crawling: ${message}`, { retry: 'later' })
}

function cutOff({ url }: PeerClient): PeerError {
  return new PeerError(
    'peer-unreachable',
    `The peer at ${url} has stopped. The crawl goes on when it runs again, or with the same command.`,
    { retry: 'later' },
  )
}
