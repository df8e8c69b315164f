// The process of the generated web, as those see it who measure: where it is, what it has, and what arrived.

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { addressOfHost, imagePath, pagePath, type WebShape } from './generated-web.ts'
import type { Arrival, OriginAnswer, OriginQuestion } from './origin.ts'

export class OriginProcess {
  readonly #process: ChildProcess
  readonly #shape: WebShape
  readonly port: number
  readonly bytes: number

  private constructor(child: ChildProcess, shape: WebShape, port: number, bytes: number) {
    this.#process = child
    this.#shape = shape
    this.port = port
    this.bytes = bytes
  }

  static async start(shape: WebShape): Promise<OriginProcess> {
    const child = fork(join(import.meta.dirname, 'origin.ts'), [JSON.stringify(shape)])
    const started = (await answerOf(child)) as { port: number; bytes: number }
    return new OriginProcess(child, shape, started.port, started.bytes)
  }

  get start(): string {
    return `http://${addressOfHost(0)}:${this.port}/`
  }

  get addresses(): string[] {
    return Array.from({ length: this.#shape.hosts }, (_, host) => addressOfHost(host))
  }

  /** All that there is, which is all that can be reached. */
  get urls(): Set<string> {
    const { pages, images } = this.#shape
    const urls = new Set<string>()
    for (const address of this.addresses) {
      const origin = `http://${address}:${this.port}`
      for (let page = 0; page < pages; page++) urls.add(origin + pagePath(page))
      for (let image = 0; image < images; image++) urls.add(origin + imagePath(image))
    }
    return urls
  }

  /** Since it was asked last. */
  async takeArrivals(): Promise<Arrival[]> {
    this.#process.send('arrivals' satisfies OriginQuestion)
    return ((await answerOf(this.#process)) as { arrivals: Arrival[] }).arrivals
  }

  /** Edits so large a share of the pages; gives how many. */
  async change(share: number): Promise<number> {
    this.#process.send({ change: share } satisfies OriginQuestion)
    return ((await answerOf(this.#process)) as { changed: number }).changed
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.kill()
    await ended
  }
}

function answerOf(child: ChildProcess): Promise<OriginAnswer> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('The origin ended.'))
    child.once('exit', ended)
    child.once('message', (answer) => {
      child.off('exit', ended)
      resolve(answer as OriginAnswer)
    })
  })
}
