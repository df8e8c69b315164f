// `npm run sim -- scale [--peers N] [--minutes M] [--churn MINUTES] [--slowness S] [--lookups PER_SECOND] [--log FILE]`
//
// A ring of N places lives for M minutes: sessions with a median of so many minutes, a tenth of all leaves at once after half of
// the time, keys are looked up from beginning to end. Each sample is a line of JSON in FILE as soon as it is taken, so that a run
// that is cut off has told what it found: `node scripts/draw-scale.ts FILE…` makes tables and pictures of them.
//
// Fails when a lookup that was answered told of a wrong owner more often than once in a thousand times, or when the ring is not
// whole again within `healRoundsMax` after the tenth has left.

import assert from 'node:assert/strict'
import { appendFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Scenario, ScenarioOptions } from '../scenario.ts'
import { ChurnedRing } from './churned-ring.ts'
import type { LookupFigures } from './lookup-book.ts'

const healRoundsMax = 60
const wrongMax = 1e-3
const samplesMax = 96
/** A shorter run has fewer samples, so that each has some lookups. */
const sampleSecondsMin = 10
/** Memory is counted after a full collection, which takes seconds in a large ring: at so many of the samples. */
const memoryEvery = 16
const positionsLookedAt = 500
const keysOwned = 500
const struckShare = 0.1
const minuteMs = 60_000

export const scaleScenario: Scenario = {
  options: '[--peers N] [--minutes M] [--churn MINUTES] [--slowness S] [--lookups PER_SECOND] [--log FILE]',
  promise: 'a large ring answers rightly through a day of churn, and heals when a tenth leaves at once',
  seedsByDefault: 1,
  run: async (seed, options = {}) => {
    const { stackTraceLimit } = Error
    // Peers that cannot be reached are errors without number, and where each was made costs time.
    Error.stackTraceLimit = 0
    try {
      return await new ScaleRun(seed, options).run()
    } finally {
      Error.stackTraceLimit = stackTraceLimit
    }
  },
}

export interface Sample {
  kind: 'sample' | 'struck' | 'healed'
  atMinutes: number
  live: number
  joins: number
  deaths: number
  twoOwners: number
  lookups: LookupFigures
  idealShare: number
  bytesPerSecond: number
  callsPerSecond: number
  books: ReturnType<ChurnedRing['bookkeeping']['take']>
  heapPerPlace?: number
  rssMb: number
  cpuSeconds: number
  load: number
}

class ScaleRun {
  readonly #options: Record<'peers' | 'minutes' | 'churn' | 'slowness' | 'lookups', number>
  readonly #log: string | undefined
  readonly #ring: ChurnedRing
  readonly #heapAtStart: number
  readonly #totals = { lookups: 0, answered: 0, wrong: 0, unanswered: 0, hops: 0 }
  #before = { atMs: 0, bytes: 0, calls: 0 }
  #sampled = 0

  constructor(seed: string, { peers, minutes, churn, slowness, lookups, log }: ScenarioOptions) {
    this.#options = {
      peers: Number(peers ?? 1_000),
      minutes: Number(minutes ?? 60),
      churn: Number(churn ?? 60),
      slowness: Number(slowness ?? 1),
      lookups: Number(lookups ?? 5),
    }
    this.#log = log
    this.#heapAtStart = this.#heapNow()
    const options = this.#options
    this.#ring = new ChurnedRing({
      seed,
      peers: options.peers,
      medianSessionMs: options.churn * minuteMs,
      slowness: options.slowness,
      lookupsPerSecond: options.lookups,
    })
    if (log !== undefined) writeFileSync(log, '')
    this.#tell({ kind: 'options', seed, ...options, heapPerPlace: this.#heapPerPlace() })
  }

  async run(): Promise<Record<string, number | string>> {
    const ring = this.#ring
    // Until ownership is agreed all round, and fingers were looked at once.
    await ring.last(15 * ring.roundMs)
    this.#startSample()
    ring.book.take()
    await this.#churn()
    const { healSeconds, ownedSeconds } = await this.#strike()
    await this.#churn()
    const { lookups, wrong, unanswered, answered, hops } = this.#totals
    assert(wrong <= wrongMax * answered + 1, `${wrong} of ${answered} answers were wrong`)
    return {
      ...{ lookups, wrong, unanswered, hops: Number((hops / answered).toFixed(3)) },
      ...{ healSeconds, ownedSeconds, joins: ring.counts.joins, deaths: ring.counts.deaths },
      events: ring.world.simulation.eventCount,
    }
  }

  /** Half of the time. */
  async #churn(): Promise<void> {
    const halfMs = (this.#options.minutes * minuteMs) / 2
    const count = Math.max(1, Math.min(samplesMax / 2, Math.floor(halfMs / 1_000 / sampleSecondsMin)))
    for (let one = 0; one < count; one++) {
      await this.#ring.last(halfMs / count)
      this.#sample('sample')
    }
  }

  /** Nobody comes or goes until the ring is whole again, or it would never be. */
  async #strike(): Promise<{ healSeconds: number; ownedSeconds: number }> {
    const ring = this.#ring
    const { simulation } = ring.world
    ring.isChurning = false
    // Those who died last are found out first.
    await ring.last(15 * ring.roundMs)
    this.#sample('struck')
    const keys = ring.someKeys(keysOwned)
    const startMs = simulation.nowMs
    ring.strike(struckShare)
    const healed = { healSeconds: Number.NaN, ownedSeconds: Number.NaN }
    while (Object.values(healed).some(Number.isNaN)) {
      const rounds = (simulation.nowMs - startMs) / ring.roundMs
      assert(rounds < healRoundsMax, `not whole ${rounds} rounds after a tenth has left`)
      await ring.last(ring.roundMs / 2)
      const seconds = (simulation.nowMs - startMs) / 1_000
      if (Number.isNaN(healed.ownedSeconds) && ring.areOwned(keys)) healed.ownedSeconds = seconds
      if (Number.isNaN(healed.healSeconds) && ring.idealShare(Number.POSITIVE_INFINITY) === 1)
        healed.healSeconds = seconds
    }
    this.#sample('healed', healed)
    ring.isChurning = true
    return healed
  }

  #startSample(): void {
    const { world } = this.#ring
    const { bytesSent, callCount } = world.fabric
    this.#before = { atMs: world.simulation.nowMs, bytes: bytesSent, calls: callCount }
  }

  #sample(kind: Sample['kind'], more: object = {}): void {
    const { world, live, book, bookkeeping, counts } = this.#ring
    const { atMs, bytes, calls } = this.#before
    const places = live.count * ((world.simulation.nowMs - atMs) / 1_000)
    const lookups = book.take()
    this.#add(lookups)
    const { user, system } = process.cpuUsage()
    const hasMemory = this.#sampled++ % memoryEvery === 0
    const sample: Sample = {
      kind,
      atMinutes: round(world.simulation.nowMs / minuteMs),
      live: live.count,
      ...counts,
      lookups,
      idealShare: round(this.#ring.idealShare(positionsLookedAt)),
      bytesPerSecond: round((world.fabric.bytesSent - bytes) / places),
      callsPerSecond: round((world.fabric.callCount - calls) / places),
      books: bookkeeping.take(),
      ...(hasMemory && { heapPerPlace: this.#heapPerPlace() }),
      rssMb: Math.round(process.memoryUsage.rss() / 1e6),
      cpuSeconds: round((user + system) / 1e6),
      load: round(loadavg()[0]!),
    }
    this.#tell({ ...sample, ...more })
    this.#startSample()
  }

  #add(figures: LookupFigures): void {
    const totals = this.#totals
    for (const { right, wrong, unanswered, hops } of Object.values(figures)) {
      totals.answered += right + wrong
      totals.lookups += right + wrong + unanswered
      totals.wrong += wrong
      totals.unanswered += unanswered
      totals.hops += hops
    }
  }

  #heapPerPlace(): number {
    return Math.round((this.#heapNow() - this.#heapAtStart) / Math.max(1, this.#ring.world.peers.size))
  }

  /** Without what is garbage, where it is told to anybody. */
  #heapNow(): number {
    if (this.#log === undefined) return 0
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }

  #tell(line: object): void {
    if (this.#log !== undefined) appendFileSync(this.#log, `${JSON.stringify(line)}\n`)
  }
}

function round(value: number): number {
  return Number(value.toPrecision(6))
}
