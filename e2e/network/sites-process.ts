// The process of a generated web, as those see it who watch: what it has, and what arrived.

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { watched } from '../../src/platform/fixtures/child-processes.ts'
import type { Arrival } from './arrivals.ts'
import { GeneratedSites } from './generated-sites.ts'
import type { OriginMessage, OriginPlan } from './sites-origin.ts'

export class SitesProcess {
  readonly web: GeneratedSites
  readonly #child: ChildProcess
  /** Answers tell not which question they are to: one question at a time. */
  #last: Promise<unknown> = Promise.resolve()

  private constructor(child: ChildProcess, web: GeneratedSites) {
    this.#child = child
    this.web = web
  }

  static async start(plan: OriginPlan): Promise<SitesProcess> {
    // Infinity is an end that has not come; JSON would make it null.
    const options = { serialization: 'advanced' } as const
    const child = watched(fork(join(import.meta.dirname, 'sites-origin.ts'), [JSON.stringify(plan)], options))
    const { port } = (await messageOf(child)) as { port: number }
    return new SitesProcess(child, new GeneratedSites(plan, port))
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Since the beginning. */
  arrivals(): Promise<Arrival[]> {
    const asked = this.#last.then(() => this.#askForArrivals())
    this.#last = asked.catch(() => {})
    return asked
  }

  async #askForArrivals(): Promise<Arrival[]> {
    this.#child.send('arrivals')
    return ((await messageOf(this.#child)) as { arrivals: Arrival[] }).arrivals
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill()
    await ended
  }
}

function messageOf(child: ChildProcess): Promise<OriginMessage> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('The origin ended.'))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message as OriginMessage)
    })
  })
}
