// A world of three continents: machines and servers lie in one of them each, and messages take as long as between real ones.

import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { SimulatedWorld } from '../../src/platform/simulated/world.ts'
import type { Geography } from '../peer/origin-web.ts'

/** There and back, within and between them. */
const roundTripsMs: readonly (readonly number[])[] = [
  [20, 120, 250],
  [120, 20, 250],
  [250, 250, 20],
]
export const continentCount = roundTripsMs.length
/** Now and then a packet waits somewhere. */
const queueChance = 0.05
const queueMsMax = 200

export class Continents implements Geography {
  readonly #random: SimulatedRandom
  readonly #places = new Map<string, number>()
  readonly #networksOfEach: number

  /** `networksOfEach`: of servers, on each continent. */
  constructor(random: SimulatedRandom, networksOfEach: number) {
    this.#random = random
    this.#networksOfEach = networksOfEach
  }

  /** Everybody that has no place yet gets one; `world`: messages to those before take as long as the way does. */
  place(name: string, continent: number, world?: SimulatedWorld): void {
    for (const [other, place] of world === undefined ? [] : this.#places) {
      const oneWayMs = roundTripsMs[continent]![place]! / 2
      const link = { delayMsMin: oneWayMs, delayMsMax: oneWayMs * 1.1 }
      world!.network.setLink(link, name, other)
      world!.network.setLink(link, other, name)
    }
    this.#places.set(name, continent)
  }

  /** Without what chance adds. */
  distanceMs(machine: string, host: string): number {
    return roundTripsMs[this.#of(machine)]![this.#of(host)]!
  }

  roundTripMs(machine: string, host: string): number {
    const queuedMs = this.#random.chance(queueChance) ? this.#random.between(0, queueMsMax) : 0
    return this.distanceMs(machine, host) * this.#random.between(0.95, 1.1) + queuedMs
  }

  addressOf(host: string): string {
    const number = Number(/\d+/.exec(host)?.[0] ?? 0)
    const network = Math.floor(number / continentCount) % this.#networksOfEach
    return `${90 + this.#of(host)}.${network}.7.${(Math.floor(number / continentCount) % 250) + 1}`
  }

  #of(name: string): number {
    return this.#places.get(name) ?? 0
  }
}
