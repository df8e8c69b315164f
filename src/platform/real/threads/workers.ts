// A few threads that all run the same module: its export `work` is called with each input.
//
// Bounded: no more threads than asked for; jobs wait in line. Threads keep the process alive only while they work.
// A thread may be sent some jobs ahead of the one it does, so that it need not wait for this thread, which may be busy, to
// see that it is done. Jobs of one turn of the event loop go in few messages, and come back in as many: a message costs as
// much as a small job, on both sides. But not in one: it is answered as a whole, and meanwhile there must be others to do.

import { Worker } from 'node:worker_threads'
import { programModule } from '../../program-files.ts'
import type { Workers } from '../../workers.ts'

export interface Job<Input, Output> {
  readonly input: Input
  readonly transfer: readonly ArrayBuffer[]
  resolve(output: Output): void
  reject(error: unknown): void
}

export interface Order<Input> {
  readonly id: number
  readonly input: Input
}

export type Reply<Output> = { readonly id: number } & (
  | { readonly output: Output }
  | { readonly message: string }
)

interface Thread<Input, Output> {
  readonly worker: Worker
  readonly jobs: Map<number, Job<Input, Output>>
  /** Given to it in this turn, and not sent yet. */
  orders: Order<Input>[]
}

/** Jobs that go and come back together. */
export const jobsPerMessage = 8

export class RealWorkers<Input, Output> implements Workers<Input, Output> {
  readonly #module: URL
  readonly #threadsMax: number
  readonly #jobsMax: number
  readonly #threads = new Set<Thread<Input, Output>>()
  readonly #waiting: Job<Input, Output>[] = []
  #lastId = 0
  #isClosed = false

  /** `module` exports `work(input)`. `jobsMax`: that a thread has at once, the one that it does and those sent ahead. */
  constructor(module: URL, threadsMax: number, jobsMax = 1) {
    this.#module = module
    this.#threadsMax = threadsMax
    this.#jobsMax = jobsMax
  }

  /** Starts the threads ahead of the first job, which need not wait then until their module is loaded. */
  start(): void {
    while (this.#threads.size < this.#threadsMax) this.#start().worker.unref()
  }

  run(input: Input, transfer: readonly ArrayBuffer[] = []): Promise<Output> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Error('The workers are closed.'))
      this.#waiting.push({ input, transfer, resolve, reject })
      this.#next()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of this.#waiting.splice(0)) job.reject(new Error('The workers are closed.'))
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#freest()
      if (thread === undefined) return
      this.#send(thread, this.#waiting.shift()!)
    }
  }

  #send(thread: Thread<Input, Output>, job: Job<Input, Output>): void {
    const id = ++this.#lastId
    if (thread.jobs.size === 0) thread.worker.ref()
    thread.jobs.set(id, job)
    if (thread.orders.length === 0) setImmediate(() => this.#post(thread))
    thread.orders.push({ id, input: job.input })
  }

  #post(thread: Thread<Input, Output>): void {
    const { worker, orders } = thread
    thread.orders = []
    for (let from = 0; from < orders.length; from += jobsPerMessage) {
      const some = orders.slice(from, from + jobsPerMessage)
      worker.postMessage(
        some,
        some.flatMap(({ id }) => [...(thread.jobs.get(id)?.transfer ?? [])]),
      )
    }
  }

  /** An idle one, a new one, or the one with the fewest jobs, in this order. */
  #freest(): Thread<Input, Output> | undefined {
    let freest: Thread<Input, Output> | undefined
    for (const thread of this.#threads)
      if (freest === undefined || thread.jobs.size < freest.jobs.size) freest = thread
    if (freest?.jobs.size === 0) return freest
    if (this.#threads.size < this.#threadsMax) return this.#start()
    return freest!.jobs.size < this.#jobsMax ? freest : undefined
  }

  #start(): Thread<Input, Output> {
    const worker = new Worker(programModule('platform/real/threads/worker-entry'), {
      workerData: this.#module.href,
    })
    const thread: Thread<Input, Output> = { worker, jobs: new Map(), orders: [] }
    worker.on('message', (replies: Reply<Output>[]) => this.#finish(thread, replies))
    worker.on('error', (error: unknown) => this.#lose(thread, error))
    worker.on('exit', () => this.#lose(thread, new Error('A worker thread ended.')))
    this.#threads.add(thread)
    return thread
  }

  #finish(thread: Thread<Input, Output>, replies: readonly Reply<Output>[]): void {
    for (const reply of replies) {
      const job = thread.jobs.get(reply.id)
      thread.jobs.delete(reply.id)
      if ('message' in reply) job?.reject(new Error(reply.message))
      else job?.resolve(reply.output)
    }
    if (thread.jobs.size === 0) thread.worker.unref()
    this.#next()
  }

  /** Its jobs may have been given away with it, so they are lost, too. */
  #lose(thread: Thread<Input, Output>, error: unknown): void {
    if (!this.#threads.delete(thread)) return
    for (const job of thread.jobs.values()) job.reject(error)
    this.#next()
  }
}
