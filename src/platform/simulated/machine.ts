// A simulated machine: hardware that outlives processes, and the world as the process that runs on it now sees it.
//
// Invariant: at most one process runs at a time. The world of one that has ended is dead: nothing happens on its behalf,
// and what it waits for never comes. So whoever starts again must take the machine's world anew.

import assert from 'node:assert/strict'
import type { Clock } from '../clock.ts'
import type { Compressor } from '../compressor.ts'
import { JournaledKeyValues } from '../journaled/key-value.ts'
import type { Network } from '../network/network.ts'
import type { Random } from '../random.ts'
import type { Disk } from '../storage/disk.ts'
import type { KeyValues } from '../storage/key-value.ts'
import type { World } from '../world.ts'
import { ClockFaults, SimulatedClock } from './clock.ts'
import { simulatedCompressor } from './compressor.ts'
import { SimulatedDisk } from './disk.ts'
import { SimulatedKeyValues } from './key-value.ts'
import { Life } from './life.ts'
import type { SimulatedNetwork } from './network.ts'
import type { Simulation } from './simulation.ts'

/** Far less than on a real machine, so that a short simulation sees journals come and go. */
const journalBytesMax = 8_000

export class SimulatedMachine implements World {
  readonly name: string
  /** The hardware, where faults are set. */
  readonly faults: {
    readonly clock: ClockFaults
    readonly disk: SimulatedDisk
    readonly keyValues: SimulatedKeyValues
  }
  readonly #simulation: Simulation
  readonly #fabric: SimulatedNetwork
  #starts = 0
  #life = new Life()
  #world: World

  constructor(needs: { simulation: Simulation; network: SimulatedNetwork }, name: string) {
    this.name = name
    this.#simulation = needs.simulation
    this.#fabric = needs.network
    this.faults = {
      clock: new ClockFaults(),
      disk: new SimulatedDisk(needs, { name: `${name}/disk` }),
      keyValues: new SimulatedKeyValues(needs, { name: `${name}/key-values` }),
    }
    this.#world = this.#boot()
  }

  get clock(): Clock {
    return this.#world.clock
  }

  get random(): Random {
    return this.#world.random
  }

  get disk(): Disk {
    return this.#world.disk
  }

  get compressor(): Compressor {
    return this.#world.compressor
  }

  get keyValues(): KeyValues {
    return this.#world.keyValues
  }

  get network(): Network {
    return this.#world.network
  }

  get isUp(): boolean {
    return !this.#life.isOver
  }

  /** Ends the process, as SIGKILL does: what it has written stays written. */
  kill(): void {
    this.#life.end()
    this.#simulation.note(this.name, 'kill', '')
  }

  /** Cuts the power: what was not synced may be lost. */
  crash(): void {
    this.#life.end()
    this.#simulation.note(this.name, 'crash', '')
    this.faults.disk.crash()
    this.faults.keyValues.crash()
  }

  /** A new process begins. */
  restart(): void {
    assert(!this.isUp, `${this.name} is running`)
    this.#simulation.note(this.name, 'restart', '')
    this.#life = new Life()
    this.#world = this.#boot()
  }

  #boot(): World {
    const life = this.#life
    const disk = this.faults.disk.mount(life)
    const below = this.faults.keyValues.mount(life)
    return {
      clock: new SimulatedClock({ simulation: this.#simulation, life, faults: this.faults.clock }),
      random: this.#simulation.random.fork(`${this.name}/start ${this.#starts++}`),
      disk,
      keyValues: new JournaledKeyValues({ disk, below }, { heldBytesMax: journalBytesMax }),
      compressor: simulatedCompressor,
      network: this.#fabric.join(this.name, life),
    }
  }
}
