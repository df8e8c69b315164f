// A disk in memory on virtual time, which fails when told to and forgets, at a power cut, what was not synced.
//
// Invariants: as the interface says of what survives; an operation takes effect at one moment between its call and its
// return, so operations that are not awaited may overtake each other, as on a real machine; at a power cut an operation
// under way has happened or not; files that were open are dead. Fails in the same cases, with the same codes, as the
// real disk does on Linux. Leaves out: links, permissions, block sizes. What processes do with it: mounted-disk.ts.

import assert from 'node:assert/strict'
import { type Disk, DiskError, type DiskErrorCode } from '../storage/disk.ts'
import { FolderTree } from './folder-tree.ts'
import { Life, never } from './life.ts'
import { MountedDisk } from './mounted-disk.ts'
import type { SimulatedRandom } from './random.ts'
import type { Simulation } from './simulation.ts'
import { existing, fail } from './tree-paths.ts'

export type DiskOperation =
  | 'open'
  | 'stat'
  | 'list'
  | 'make'
  | 'rename'
  | 'remove'
  | 'measure'
  | 'sync-folder'
  | 'read'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'close'

/** Which operations fail, and how. A rule without a path or an operation is for all of them. */
interface FailureRule {
  path?: string | RegExp
  operation?: DiskOperation
  /** 1 when not given: every time. */
  probability?: number
  /** How many failures before the rule is spent. Without limit when not given. */
  times?: number
  /** 'disk-failure' when not given. */
  code?: DiskErrorCode
}

// A middling SSD. A sync is what costs; the rest goes to the page cache.
const syncMs = 2
const otherMs = 0.05
const bytesPerMs = 500_000

export class SimulatedDisk {
  readonly name: string
  /** May be changed while it runs, also below what is in use. */
  capacityBytes: number
  readonly #simulation: Simulation
  readonly #random: SimulatedRandom
  readonly #tree = new FolderTree()
  readonly #rules = new Set<FailureRule & { times: number }>()
  readonly #underWay = new Set<() => void>()
  #usedBytes = 0
  #powerCuts = 0

  constructor(
    needs: { simulation: Simulation; random?: SimulatedRandom },
    options: { name?: string; capacityBytes?: number } = {},
  ) {
    this.#simulation = needs.simulation
    this.name = options.name ?? 'disk'
    this.#random = needs.random ?? needs.simulation.random.fork(this.name)
    this.capacityBytes = options.capacityBytes ?? Number.MAX_SAFE_INTEGER
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  /** The disk as one process sees it, until that ends or the power is cut. */
  mount(life: Life = new Life()): Disk {
    const powerCuts = this.#powerCuts
    return new MountedDisk(this, this.#tree, () => life.isOver || this.#powerCuts !== powerCuts)
  }

  /** Cuts the power. What was mounted is dead; mount again for what is left. */
  crash(): void {
    this.#simulation.note(this.name, 'crash', '')
    this.#powerCuts++
    for (const effect of this.#underWay) if (this.#random.chance(0.5)) tryTo(effect)
    this.#underWay.clear()
    this.#tree.crash(this.#random)
    this.#usedBytes = 0
    for (const file of this.#tree.files()) {
      file.content.crash(this.#random)
      file.isLinked = true
      file.handleCount = 0
      this.#usedBytes += file.content.sizeBytes
    }
  }

  /** From now on operations fail by this rule, until it is spent or stopped. */
  failWhen(rule: FailureRule): { stop(): void } {
    const kept = { ...rule, times: rule.times ?? Number.POSITIVE_INFINITY }
    this.#rules.add(kept)
    return { stop: () => this.#rules.delete(kept) }
  }

  /** Flips a bit of a file, on the platter too: at `position`, or anywhere; the bit that is given, or any. Returns where. */
  rot(path: string, position?: number, bit?: number): number {
    const node = existing(this.#tree, path)
    assert(node.kind === 'file' && node.content.sizeBytes > 0, `nothing to rot in ${path}`)
    const at = position ?? this.#random.below(node.content.sizeBytes)
    node.content.rot(at, bit ?? this.#random.below(8))
    this.#simulation.note(this.name, 'rot', path)
    return at
  }

  /** For mounts: lets time pass, then fails by a rule or has its effect. */
  perform<T>(
    isDead: () => boolean,
    operation: DiskOperation,
    path: string,
    sizeBytes: number,
    effect: () => T,
    whenFailed?: () => void,
  ): Promise<T> {
    if (isDead()) return never()
    return new Promise((resolve, reject) => {
      const attempt = (): T => {
        this.#failByRule(operation, path, whenFailed)
        return effect()
      }
      this.#underWay.add(attempt)
      this.#simulation.schedule(this.#durationMs(operation, sizeBytes), () => {
        if (!this.#underWay.delete(attempt)) return
        this.#simulation.note(this.name, operation, path)
        try {
          const result = attempt()
          if (!isDead()) resolve(result)
        } catch (error) {
          if (!isDead()) reject(error)
        }
      })
    })
  }

  /** For mounts: room for so many bytes more, or what room there is. */
  roomFor(bytes: number): number {
    return Math.max(0, Math.min(bytes, this.capacityBytes - this.#usedBytes))
  }

  /** For mounts: a file grew or shrank by so much, or is gone. */
  use(bytes: number): void {
    this.#usedBytes += bytes
  }

  get random(): SimulatedRandom {
    return this.#random
  }

  #durationMs(operation: DiskOperation, sizeBytes: number): number {
    const typical = operation === 'sync' || operation === 'sync-folder' ? syncMs : otherMs
    return typical * this.#random.between(0.5, 2) + sizeBytes / bytesPerMs
  }

  #failByRule(operation: DiskOperation, path: string, whenFailed?: () => void): void {
    for (const rule of this.#rules) {
      if (rule.operation !== undefined && rule.operation !== operation) continue
      if (typeof rule.path === 'string' ? rule.path !== path : rule.path?.test(path) === false) continue
      if (!this.#random.chance(rule.probability ?? 1)) continue
      if (--rule.times <= 0) this.#rules.delete(rule)
      whenFailed?.()
      throw fail(rule.code ?? 'disk-failure', path, `${operation} failed, as told`)
    }
  }
}

function tryTo(effect: () => void): void {
  try {
    effect()
  } catch (error) {
    if (!(error instanceof DiskError)) throw error
  }
}
