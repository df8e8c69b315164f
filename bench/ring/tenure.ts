// Who should own a key when, as only one who sees the whole ring can know: a position's tenure is from when its arc was
// handed to it until its death. Whoever has joined, and has not been given anything by its successor yet, is no owner yet.
//
// Looked at every so often, so a tenure may be seen to begin or end that much too late.

import type { RingWorld } from '../../sim/ring/ring-world.ts'
import type { RingKey } from '../../src/model/ring-key.ts'
import type { Position } from '../../src/network/ring/position.ts'
import { arcBetween } from '../../src/network/ring/protocol/place.ts'

interface Tenure {
  position: Position
  fromMs: number
  /** Infinite while it lasts. */
  untilMs: number
}

export class Tenures {
  readonly #world: RingWorld
  readonly #tenures = new Map<RingKey, Tenure>()

  constructor(world: RingWorld) {
    this.#world = world
    this.update()
  }

  update(): void {
    const { peers, simulation } = this.#world
    for (const { node } of peers.values()) {
      for (const position of node.positions) {
        const { place } = position.machine.self
        if (!this.#tenures.has(place) && position.owns(place))
          this.#tenures.set(place, {
            position,
            fromMs: simulation.nowMs,
            untilMs: Number.POSITIVE_INFINITY,
          })
      }
    }
    for (const tenure of this.#tenures.values()) {
      if (tenure.untilMs === Number.POSITIVE_INFINITY && !peers.has(tenure.position.machine.self.peer))
        tenure.untilMs = simulation.nowMs
    }
  }

  /** Was there a moment in that time when this position stood first at or after the key? */
  wasOwner(place: RingKey, key: RingKey, startMs: number, endMs: number): boolean {
    const own = this.#tenures.get(place)
    // Given to it since we last looked.
    const fromMs = Math.max(startMs, own?.fromMs ?? startMs)
    const untilMs = Math.min(endMs, own?.untilMs ?? endMs)
    const nearer = [...this.#tenures]
      .filter(([other]) => clockwise(key, other) < clockwise(key, place))
      .map(([, tenure]) => tenure)
      .sort((a, b) => a.fromMs - b.fromMs)
    // Whether those that stood nearer leave any of that time.
    let coveredMs = fromMs
    for (const tenure of nearer) {
      if (tenure.fromMs > coveredMs) break
      coveredMs = Math.max(coveredMs, tenure.untilMs)
    }
    return fromMs <= untilMs && (coveredMs === fromMs || coveredMs < untilMs)
  }
}

function clockwise(key: RingKey, place: RingKey): number {
  return key === place ? 0 : arcBetween(key, place)
}
