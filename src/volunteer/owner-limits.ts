// What the owner of a machine lets it give: rates, hours, and when it is to pause. Changed at any time.
//
// Rates hold over any ten seconds but for a tenth of a second's worth (token-bucket.ts). Processor time is measured, not guessed: what
// the process has used beyond its share is waited for before the next page. Everything else ends in "pause, for this reason".

import * as v from 'valibot'
import type { Clock } from '../platform/clock.ts'
import { TokenBucket } from './token-bucket.ts'

const rate = v.nullable(v.pipe(v.number(), v.minValue(1_000), v.maxValue(1e12)))
const hour = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(24))

const limitsSchema = v.object({
  /** Bytes a second; null for all that there is. */
  up: rate,
  down: rate,
  /** Of one core, 0.01 to 64. */
  cpu: v.nullable(v.pipe(v.number(), v.minValue(0.01), v.maxValue(64))),
  /** From one hour of the day to another; over midnight when the second is smaller. */
  hours: v.nullable(v.object({ from: hour, to: hour })),
  pausesOnBattery: v.boolean(),
  /** The owner says that this line is paid by the byte. */
  isMetered: v.boolean(),
  pausesWhenBusy: v.boolean(),
  /** Of the process. */
  memoryBytesMax: v.pipe(v.number(), v.minValue(64 * 1024 * 1024)),
  isStopped: v.boolean(),
})
export type OwnerLimits = v.InferOutput<typeof limitsSchema>

export const ownerLimitsDefault: OwnerLimits = {
  up: null,
  down: null,
  cpu: null,
  hours: null,
  pausesOnBattery: true,
  isMetered: false,
  pausesWhenBusy: true,
  memoryBytesMax: 512 * 1024 * 1024,
  isStopped: false,
}

export type PauseReason = 'stopped' | 'metered' | 'hours' | 'battery' | 'memory' | 'busy'

/** What of the machine this goes by. */
export interface VolunteerMachine {
  /** Processor time of this process so far. */
  cpuMs(): number
  memoryBytes(): number
  /** Processes that want to run, beside this one, for each core. */
  othersPerCore(): number
  isOnBattery(): boolean
  /** Hour of the day, where its owner lives. */
  hour(): number
}

/** Others are served first: above this much of the machine in use by them it pauses, and goes on below the second. */
const busyAbove = 0.9
const quietBelow = 0.7
const partSeconds = 0.1
/** Less compresses badly. */
const partBytesMin = 16 * 1024

export class OwnedLimits {
  readonly #clock: Clock
  readonly #machine: VolunteerMachine
  readonly #up: TokenBucket
  readonly #down: TokenBucket
  readonly #cpu: TokenBucket
  #limits: OwnerLimits
  #cpuMs: number
  #isBusy = false

  constructor(needs: { clock: Clock; machine: VolunteerMachine }, limits: OwnerLimits) {
    this.#clock = needs.clock
    this.#machine = needs.machine
    this.#limits = limits
    this.#up = new TokenBucket(needs, limits.up ?? undefined)
    this.#down = new TokenBucket(needs, limits.down ?? undefined)
    this.#cpu = new TokenBucket(needs, cpuRate(limits))
    this.#cpuMs = needs.machine.cpuMs()
  }

  get limits(): OwnerLimits {
    return this.#limits
  }

  /** Throws ValiError for what is none. */
  change(changes: unknown): OwnerLimits {
    const limits = v.parse(limitsSchema, { ...this.#limits, ...(changes as object) })
    this.#limits = limits
    this.#up.perSecond = limits.up ?? undefined
    this.#down.perSecond = limits.down ?? undefined
    this.#cpu.perSecond = cpuRate(limits)
    return limits
  }

  /** Before each page, and each question. */
  async ready(signal: AbortSignal): Promise<void> {
    await this.#down.ready(signal)
    await this.#up.ready(signal)
    const cpuMs = this.#machine.cpuMs()
    this.#cpu.spend(cpuMs - this.#cpuMs)
    this.#cpuMs = cpuMs
    await this.#cpu.ready(signal)
  }

  sending(bytes: number, signal: AbortSignal): Promise<void> {
    return this.#up.take(bytes, signal)
  }

  /** What is sent at once, as far as it can be divided: a tenth of a second's worth, or the rate would be uneven. */
  get partBytes(): number {
    const { up } = this.#limits
    return up === null ? Number.POSITIVE_INFINITY : Math.max(partBytesMin, partSeconds * up)
  }

  /** Bytes have come; what it gives is waited for before more is read. */
  received(bytes: number): Promise<void> | undefined {
    const waitMs = this.#down.spend(bytes)
    return waitMs === 0 ? undefined : this.#clock.sleep(waitMs)
  }

  pauseReason(): PauseReason | undefined {
    const { isStopped, hours, pausesOnBattery, isMetered, pausesWhenBusy, memoryBytesMax } = this.#limits
    const machine = this.#machine
    if (isStopped) return 'stopped'
    if (isMetered) return 'metered'
    if (hours !== null && !isWithin(hours, machine.hour())) return 'hours'
    if (pausesOnBattery && machine.isOnBattery()) return 'battery'
    if (machine.memoryBytes() > memoryBytesMax) return 'memory'
    const others = machine.othersPerCore()
    this.#isBusy = others > (this.#isBusy ? quietBelow : busyAbove)
    return pausesWhenBusy && this.#isBusy ? 'busy' : undefined
  }
}

/** In milliseconds of processor time. */
function cpuRate({ cpu }: OwnerLimits): number | undefined {
  return cpu === null ? undefined : cpu * 1_000
}

export function isWithin({ from, to }: { from: number; to: number }, hourNow: number): boolean {
  if (from === to) return true
  return from < to ? hourNow >= from && hourNow < to : hourNow >= from || hourNow < to
}

/** What an earlier run left; undefined for what cannot be read. */
export function limitsIn(text: string): OwnerLimits | undefined {
  try {
    const read = v.safeParse(limitsSchema, { ...ownerLimitsDefault, ...JSON.parse(text) })
    return read.success ? read.output : undefined
  } catch {
    return undefined
  }
}
