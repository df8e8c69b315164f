// One thread for work that cannot be trusted to end, or to leave memory to others: a job that takes too long, or too much memory,
// ends with its thread, and the next begins in a new one.
//
// Jobs wait in line. Small ones are sent some ahead, so that the thread need not wait for this one, which may be busy, and several in a
// message, which costs as much as a small job, on both sides. When the thread is lost with several, each of them is tried again
// alone: what is lost alone is to blame. The thread has a low priority where the system can give it one, and keeps the process alive
// only while it works.

import { Worker } from 'node:worker_threads'
import { programModule } from '../../program-files.ts'
import type { Workers } from '../../workers.ts'
import { type Job, jobsPerMessage, type Order, type Reply } from './workers.ts'

export interface ThreadLimits {
  /** Of a job, or of several small ones in one message together. */
  readonly jobMsMax: number
  readonly heapMegabytesMax: number
}

interface BoundedJob<Input, Output> extends Job<Input, Output> {
  /** It was lost with others. */
  isSuspect: boolean
}

/** That the thread has at once: a message that it works on, and one ahead. */
const jobsMax = 2 * jobsPerMessage
/** What is smaller is copied, so that it can be sent again. */
const smallBytes = 256 * 1024

export class BoundedWorkers<Input, Output> implements Workers<Input, Output> {
  readonly #module: URL
  readonly #limits: ThreadLimits
  readonly #waiting: BoundedJob<Input, Output>[] = []
  #worker: Worker | undefined
  /** That it has, by id, in the order in which they were sent. */
  readonly #jobs = new Map<number, BoundedJob<Input, Output>>()
  /** Given to it in this turn, and not sent yet. */
  #orders: Order<Input>[] = []
  #lastId = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** `module` exports `work(input)`. */
  constructor(module: URL, limits: ThreadLimits) {
    this.#module = module
    this.#limits = limits
  }

  run(input: Input, transfer: readonly ArrayBuffer[] = []): Promise<Output> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Error('The workers are closed.'))
      this.#waiting.push({ input, transfer, isSuspect: false, resolve, reject })
      this.#next()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of this.#waiting.splice(0)) job.reject(new Error('The workers are closed.'))
    clearTimeout(this.#timer)
    await this.#worker?.terminate()
  }

  #next(): void {
    while (!this.#isClosed && this.#waiting.length > 0 && this.#hasRoom(this.#waiting[0]!))
      this.#send(this.#waiting.shift()!)
  }

  #hasRoom(job: BoundedJob<Input, Output>): boolean {
    if (this.#jobs.size === 0) return true
    return this.#jobs.size < jobsMax && mayShare(job) && this.#jobs.values().every(mayShare)
  }

  #send(job: BoundedJob<Input, Output>): void {
    const id = ++this.#lastId
    this.#jobs.set(id, job)
    this.#worker ??= this.#start()
    this.#worker.ref()
    if (this.#jobs.size === 1) this.#startTimer()
    if (this.#orders.length === 0) setImmediate(() => this.#post())
    this.#orders.push({ id, input: job.input })
  }

  #post(): void {
    const orders = this.#orders.filter(({ id }) => this.#jobs.has(id))
    this.#orders = []
    for (let from = 0; from < orders.length; from += jobsPerMessage) {
      const some = orders.slice(from, from + jobsPerMessage)
      const jobs = some.map(({ id }) => this.#jobs.get(id)!)
      this.#worker?.postMessage(
        some,
        jobs.flatMap((job) => (isSmall(job) ? [] : [...job.transfer])),
      )
    }
  }

  /** Of the message that is being worked on. */
  #startTimer(): void {
    const { jobMsMax } = this.#limits
    this.#timer = setTimeout(() => this.#lose(`It took more than ${jobMsMax} ms.`), jobMsMax)
  }

  #start(): Worker {
    const worker = new Worker(programModule('platform/real/threads/worker-entry'), {
      workerData: this.#module.href,
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMegabytesMax },
    })
    worker.on('message', (replies: Reply<Output>[]) => this.#finish(replies))
    worker.on('error', (error: unknown) => worker === this.#worker && this.#lose((error as Error).message))
    worker.on('exit', () => worker === this.#worker && this.#lose('A worker thread ended.'))
    return worker
  }

  #finish(replies: readonly Reply<Output>[]): void {
    clearTimeout(this.#timer)
    for (const reply of replies) {
      const job = this.#jobs.get(reply.id)
      this.#jobs.delete(reply.id)
      if ('message' in reply) job?.reject(new Error(reply.message))
      else job?.resolve(reply.output)
    }
    if (this.#jobs.size > 0) this.#startTimer()
    else if (this.#waiting.length === 0) this.#worker?.unref()
    this.#next()
  }

  #lose(reason: string): void {
    clearTimeout(this.#timer)
    const [worker, jobs] = [this.#worker, [...this.#jobs.values()]]
    this.#worker = undefined
    this.#jobs.clear()
    void worker?.terminate()
    if (jobs.length === 1) jobs[0]!.reject(new Error(reason))
    else {
      for (const job of jobs) job.isSuspect = true
      this.#waiting.unshift(...jobs)
    }
    this.#next()
  }
}

function mayShare(job: BoundedJob<unknown, unknown>): boolean {
  return !job.isSuspect && isSmall(job)
}

function isSmall({ transfer }: BoundedJob<unknown, unknown>): boolean {
  return transfer.reduce((sum, { byteLength }) => sum + byteLength, 0) <= smallBytes
}
