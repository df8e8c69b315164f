// Jobs as they happen, as Server-Sent Events: `progress` with the state of a job whenever that has changed, `url` for
// what happened to a URL, `end` when nothing more will, `trouble` before it when that is because crawling had to stop.
//
// A reader is never waited for: each has a place in a ring of the latest events, and who is too slow is told how many it
// missed. Streams are bounded in number and end with the server.

import type { JobLogLine, JobService, JobView } from '../../../model/jobs/job-service.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { HttpAnswer } from '../../../platform/network/http-server.ts'
import { withoutPaths } from '../../failure.ts'
import type { RouteRequest } from '../../route-request.ts'
import { StreamPlaces } from '../changes/stream-places.ts'
import { jobJson, logJson } from './job-routes.ts'

const lookMs = 250
/** Often enough that no proxy takes the stream for dead. */
const beatMs = 15_000
const ringSize = 1_000
const urlsAtOnce = 100
const streamLimits = { owners: 50, strangers: 150, perAddress: 10 }

export class JobEvents {
  readonly #jobs: JobService
  readonly #clock: Clock
  readonly #ring: JobLogLine[] = []
  /** The number of the next event. */
  #next = 0
  readonly #places = new StreamPlaces(streamLimits)
  #isClosed = false
  #lastRunning: JobView[] = []
  #lookedAtMs = Number.NEGATIVE_INFINITY

  constructor(needs: { jobs: JobService; clock: Clock }) {
    this.#jobs = needs.jobs
    this.#clock = needs.clock
  }

  happened(line: JobLogLine): void {
    this.#ring[this.#next % ringSize] = line
    this.#next++
  }

  /** All streams end. */
  close(): void {
    this.#isClosed = true
  }

  /** One job's events until that has ended or paused; without an id those of all, without end. */
  follow(jobId: string | undefined, request: RouteRequest): HttpAnswer {
    const isAsked = request.method === 'GET'
    const leave = isAsked ? this.#places.take(request) : () => {}
    request.signal.addEventListener('abort', leave, { once: true })
    const from = Number.parseInt(request.header('last-event-id') ?? '', 10)
    const start = Number.isSafeInteger(from) && from >= 0 && from < this.#next ? from + 1 : this.#next
    return {
      status: 200,
      headers: [
        ['Content-Type', 'text/event-stream; charset=utf-8'],
        ['Cache-Control', 'no-store'],
        ['X-Content-Type-Options', 'nosniff'],
        ['X-Accel-Buffering', 'no'],
      ],
      body: isAsked ? this.#stream(jobId, start, request, leave) : undefined,
    }
  }

  async *#stream(
    jobId: string | undefined,
    start: number,
    request: RouteRequest,
    leave: () => void,
  ): AsyncGenerator<Uint8Array> {
    const { signal } = request
    try {
      const told = new Map<string, string>()
      let place = start
      let beatAtMs = this.#clock.monotonicMs()
      while (!signal.aborted && !this.#isClosed) {
        const urls = this.#urlsFrom(place, jobId)
        place = urls.next
        const jobs = await this.#shown(jobId)
        const text = urls.text + jobs.map((job) => changed(job, told)).join('')
        const trouble = this.#troubleFor(request)
        const isOver = jobId !== undefined && urls.next === this.#next && (trouble || jobs.every(isQuiet))
        if (text !== '' || this.#clock.monotonicMs() - beatAtMs >= beatMs) {
          beatAtMs = this.#clock.monotonicMs()
          yield Buffer.from(text === '' ? ': \n\n' : text)
        }
        if (isOver) {
          yield Buffer.from((trouble ? event('trouble', trouble) : '') + event('end', {}))
          return
        }
        await this.#clock.sleep(lookMs, signal).catch(() => {})
      }
    } finally {
      leave()
    }
  }

  #troubleFor({ isOwner }: RouteRequest): { code: string; message: string } | undefined {
    const trouble = this.#jobs.trouble()
    return trouble === undefined || isOwner ? trouble : { ...trouble, message: withoutPaths(trouble.message) }
  }

  async #shown(jobId: string | undefined): Promise<JobView[]> {
    if (jobId === undefined) return this.#running()
    const job = await this.#jobs.find(jobId)
    return job === undefined ? [] : [job]
  }

  /** Looked up once for all who follow. */
  async #running(): Promise<JobView[]> {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#lookedAtMs >= lookMs) {
      this.#lookedAtMs = nowMs
      this.#lastRunning = (await this.#jobs.list()).filter(({ state }) => state === 'running')
    }
    return this.#lastRunning
  }

  #urlsFrom(place: number, jobId: string | undefined): { text: string; next: number } {
    const oldest = Math.max(place, this.#next - ringSize)
    let text = oldest > place ? event('missed', { events: oldest - place }) : ''
    let number = oldest
    for (let shown = 0; number < this.#next && shown < urlsAtOnce; number++) {
      const line = this.#ring[number % ringSize]!
      if (jobId !== undefined && line.jobId !== jobId) continue
      text += event('url', logJson(line), number)
      shown++
    }
    return { text, next: number }
  }
}

/** Nothing of it is under way, and nothing will be. */
function isQuiet({ state, underWay }: JobView): boolean {
  return state !== 'running' && underWay === 0
}

function changed(job: JobView, told: Map<string, string>): string {
  const text = event('progress', jobJson(job))
  if (told.get(job.id) === text) return ''
  told.set(job.id, text)
  return text
}

function event(name: string, data: object, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
