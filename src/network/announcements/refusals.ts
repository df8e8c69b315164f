// Refusals: announcements that were not accepted, counted by sender and by author, and logged now and then.
//
// Those that would be refused again are remembered by id, so that they are not fetched again with every comparison; and so is what
// other peers did not take from us, so that it is not sent to them again and again.

import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { textOfId } from '../replication/comparison/difference.ts'

export interface Refusal {
  readonly id: Uint8Array
  readonly reason: string
  readonly sender: PeerId
  /** Where the signature is right: of others nobody knows who wrote it. */
  readonly author?: PeerId | undefined
  /** For how long it would be refused again. 0 where that does not follow from the announcement. */
  readonly forMs: number
}

const rememberedMax = 20_000
const peersMax = 1_024
const tellEveryMs = 60_000
/** There may be room for it then. */
export const againMs = 10 * 60_000

export class Refusals {
  readonly #clock: Clock
  readonly #log: Log
  /** Ids, and until when they are not asked for. */
  readonly #refused = new Map<string, number>()
  readonly #declined = new Map<string, number>()
  readonly #bySender = new Map<PeerId, number>()
  readonly #byAuthor = new Map<PeerId, number>()
  #count = 0
  #toldAtMs = Number.NEGATIVE_INFINITY
  #untold = 0

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock
    this.#log = log
  }

  get count(): number {
    return this.#count
  }

  get bySender(): ReadonlyMap<PeerId, number> {
    return this.#bySender
  }

  get byAuthor(): ReadonlyMap<PeerId, number> {
    return this.#byAuthor
  }

  add(refusal: Refusal): void {
    const { id, reason, sender, author, forMs } = refusal
    const nowMs = this.#clock.monotonicMs()
    if (forMs > 0) remember(this.#refused, textOfId(id), nowMs + forMs, rememberedMax)
    this.#count++
    this.#untold++
    countFor(this.#bySender, sender)
    if (author !== undefined) countFor(this.#byAuthor, author)
    if (nowMs - this.#toldAtMs < tellEveryMs) return
    this.#log.warn(
      { sender, author, reason, count: this.#untold },
      'Announcements of other peers were refused',
    )
    this.#toldAtMs = nowMs
    this.#untold = 0
  }

  isRefused(id: Uint8Array): boolean {
    return isBefore(this.#clock.monotonicMs(), this.#refused.get(textOfId(id)))
  }

  /** The other peer did not take it. */
  noteDeclined(peer: PeerId, id: Uint8Array): void {
    remember(this.#declined, `${peer} ${textOfId(id)}`, this.#clock.monotonicMs() + againMs, rememberedMax)
  }

  isDeclined(peer: PeerId, id: Uint8Array): boolean {
    return isBefore(this.#clock.monotonicMs(), this.#declined.get(`${peer} ${textOfId(id)}`))
  }
}

function isBefore(nowMs: number, untilMs: number | undefined): boolean {
  return untilMs !== undefined && nowMs < untilMs
}

function remember(map: Map<string, number>, name: string, untilMs: number, countMax: number): void {
  map.delete(name)
  map.set(name, untilMs)
  if (map.size > countMax) map.delete(map.keys().next().value!)
}

function countFor(counts: Map<PeerId, number>, peer: PeerId): void {
  remember(counts, peer, (counts.get(peer) ?? 0) + 1, peersMax)
}
