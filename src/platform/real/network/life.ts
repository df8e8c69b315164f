// Which connections go on living: not those of the silent, of the idle, and of those who never said who they are.
//
// Invariant: whoever answers is kept, however slow it is, and whatever happened to our own process meanwhile: time that
// we did not run does not count as the others' silence.

import type { Channel, PeerId } from '../../network/network.ts'
import type { NetworkLimits } from './limits.ts'
import type { Connection } from './node.ts'

/** A stream to a peer. */
interface LivingWire {
  readonly connection: Connection
  readonly channel: Channel
  /** When the other was last heard, by the monotonic clock. */
  heardAtMs: number
  /** Asks for a sign of life. */
  beat(): void
}

interface Living {
  connections(): Connection[]
  wires(): Iterable<LivingWire>
  isAdmitted(connection: Connection): boolean
  /** When a message last passed, by the monotonic clock. */
  usedAtMs(peer: PeerId): number
}

export class NetworkLife {
  readonly #living: Living
  readonly #limits: NetworkLimits
  readonly #timer: NodeJS.Timeout
  #lastMs: number

  constructor(living: Living, limits: NetworkLimits, nowMs = performance.now()) {
    this.#lastMs = nowMs
    this.#living = living
    this.#limits = limits
    this.#timer = setInterval(() => this.beat(performance.now()), limits.beatMs)
  }

  end(): void {
    clearInterval(this.#timer)
  }

  /** Called every `beatMs`. */
  beat(nowMs: number): void {
    const { beatMs } = this.#limits
    const wasPaused = nowMs - this.#lastMs > 2 * beatMs
    this.#lastMs = nowMs
    const used = new Set<Connection>()
    for (const wire of this.#living.wires()) {
      used.add(wire.connection)
      if (wasPaused) wire.heardAtMs = nowMs
      if (wire.channel === 'control') this.#listenTo(wire, nowMs)
    }
    for (const connection of this.#living.connections()) this.#look(connection, used.has(connection), nowMs)
  }

  #listenTo(wire: LivingWire, nowMs: number): void {
    const silentMs = nowMs - wire.heardAtMs
    if (silentMs > this.#limits.silenceMsMax) wire.connection.abort(new Error('silent for too long'))
    else if (silentMs >= this.#limits.beatMs / 2) wire.beat()
  }

  #look(connection: Connection, isUsed: boolean, nowMs: number): void {
    const ageMs = Date.now() - connection.timeline.open
    const { greetingMsMax, idleMsMax } = this.#limits
    if (!this.#living.isAdmitted(connection)) {
      if (ageMs > greetingMsMax) connection.abort(new Error('did not say who it is'))
      return
    }
    const idleMs = nowMs - this.#living.usedAtMs(connection.remotePeer.toString())
    // The one that lost when both dialled at once, too.
    if (idleMs > idleMsMax || (!isUsed && ageMs > greetingMsMax)) {
      connection.close().catch((error) => connection.abort(error))
    }
  }
}
