// One seed's campaign against a store on a simulated machine: callers at work, disks and index that fail, power cuts and
// kills at any moment, and a check of every promise after each.
//
// Invariant: the same seed gives the same events, so that a failure can be looked at again.

import assert from 'node:assert/strict'
import { PolyhistorError } from '../../src/errors.ts'
import { type Compression, gzip, uncompressed, zstd } from '../../src/formats/warc/compression/compression.ts'
import { simulatedCompressor } from '../../src/platform/simulated/compressor.ts'
import type { SimulatedMachine } from '../../src/platform/simulated/machine.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { type SimulatedWorld, simulatedWorld } from '../../src/platform/simulated/world.ts'
import { FailingKeyValues, indexBroken, indexFull } from '../../src/store/fixtures/failing-key-values.ts'
import { sampleOptions } from '../../src/store/fixtures/sample-captures.ts'
import { Store, type StoreOptions } from '../../src/store/store.ts'
import { Expectation } from './expectation.ts'
import { carryOut, type Operation } from './operation.ts'
import { OperationPlan } from './operation-plan.ts'
import { checkVolume, readWhole } from './volume-check.ts'

const folder = '/store'
const moreFolders = ['/store/volumes-b', '/mnt/c']
const livesMax = 4
const callersMax = 6
const lifeMsMax = 150
const faultShare = 0.5
/** The store's owner may change it from one life to the next. */
const compressions: readonly Compression[] = [
  gzip,
  uncompressed,
  zstd,
  zstd,
  { kind: 'zstd', dictionary: new Uint8Array(0) },
]
const otherCompressionShare = 0.2

export interface CampaignFigures {
  acknowledged: number
  failed: number
  captures: number
  crashes: number
  traceHash: string
}

export async function runCampaign(seed: string | number): Promise<CampaignFigures> {
  return new Campaign(seed).run()
}

class Campaign {
  readonly #world: SimulatedWorld
  readonly #machine: SimulatedMachine
  readonly #random: SimulatedRandom
  readonly #expectation = new Expectation()
  #options: StoreOptions
  readonly #figures = { acknowledged: 0, failed: 0, crashes: 0 }
  #isFaulty = false
  #keyValues: FailingKeyValues

  constructor(seed: string | number) {
    this.#world = simulatedWorld({ seed })
    this.#random = this.#world.random
    this.#machine = this.#world.machine('a')
    this.#keyValues = new FailingKeyValues(this.#machine.keyValues)
    this.#options = {
      ...sampleOptions,
      volumeBytesMax: 4_000 + this.#random.below(40_000),
      compression: this.#someCompression(),
      // Of some the time is over before anybody releases them.
      takedownUndoMs: this.#random.below(6 * lifeMsMax),
    }
  }

  async run(): Promise<CampaignFigures> {
    const lives = 1 + this.#random.below(livesMax)
    for (let life = 0; life < lives; life++) await this.#live(life)
    await this.#checkWorksAgain(lives)
    return {
      ...this.#figures,
      captures: this.#expectation.captureCount,
      traceHash: this.#world.simulation.trace.hash,
    }
  }

  #someCompression(): Compression {
    return compressions[this.#random.below(compressions.length)]!
  }

  /** A process from its start to its violent end, and what the next one finds. */
  async #live(life: number): Promise<void> {
    if (this.#random.chance(otherCompressionShare))
      this.#options = { ...this.#options, compression: this.#someCompression() }
    this.#isFaulty = this.#random.chance(faultShare)
    const stopFaults = this.#isFaulty ? this.#startFaults() : () => {}
    let failure: { error: unknown } | undefined
    void this.#work(life).catch((error: unknown) => {
      failure = { error }
    })
    await this.#world.advance(this.#random.between(0, lifeMsMax))
    if (this.#random.chance(0.7)) this.#machine.crash()
    else this.#machine.kill()
    this.#figures.crashes++
    stopFaults()
    this.#isFaulty = false
    if (failure !== undefined) throw failure.error
    this.#restart()
    if (this.#random.chance(0.3)) await this.#dieWhileOpening()
    await this.#check()
  }

  async #dieWhileOpening(): Promise<void> {
    void this.#open().catch(() => {})
    await this.#world.advance(this.#random.between(0, 30))
    this.#machine.crash()
    this.#restart()
  }

  #restart(): void {
    this.#machine.restart()
    this.#keyValues = new FailingKeyValues(this.#machine.keyValues)
  }

  #open(): Promise<Store> {
    const { clock, random, disk } = this.#machine
    const needs = { clock, random, disk, keyValues: this.#keyValues, compressor: simulatedCompressor }
    return Store.open(needs, folder, this.#options)
  }

  async #work(life: number): Promise<void> {
    const store = await this.#open().catch((error: unknown) => this.#allow(error))
    if (store === undefined) return
    for (const path of moreFolders) {
      await store.volumes.setFolder(path, 'writable').catch((error: unknown) => this.#allow(error))
    }
    const plan = this.#plan(life)
    const callers = 1 + this.#random.below(callersMax)
    await Promise.all(Array.from({ length: callers }, () => this.#call(store, plan)))
  }

  async #call(store: Store, plan: OperationPlan, operationsMax = Number.POSITIVE_INFINITY): Promise<void> {
    for (let count = 0; count < operationsMax; count++) await this.#do(store, plan, plan.next())
  }

  async #do(store: Store, plan: OperationPlan, operation: Operation): Promise<void> {
    this.#expectation.begin(operation)
    try {
      await carryOut(store, operation)
      this.#expectation.done(operation)
      this.#figures.acknowledged++
      plan.kept(operation)
    } catch (error) {
      if (isRefusal(error)) return this.#expectation.refused(operation)
      this.#figures.failed++
      this.#allow(error)
      // Do not try again at once for ever.
      await this.#machine.clock.sleep(1)
    }
  }

  /** Failures are for bad times only, and always have a code. */
  #allow(error: unknown): undefined {
    if (!this.#isFaulty || !(error instanceof PolyhistorError)) throw error
    return undefined
  }

  #plan(life: number): OperationPlan {
    return new OperationPlan(this.#world.random.fork(`plan ${life}`), {
      startMs: Date.UTC(2024, 0, 1) + life * 1_000_000,
      pageBytesMax: 1_500,
      largeBytes: 0,
      folders: moreFolders,
    })
  }

  /** Each kind of failure with a chance of its own, for a while. */
  #startFaults(): () => void {
    const { disk } = this.#machine.faults
    const random = this.#random
    const operations = [
      'write',
      'sync',
      'sync-folder',
      'open',
      'truncate',
      'measure',
      'read',
      'remove',
    ] as const
    const rules = operations
      .filter(() => random.chance(0.3))
      .map((diskOperation) => {
        const code = random.chance(0.3) ? ('disk-full' as const) : ('disk-failure' as const)
        return disk.failWhen({ operation: diskOperation, probability: random.between(0.01, 0.3), code })
      })
    if (random.chance(0.3)) disk.capacityBytes = disk.usedBytes + random.below(30_000)
    const fullShare = random.chance(0.3) ? random.between(0.01, 0.3) : 0
    this.#keyValues.transactionFailure = () => (random.chance(fullShare) ? indexFull() : undefined)
    const brokenShare = random.chance(0.15) ? 0.02 : 0
    this.#keyValues.flushFailure = () => (random.chance(brokenShare) ? indexBroken() : undefined)
    return () => {
      for (const rule of rules) rule.stop()
      disk.capacityBytes = Number.MAX_SAFE_INTEGER
    }
  }

  async #check(): Promise<void> {
    const store = await this.#world.complete(this.#open())
    await this.#world.complete(this.#expectation.check(store, () => true))
    assert.deepEqual(await this.#world.complete(store.checkIndex()), [])
    const { volumes } = await this.#world.complete(store.stat())
    await this.#world.complete(store.close())
    for (const { path } of volumes) {
      const bytes = await this.#world.complete(readWhole(this.#machine.disk, path))
      // Reading WARC uses threads, which no simulation may wait for: so beside it.
      await checkVolume(bytes, path)
    }
  }

  /** Bad times, then good ones, and no restart between them: everything works again by itself. */
  async #checkWorksAgain(life: number): Promise<void> {
    const store = await this.#world.complete(this.#open())
    await this.#world.complete(this.#volumesWritable(store))
    this.#isFaulty = true
    const stopFaults = this.#startFaults()
    // A broken index needs a restart, and says so.
    this.#keyValues.flushFailure = () => undefined
    await this.#world.complete(this.#call(store, this.#plan(life), 15))
    stopFaults()
    this.#keyValues.transactionFailure = () => undefined
    this.#isFaulty = false
    await this.#world.complete(this.#volumesWritable(store))
    await this.#world.complete(this.#call(store, this.#plan(life + 1), 10))
    const { damaged, unindexed, dangling } = await this.#world.complete(store.scrub())
    assert.deepEqual([damaged, unindexed, dangling], [[], 0, 0])
    await this.#world.complete(store.close())
    await this.#check()
  }

  async #volumesWritable(store: Store): Promise<void> {
    for (const path of moreFolders) await store.volumes.setFolder(path, 'writable')
  }
}

/** What was taken down, what was never put, a folder that is read-only: part of the game. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof PolyhistorError)) return false
  if (error.code === 'store-no-room') return error.message.includes('is read-only')
  return (
    error.code === 'store-taken-down' ||
    error.code === 'store-takedown-final' ||
    error.code === 'store-not-found' ||
    error.code === 'store-unknown-folder'
  )
}
