// A consumer of the changes of a network of real peers: goes on from its cursor at any peer that answers.
//
// It may be killed: then what it noted last is lost, and it goes on from an older cursor.

import assert from 'node:assert/strict'
import { EventLedger } from '../../sim/changes/event-ledger.ts'
import type { ChangeEvent } from '../../src/changes/change-event.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { NetworkOfPeers } from './network-of-peers.ts'

type Line = Partial<ChangeEvent> & { readonly cursor: string; readonly gap?: object }

const readMs = 20_000
/** Who follows stays at a peer for so long, at most. */
const stayMs = 8_000

export interface ReaderOptions {
  /** It stays for a while; otherwise it asks for what there is. */
  readonly isFollowing: boolean
  /** One in so many times it is killed. */
  readonly killedOneIn: number
}

export class ChangeReader {
  readonly ledger: EventLedger
  /** From one peer to another that told it something. */
  moves = 0
  kills = 0
  readonly #network: NetworkOfPeers
  readonly #random: SimulatedRandom
  readonly #options: ReaderOptions
  readonly #told = new Set<string>()
  #cursor = ''
  #lines = 0
  #at: unknown
  #before = ''

  constructor(
    network: NetworkOfPeers,
    random: SimulatedRandom,
    options: ReaderOptions = { isFollowing: false, killedOneIn: Number.POSITIVE_INFINITY },
  ) {
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
    const { isFollowing, killedOneIn } = this.#options
    const since = this.#cursor === '' ? '' : `&since=${this.#cursor}`
    const target = `${peer.url}/api/v1/changes?follow=${isFollowing}&cursors=true${since}`
    const before = this.#cursor
    const lines = this.#lines
    const ms = isFollowing ? 1_000 + this.#random.below(stayMs) : readMs
    try {
      const answer = await fetch(target, { signal: AbortSignal.timeout(ms) })
      await this.#take(answer)
    } catch (error) {
      // It was killed or paused meanwhile, or we stayed for long enough; what came of its answer counts.
      if (!isBrokenOff(error)) throw error
    }
    if (this.#lines > lines && peer !== this.#at) this.moves++
    this.#at = peer
    if (Number.isFinite(killedOneIn) && this.#random.below(killedOneIn) === 0) {
      this.kills++
      this.#cursor = this.#before
    }
    this.#before = before
  }

  async #take({ body, status }: Response): Promise<void> {
    assert.equal(status, 200)
    const decoder = new TextDecoder()
    let cut = ''
    for await (const part of body!) {
      const lines = (cut + decoder.decode(part, { stream: true })).split('\n')
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

/** As fetch says that a connection failed, or that it took too long. */
function isBrokenOff(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')
}
