// A consumer of the changes of a network of real peers: goes on from its cursor at any peer that answers.
//
// Each time it is a process of its own, which is replaced by the next one: killed when it has stayed for long enough or before, and paused
// meanwhile now and then. One that was killed before may have lost what it noted last: the next goes on from an older cursor.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { EventLedger } from '../../sim/changes/event-ledger.ts'
import type { ChangeEvent } from '../../src/changes/change-event.ts'
import { watched } from '../../src/platform/fixtures/child-processes.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { NetworkOfPeers } from './network-of-peers.ts'

type Line = Partial<ChangeEvent> & { readonly cursor: string; readonly gap?: object }

const program = join(import.meta.dirname, 'change-consumer.ts')
const readMs = 20_000
/** Who follows stays at a peer for so long after its first word, at most. */
const stayMs = 8_000
/** Within which a process that is killed early is, and one that is paused begins to be. */
const earlyMs = 2_000
const pauseMsMax = 5_000
/** As change-consumer.ts ends when it was refused. */
const refusedCode = 2

export interface ReaderOptions {
  /** It stays for a while; otherwise it asks for what there is. */
  readonly isFollowing: boolean
  /** One in so many processes is killed early, and with it what it noted last. */
  readonly killedOneIn: number
  readonly pausedOneIn: number
}

const untroubled: ReaderOptions = {
  isFollowing: false,
  killedOneIn: Number.POSITIVE_INFINITY,
  pausedOneIn: Number.POSITIVE_INFINITY,
}

export class ChangeReader {
  readonly ledger: EventLedger
  /** From one peer to another that told it something. */
  moves = 0
  readonly counts = { processes: 0, killedEarly: 0, paused: 0 }
  readonly #network: NetworkOfPeers
  readonly #random: SimulatedRandom
  readonly #options: ReaderOptions
  readonly #told = new Set<string>()
  #cursor = ''
  #lines = 0
  #at: unknown
  #before = ''

  constructor(network: NetworkOfPeers, random: SimulatedRandom, options: ReaderOptions = untroubled) {
    this.#network = network
    this.#random = random
    this.#options = options
    this.ledger = new EventLedger(options.isFollowing ? 'the one who follows' : 'the one who asks')
  }

  get eventCount(): number {
    return this.ledger.count
  }

  lacking(wanted: Iterable<string>): string[] {
    return [...wanted].filter((url) => !this.#told.has(url))
  }

  /** From one peer: all there is, or what comes in a while. */
  async read(): Promise<void> {
    const { answering } = this.#network
    const peer = answering[this.#random.below(answering.length)]
    if (peer === undefined) return
    const { isFollowing, killedOneIn, pausedOneIn } = this.#options
    const since = this.#cursor === '' ? '' : `&since=${this.#cursor}`
    const target = `${peer.url}/api/v1/changes?follow=${isFollowing}&cursors=true${since}`
    const before = this.#cursor
    const lines = this.#lines
    const isKilledEarly = this.#isOneIn(killedOneIn)
    const stay = isFollowing ? 1_000 + this.#random.below(stayMs) : readMs
    this.counts.processes++
    const consumer = watched(
      spawn(process.execPath, [program, target], { stdio: ['ignore', 'pipe', 'ignore'] }),
    )
    const ended = once(consumer, 'exit')
    const killIn = (ms: number) => setTimeout(() => consumer.kill('SIGKILL'), ms)
    const timers = [killIn(isKilledEarly ? this.#random.below(earlyMs) : readMs)]
    if (this.#isOneIn(pausedOneIn)) timers.push(...this.#pause(consumer))
    await this.#take(consumer.stdout, () => timers.push(killIn(stay)))
    const [code] = await ended
    for (const timer of timers) clearTimeout(timer)
    assert.notEqual(code, refusedCode, `${peer.name} does not tell its changes`)
    if (this.#lines > lines && peer !== this.#at) this.moves++
    this.#at = peer
    if (isKilledEarly) {
      this.counts.killedEarly++
      this.#cursor = this.#before
    }
    this.#before = before
  }

  #isOneIn(count: number): boolean {
    return Number.isFinite(count) && this.#random.below(count) === 0
  }

  #pause(consumer: ChildProcess): NodeJS.Timeout[] {
    this.counts.paused++
    const startMs = this.#random.below(earlyMs)
    const endMs = startMs + this.#random.below(pauseMsMax)
    return [
      setTimeout(() => consumer.kill('SIGSTOP'), startMs),
      setTimeout(() => consumer.kill('SIGCONT'), endMs),
    ]
  }

  /** What was cut off in the middle of a line does not count. */
  async #take(output: Readable, onFirst: () => void): Promise<void> {
    let cut = ''
    output.once('readable', onFirst)
    for await (const part of output.setEncoding('utf8')) {
      const lines = (cut + part).split('\n')
      cut = lines.pop()!
      for (const line of lines) if (line !== '') this.#got(JSON.parse(line) as Line)
    }
  }

  #got({ cursor, ...event }: Line): void {
    this.#lines++
    assert.equal(event.gap, undefined, `a gap: ${JSON.stringify(event)}`)
    if (event.id !== undefined) {
      this.ledger.got(event as ChangeEvent)
      this.#told.add(event.url!)
    }
    this.#cursor = cursor
  }
}
