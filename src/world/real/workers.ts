// A few threads that all run the same module: its export `work` is called with each input.
//
// Bounded: no more threads than asked for; jobs wait in line. Threads keep the process alive only while they work.

import { Worker } from 'node:worker_threads'
import type { Workers } from '../workers.ts'

interface Job<Input, Output> {
  input: Input
  transfer: readonly ArrayBuffer[]
  resolve(output: Output): void
  reject(error: unknown): void
}

type Reply<Output> = { output: Output } | { message: string }

export class RealWorkers<Input, Output> implements Workers<Input, Output> {
  readonly #module: URL
  readonly #threadsMax: number
  readonly #idle: Worker[] = []
  readonly #busy = new Map<Worker, Job<Input, Output>>()
  readonly #waiting: Job<Input, Output>[] = []
  #isClosed = false

  /** `module` exports `work(input)`. */
  constructor(module: URL, threadsMax: number) {
    this.#module = module
    this.#threadsMax = threadsMax
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
    const workers = [...this.#idle.splice(0), ...this.#busy.keys()]
    await Promise.all(workers.map((worker) => worker.terminate()))
  }

  #next(): void {
    if (this.#waiting.length === 0) return
    const worker = this.#idle.pop() ?? this.#start()
    if (worker === undefined) return
    const job = this.#waiting.shift()!
    this.#busy.set(worker, job)
    worker.ref()
    worker.postMessage(job.input, [...job.transfer])
  }

  #start(): Worker | undefined {
    if (this.#busy.size >= this.#threadsMax) return undefined
    const entry = new URL(
      import.meta.url.endsWith('.ts') ? './worker-entry.ts' : './worker-entry.js',
      import.meta.url,
    )
    const worker = new Worker(entry, { workerData: this.#module.href })
    worker.on('message', (reply: Reply<Output>) => this.#finish(worker, reply))
    worker.on('error', (error: unknown) => this.#lose(worker, error))
    worker.on('exit', () => this.#lose(worker, new Error('A worker thread ended.')))
    return worker
  }

  #finish(worker: Worker, reply: Reply<Output>): void {
    const job = this.#busy.get(worker)
    this.#busy.delete(worker)
    worker.unref()
    this.#idle.push(worker)
    if ('message' in reply) job?.reject(new Error(reply.message))
    else job?.resolve(reply.output)
    this.#next()
  }

  #lose(worker: Worker, error: unknown): void {
    const job = this.#busy.get(worker)
    this.#busy.delete(worker)
    const place = this.#idle.indexOf(worker)
    if (place >= 0) this.#idle.splice(place, 1)
    job?.reject(error)
    this.#next()
  }
}
