// What went wrong with other peers' questions: counted by peer and service, and logged now and then.
//
// The boundary that uses it is in call-services.ts. Kinds of fault:
// - `malformed`: the question could not be read, or said something that cannot be. The sender's fault.
// - `failed`: our handler threw something unexpected. Our defect, whatever the sender meant by it: the stack is logged.
// - `throttled`: the sender asked for more than its budget.
// Invariants: counts of `peersMax` peers at most, the ones not at fault for longest forgotten first; at most one line a
// `logEveryMs` for each service and kind, however many faults there are.

import { LruCache } from '../../model/lru-cache.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { PeerId } from '../network/network.ts'

type CallFaultKind = 'malformed' | 'failed' | 'throttled'
type CallFaultCounts = Record<CallFaultKind, number>

interface CallFaultsOf extends CallFaultCounts {
  readonly peer: PeerId
  readonly service: string
}

interface CallFaultsView {
  /** Since this peer was started, of all others. */
  readonly total: CallFaultCounts
  /** Who caused most of them first. */
  readonly worst: readonly CallFaultsOf[]
}

const peersMax = 1_024
const logEveryMs = 10_000
const worstMax = 8

export class CallFaults {
  readonly #clock: Clock
  readonly #log: Log
  readonly #total: CallFaultCounts = { malformed: 0, failed: 0, throttled: 0 }
  readonly #ofPeers = new LruCache<PeerId, Map<string, CallFaultCounts>>({ max: peersMax })
  readonly #loggedMs = new Map<string, number>()

  constructor(needs: { clock: Clock; log: Log }) {
    this.#clock = needs.clock
    this.#log = needs.log
  }

  note(kind: CallFaultKind, service: string, peer: PeerId, error: unknown): void {
    this.#total[kind]++
    this.#countsOf(peer, service)[kind]++
    const nowMs = this.#clock.monotonicMs()
    const line = `${kind} ${service}`
    if (nowMs - (this.#loggedMs.get(line) ?? Number.NEGATIVE_INFINITY) < logEveryMs) return
    this.#loggedMs.set(line, nowMs)
    const facts = { err: error, peer, service, faults: { ...this.#total } }
    if (kind === 'failed')
      this.#log.error(facts, 'A question from another peer made this one fail; it goes on')
    else this.#log.warn(facts, sentences[kind])
  }

  view(): CallFaultsView {
    const all = this.#ofPeers
      .entries()
      .flatMap(([peer, services]) => [...services].map(([service, counts]) => ({ peer, service, ...counts })))
    return {
      total: { ...this.#total },
      worst: all.sort((one, other) => sumOf(other) - sumOf(one)).slice(0, worstMax),
    }
  }

  #countsOf(peer: PeerId, service: string): CallFaultCounts {
    const services = this.#ofPeers.get(peer) ?? new Map<string, CallFaultCounts>()
    this.#ofPeers.set(peer, services)
    let counts = services.get(service)
    if (counts === undefined) services.set(service, (counts = { malformed: 0, failed: 0, throttled: 0 }))
    return counts
  }
}

const sentences = {
  malformed: 'Questions from another peer cannot be read',
  throttled: 'Another peer asks for more than its budget',
} as const

function sumOf({ malformed, failed, throttled }: CallFaultCounts): number {
  return malformed + failed + throttled
}
