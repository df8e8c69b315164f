// The other process of the benchmark (holding-peer.ts), as this one sees it.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { usedMicros } from '../transport/processor-time.ts'

/** What it is: the owner of all, or one that is to keep it, or a plain program. */
export type Role = 'owner' | 'member' | 'plain'

interface Told {
  peer: string
  addresses: string[]
  rawAddress: string
}

export interface Spent {
  seconds: number
  /** Seconds of processor time, all threads. */
  here: number
  /** Of those here, the seconds of the main thread: what cannot be shared among cores. */
  main: number
  there: number
}

export class OtherProcess {
  readonly peer: string
  readonly addresses: string[]
  readonly rawAddress: string
  readonly #process: ReturnType<typeof fork>

  static async start(folder: string, role: Role): Promise<OtherProcess> {
    const child = fork(join(import.meta.dirname, 'holding-peer.ts'), [folder, role])
    const [told] = (await once(child, 'message')) as [Told]
    return new OtherProcess(child, told)
  }

  private constructor(child: ReturnType<typeof fork>, told: Told) {
    this.#process = child
    this.peer = told.peer
    this.addresses = told.addresses
    this.rawAddress = told.rawAddress
  }

  /** From now on it knows us, and compares or answers. */
  async meet(network: { self: string; addresses(): string[] }): Promise<void> {
    this.#process.send({ peer: network.self, addresses: network.addresses() })
    await this.#usedMicros()
  }

  /** What some work takes, here and there. */
  async measure(work: () => Promise<unknown>): Promise<Spent> {
    const hereBefore = usedMicros()
    const thereBefore = await this.#usedMicros()
    const mainBefore = mainMicros()
    const startMs = performance.now()
    await work()
    const seconds = (performance.now() - startMs) / 1_000
    const main = (mainMicros() - mainBefore) / 1e6
    const here = (usedMicros() - hereBefore) / 1e6
    const there = ((await this.#usedMicros()) - thereBefore) / 1e6
    return { seconds, here, main, there }
  }

  end(): void {
    this.#process.disconnect()
  }

  async #usedMicros(): Promise<number> {
    this.#process.send('processor time?')
    const [micros] = (await once(this.#process, 'message')) as [number]
    return micros
  }
}

function mainMicros(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
