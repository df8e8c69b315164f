// A world of simulated machines on one seeded virtual clock and one network.
//
//   const world = simulatedWorld({ seed: 1 })
//   const a = world.machine('a')
//   const b = world.machine('b')
//   await world.complete(askAndAnswer(a, b))
//   world.network.cut(['a'], ['b'])
//   await world.advance(3_000)
//   a.crash()

import assert from 'node:assert/strict'
import { SimulatedMachine } from './machine.ts'
import { type Link, SimulatedNetwork } from './network.ts'
import type { SimulatedRandom } from './random.ts'
import { Simulation, type SimulationOptions } from './simulation.ts'

export interface SimulatedWorldOptions extends SimulationOptions {
  /** How messages fare; a calm local network when not given. */
  link?: Link
}

export function simulatedWorld(options: SimulatedWorldOptions): SimulatedWorld {
  return new SimulatedWorld(options)
}

export class SimulatedWorld {
  readonly simulation: Simulation
  /** Where the network's faults are set. */
  readonly network: SimulatedNetwork
  /** For the faults that a test chooses by chance. */
  readonly random: SimulatedRandom
  readonly #machines = new Map<string, SimulatedMachine>()

  constructor(options: SimulatedWorldOptions) {
    this.simulation = new Simulation(options)
    this.random = this.simulation.random.fork('world')
    this.network = new SimulatedNetwork(
      { simulation: this.simulation },
      options.link ? { link: options.link } : {},
    )
  }

  /** The machine of this name, made and switched on when first asked for.. */
  machine(name: string): SimulatedMachine {
    let machine = this.#machines.get(name)
    if (machine === undefined) {
      machine = new SimulatedMachine({ simulation: this.simulation, network: this.network }, name)
      this.#machines.set(name, machine)
    }
    return machine
  }

  get machines(): SimulatedMachine[] {
    return [...this.#machines.values()]
  }

  /** Cuts the power of so many machines that are up, chosen by chance. */
  crashRandom(count: number): SimulatedMachine[] {
    const up = this.machines.filter(({ isUp }) => isUp)
    const chosen: SimulatedMachine[] = []
    while (chosen.length < count && up.length > 0) chosen.push(...up.splice(this.random.below(up.length), 1))
    for (const machine of chosen) machine.crash()
    return chosen
  }

  /** Runs until the promise is settled, and gives what it gives. */
  complete<T>(promise: Promise<T>): Promise<T> {
    return this.simulation.complete(promise)
  }

  /** Runs until it is so, as seen every `stepMs`; after `msMax` of virtual time it says what did not come. */
  async until(what: string, isSo: () => boolean, { stepMs = 100, msMax = 600_000 } = {}): Promise<void> {
    const endMs = this.simulation.nowMs + msMax
    while (!isSo()) {
      assert(this.simulation.nowMs < endMs, `${what} did not come within ${msMax} ms of virtual time`)
      await this.advance(stepMs)
    }
  }

  /** Runs for so much longer. */
  advance(durationMs: number): Promise<void> {
    return this.simulation.advance(durationMs)
  }
}
