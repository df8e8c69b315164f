// Capture fetcher: fetches captures that another peer holds and we do not.
//
// Several ranges at a time, and of each the next page is requested while one is being stored, so that neither the network nor our
// disk is idle. Where two peers have the same captures, each is asked for what the other is not sending just then. What depends
// on contents that are not here is fetched whole at the end. A peer that does not send what it claims to hold, or sends wrong
// bytes, is reported: the caller tries another.

import { type Clock, within } from '../../../platform/clock.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import { sendLacking } from '../anti-entropy/lacking.ts'
import { textOfId } from '../comparison/difference.ts'
import { type KeyRange, nextKey } from '../sums/key-range.ts'
import { idBytes } from '../sums/tally.ts'
import type { Admission } from './admission.ts'
import type { CaptureReceiver } from './capture-receiver.ts'
import type { CopiesCalls } from './copies-calls.ts'
import { CopiesError } from './copies-error.ts'
import type { HeldCaptures } from './held-captures.ts'
import { sentCopy } from './sent-copy.ts'
import type { Traffic } from './traffic.ts'
import type { FetchedPage, Outcome } from './wire/answers.ts'
import { type SentCapture, type Want, wantsMax } from './wire/questions.ts'

/** Something to be fetched. */
export interface FetchErrand {
  readonly want: Want
  /** Whether all of it has come meanwhile, from somebody else. */
  isHere?(): boolean
}

interface FetchOptions {
  signal?: AbortSignal | undefined
  /** Resolves when it is time to go on after so many bytes. */
  pace?(bytes: number): Promise<void>
}

interface FetchReport {
  /** New here. */
  kept: number
  /** Cannot be had from this peer: not given, or wrong. */
  failed: number
}

interface PageOptions extends FetchOptions {
  onLacking(keys: readonly Uint8Array[]): Promise<void>
}

interface Progress {
  kept: number
  /** By us: taken down here, or not plausible. */
  readonly refused: Set<string>
  readonly failed: Set<string>
}

const pageBytes = 1024 * 1024
/** Ranges that are fetched at once. Each may have a page on its way and another that is being taken. */
const lanesMax = 4
/** So long others may take for what we could fetch from this peer as well. */
const patienceMs = 10_000
/** Wants of single captures that go into one question. */
const singlesMax = 256
/** So many that rest on something else are remembered, then they are seen to. */
const lackingMax = 512
/** Who gives so many wrong ones is not asked any more this time. */
const failedMax = 1_000
/** Nor who gives so many that we do not take. Many may have been taken down here and not yet there. */
const refusedMax = 100_000

interface Needs {
  held: HeldCaptures
  calls: CopiesCalls
  taking: CaptureReceiver
  admission: Pick<Admission, 'fetched'>
  traffic: Traffic
  clock: Clock
}

export class CaptureFetcher {
  readonly #needs: Needs
  /** From whomever, and when it ends. */
  readonly #underWay = new Map<FetchErrand, Promise<void>>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Throws when the peer cannot be reached, and the store's error when there is no room here. */
  async fetch(
    peer: PeerId,
    errands: readonly FetchErrand[],
    options: FetchOptions = {},
  ): Promise<FetchReport> {
    const report = { kept: 0, refused: new Set<string>(), failed: new Set<string>() }
    let lacking: Uint8Array[] = []
    const settle = async (): Promise<void> => {
      const some = lacking
      lacking = []
      for (const key of await this.#fetchLacking(peer, some, options, report)) report.failed.add(idOf(key))
    }
    const onLacking = async (keys: readonly Uint8Array[]): Promise<void> => {
      lacking.push(...keys)
      if (lacking.length >= lackingMax) await settle()
    }
    const left = [...errands]
    const lane = async (): Promise<void> => {
      while (left.length > 0) await this.#run(peer, await this.#next(left), { ...options, onLacking }, report)
    }
    const lanes = Array.from({ length: lanesMax }, () =>
      lane().catch((error: unknown) => {
        left.length = 0
        throw error
      }),
    )
    for (const result of await Promise.allSettled(lanes))
      if (result.status === 'rejected') throw result.reason
    await settle()
    const missing = this.#missing(errands.map(({ want }) => want))
    for (const id of missing) if (!report.refused.has(id)) report.failed.add(id)
    return { kept: report.kept, failed: report.failed.size }
  }

  /** The next ranges that no other fetch works on. Those that another fetch works on are left until that has ended. */
  async #next(left: FetchErrand[]): Promise<FetchErrand[]> {
    const isFree = ({ want }: FetchErrand): boolean => {
      for (const other of this.#underWay.keys()) if (overlap(want.range, other.want.range)) return false
      return true
    }
    const { clock } = this.#needs
    const patientUntilMs = clock.monotonicMs() + patienceMs
    while (left.length > 0 && !left.some(isFree) && clock.monotonicMs() < patientUntilMs)
      await this.#untilOneEnds(patientUntilMs - clock.monotonicMs())
    return takeOut(left, Math.max(0, left.findIndex(isFree)))
  }

  async #untilOneEnds(waitMs: number): Promise<void> {
    await within(this.#needs.clock, waitMs, Promise.race(this.#underWay.values()))
  }

  async #run(
    peer: PeerId,
    errands: readonly FetchErrand[],
    options: PageOptions,
    report: Progress,
  ): Promise<void> {
    const needed = errands.filter((errand) => !errand.isHere?.() && this.#isMissing(errand.want))
    if (needed.length === 0) return
    const wants = needed.map(({ want }) => want)
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const errand of needed) this.#underWay.set(errand, promise)
    try {
      await this.#fetchAll(peer, wants, false, options, report)
    } finally {
      for (const errand of needed) this.#underWay.delete(errand)
      resolve()
    }
  }

  /** Gives those that cannot be had. */
  #fetchLacking(
    peer: PeerId,
    lacking: readonly Uint8Array[],
    options: FetchOptions,
    report: Progress,
  ): Promise<Uint8Array[]> {
    return sendLacking(lacking, async (keys, isWhole) => {
      const still: Uint8Array[] = []
      const onLacking = async (some: readonly Uint8Array[]): Promise<void> => void still.push(...some)
      for (let at = 0; at < keys.length; at += wantsMax) {
        const wants = keys.slice(at, at + wantsMax).map(wantOf)
        await this.#fetchAll(peer, wants, isWhole, { ...options, onLacking }, report)
      }
      return still
    })
  }

  async #fetchAll(
    peer: PeerId,
    wants: readonly Want[],
    isWhole: boolean,
    { signal, pace, onLacking }: PageOptions,
    report: Progress,
  ): Promise<void> {
    const ask = (some: readonly Want[]): Promise<FetchedPage> =>
      this.#needs.calls.fetch(peer, { wants: some, isWhole, bytesMax: pageBytes }, signal)
    let page: FetchedPage | undefined = await ask(wants)
    let rest = wants
    while (page !== undefined) {
      const left: Want[] = page.next === undefined ? [] : remaining(rest, page)
      const coming: Promise<FetchedPage> | undefined = left.length > 0 ? ask(left) : undefined
      // So that a failure of the next page is always handled, whatever happens to this one.
      coming?.catch(() => {})
      const { captures } = page
      const bytes = captures.reduce((sum, capture) => sum + (capture.bytes?.length ?? 0), 0)
      this.#needs.traffic.countIn(bytes)
      const outcomes = await this.#take(peer, captures, signal)
      for (const [index, outcome] of outcomes.entries()) {
        const { key } = captures[index]!
        if (outcome === 'kept') report.kept++
        else if (outcome === 'taken-down' || outcome === 'refused') report.refused.add(idOf(key))
        else if (outcome !== 'known' && outcome !== 'lacking') report.failed.add(idOf(key))
      }
      if (outcomes.includes('full'))
        throw new CopiesError('copies-no-room', 'There is no room here for more copies')
      if (report.failed.size > failedMax || report.refused.size > refusedMax)
        throw new CopiesError('copies-peer-wrong', `Peer ${peer} gives what is no capture, again and again`)
      await onLacking(captures.filter((_, index) => outcomes[index] === 'lacking').map(({ key }) => key))
      await pace?.(bytes)
      page = await coming
      rest = left
    }
  }

  #take(peer: PeerId, captures: readonly SentCapture[], signal?: AbortSignal): Promise<Outcome[]> {
    const { taking, admission } = this.#needs
    return taking.take(
      captures.map((capture) => ({
        key: capture.key,
        isLarge: capture.bytes === undefined,
        isWhole: capture.isWhole,
        copy: () => sentCopy(this.#needs, peer, capture, signal),
      })),
      admission.fetched,
    )
  }

  #isMissing(want: Want): boolean {
    return want.ids === undefined || this.#missing([want]).length > 0
  }

  /** Of those that were asked for by id, which are still not here? They were said to be there. */
  #missing(wants: readonly Want[]): string[] {
    return wants.flatMap(({ range, ids }) => {
      if (ids === undefined) return []
      const wanted = new Set(ids.map(textOfId))
      for (const { id } of this.#needs.held.sums.entries(range)) wanted.delete(textOfId(id))
      return [...wanted]
    })
  }
}

function idOf(key: Uint8Array): string {
  return textOfId(key.subarray(-idBytes))
}

/** One range, or some that are small. */
function takeOut(left: FetchErrand[], at: number): FetchErrand[] {
  if (left.length === 0 || left[at]!.want.ids === undefined) return left.splice(at, 1)
  const end = left.findIndex(({ want }, index) => index > at && want.ids === undefined)
  return left.splice(at, Math.min((end < 0 ? left.length : end) - at, singlesMax))
}

function overlap(one: KeyRange, other: KeyRange): boolean {
  const isBefore = (left: KeyRange, right: KeyRange): boolean =>
    left.to !== undefined && Buffer.compare(left.to, right.from) <= 0
  return !isBefore(one, other) && !isBefore(other, one)
}

/** A want for this one alone. */
function wantOf(key: Uint8Array): Want {
  return { range: { from: key, to: nextKey(key) }, ids: [key.slice(-idBytes)] }
}

/** What is left after a page. Each must bring something and go on forwards: so it ends, whatever the other says. */
function remaining(wants: readonly Want[], { captures, next }: FetchedPage): Want[] {
  const [first, ...others] = wants.slice(next!.want)
  const { from, to } = first!.range
  const order = Buffer.compare(next!.from, from)
  if (captures.length === 0 || order < 0 || (order === 0 && next!.want === 0))
    throw new CopiesError('copies-peer-wrong', 'The other peer goes round in circles')
  const isOver = to !== undefined && Buffer.compare(next!.from, to) >= 0
  return isOver ? others : [{ ...first!, range: { from: next!.from, to } }, ...others]
}
