// Kills a process that writes to a store, again and again at random moments, and checks after each what is left.
//
// One store lives through all rounds. A round that fails leaves it on the disk, for whoever wants to look.

import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Expectation } from '../../sim/store/expectation.ts'
import type { Operation } from '../../sim/store/operation.ts'
import { checkVolume, readWhole } from '../../sim/store/volume-check.ts'
import { gzip, zstd } from '../../src/formats/warc/compression/compression.ts'
import { killed, watched } from '../../src/platform/fixtures/child-processes.ts'
import { localWorld } from '../../src/platform/real/local-world.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { sampleOptions } from '../../src/store/fixtures/sample-captures.ts'
import { Store, type StoreOptions } from '../../src/store/store.ts'
import type { Orders } from './store-child.ts'

type Child = ChildProcessByStdio<Writable, Readable, null>

const script = join(import.meta.dirname, 'store-child.ts')
const callersMax = 12
const roundMsMax = 20_000
/** Of captures read in an earlier round, those read again. */
const rereadCount = 20

export interface TortureFigures {
  rounds: number
  acknowledged: number
  captures: number
  volumes: number
}

export class StoreTorture {
  readonly #folder: string
  readonly #seed: string
  readonly #random: SimulatedRandom
  readonly #expectation = new Expectation()
  readonly #checkedVolumes = new Map<string, number>()
  #options: StoreOptions = { ...sampleOptions, volumeBytesMax: 150_000 }
  #next: Child | undefined
  #figures: TortureFigures = { rounds: 0, acknowledged: 0, captures: 0, volumes: 0 }

  constructor(folder: string, seed: string) {
    this.#folder = folder
    this.#seed = seed
    this.#random = new SimulatedRandom(seed)
  }

  get figures(): TortureFigures {
    return { ...this.#figures, captures: this.#expectation.captureCount }
  }

  /** Starts, kills and, most times, checks. */
  async round(): Promise<void> {
    const number = ++this.#figures.rounds
    // The owner changes the configuration now and then.
    if (number === 1 || this.#random.chance(0.1))
      this.#options = { ...this.#options, compression: this.#random.chance(0.5) ? zstd : gzip }
    try {
      this.#take(await this.#killed(number))
      // Now and then the next process has to find its way without anyone having tidied up.
      if (this.#random.chance(0.8)) await this.check()
    } catch (error) {
      throw new Error(
        `round ${number} of seed ${this.#seed} on ${this.#folder}: ${(error as Error).message}`,
        {
          cause: error,
        },
      )
    }
  }

  /** Opens the store here and looks at everything that may have changed. */
  async check({ isThorough = false } = {}): Promise<void> {
    const parts = localWorld()
    const store = await Store.open(parts, this.#folder, this.#options)
    try {
      await this.#expectation.check(store, (count) => isThorough || this.#random.chance(rereadCount / count))
      assert.deepEqual(await store.checkIndex(), [])
      const { volumes } = await store.stat()
      this.#figures.volumes = volumes.length
      for (const { path, bytes } of volumes) {
        if (!isThorough && this.#checkedVolumes.get(path) === bytes) continue
        await checkVolume(await readWhole(parts.disk, path), path)
        this.#checkedVolumes.set(path, bytes)
      }
    } finally {
      await store.close()
    }
  }

  async end(): Promise<void> {
    if (this.#next !== undefined) await killed(this.#next)
  }

  /** What the process had told when it was killed. */
  async #killed(round: number): Promise<string[]> {
    const child = this.#next ?? start(this.#folder)
    // The next one gets ready meanwhile.
    this.#next = start(this.#folder)
    const orders: Orders = {
      folder: this.#folder,
      seed: `${this.#seed}/${round}`,
      callers: 1 + this.#random.below(callersMax),
      options: this.#options,
      plan: {
        startMs: Date.UTC(2024, 0, 1) + round * 1_000_000,
        pageBytesMax: 8_000,
        largeBytes: 300_000,
        folders: [join(this.#folder, 'volumes-b'), join(this.#folder, 'volumes-c')],
      },
    }
    let told = ''
    let lineCount = 0
    // Some die while they open the store, the others at work.
    const linesMin = this.#random.chance(0.15) ? 0 : 1 + this.#random.below(80)
    const enough = Promise.withResolvers<void>()
    child.stdout.on('data', (chunk: Buffer) => {
      told += chunk.toString()
      lineCount += chunk.toString().split('\n').length - 1
      if (lineCount >= linesMin) enough.resolve()
    })
    const closed = once(child, 'close')
    child.stdin.write(`${JSON.stringify(orders)}\n`)
    if (linesMin > 0)
      await Promise.race([enough.promise, sleep(roundMsMax, undefined, { ref: false }), closed])
    await sleep(this.#random.below(linesMin === 0 ? 60 : 6))
    child.kill('SIGKILL')
    await closed
    // A line that is cut short tells of something that did not happen.
    return told.split('\n').slice(0, -1)
  }

  #take(lines: string[]): void {
    const operations = new Map<string, Operation>()
    for (const line of lines) {
      const [what, number = '', ...rest] = line.split(' ')
      if (what === 'b') {
        const operation = JSON.parse(rest.join(' ')) as Operation
        operations.set(number, operation)
        this.#expectation.begin(operation)
      } else if (what === 'd') {
        this.#expectation.done(operations.get(number)!)
        this.#figures.acknowledged++
      } else if (what === 'r') this.#expectation.refused(operations.get(number)!)
      else assert(what === 'o', `${line}\n${JSON.stringify(operations.get(number))}`)
    }
  }
}

function start(folder: string): Child {
  // Starting is most of the work; what the first one compiled serves the others.
  const env = { ...process.env, NODE_COMPILE_CACHE: `${folder}-compiled` }
  const child = watched(
    spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'], env }),
    folder,
  )
  // It may be dead before it has read its orders.
  child.stdin.on('error', () => {})
  return child
}
