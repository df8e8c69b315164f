// Replication of captures: new ones are sent to their replica set, missing copies are found by comparison and replaced, and
// surplus ones are dropped.
//
// The owner of an arc sees to its copies (arc-upkeep.ts), whoever holds something outside its arcs hands it over (hand-over.ts),
// and whoever leaves for good all that it holds (departure.ts). Of other peers only what their records prove is believed.
// Captures never change, so two peers that both think they own an arc do no harm.

import type { RingKey } from '../../../model/ring-key.ts'
import type { CallService } from '../../../platform/calls/call-services.ts'
import type { CallContext } from '../../../platform/calls/calls.ts'
import { type Log, silentLog } from '../../../platform/log.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { Random } from '../../../platform/random.ts'
import { type ArcState, ArcUpkeep } from '../anti-entropy/arc-upkeep.ts'
import { Completeness } from '../anti-entropy/completeness.ts'
import { Reconciler } from '../anti-entropy/reconciler.ts'
import { SpareArc } from '../anti-entropy/spare-arc.ts'
import { CopiesHistogram } from '../copies/copies-histogram.ts'
import { ArcHandOver } from '../hand-over/arc-hand-over.ts'
import { Departure } from '../hand-over/departure.ts'
import type { HandOverProgress } from '../hand-over/departure-progress.ts'
import { HandOver } from '../hand-over/hand-over.ts'
import { Possession } from '../hand-over/possession.ts'
import { Promises, promiseMs } from '../hand-over/promises.ts'
import { Spares } from '../hand-over/spares.ts'
import { allKeys } from '../sums/key-range.ts'
import { Admission, type AdmissionNeeds, type AdmissionOptions } from './admission.ts'
import { CaptureFetcher } from './capture-fetcher.ts'
import { CaptureHandler } from './capture-handler.ts'
import { CaptureReader } from './capture-reader.ts'
import { CaptureReceiver } from './capture-receiver.ts'
import { CaptureSender } from './capture-sender.ts'
import { CopiesCalls } from './copies-calls.ts'
import type { HeldCaptures } from './held-captures.ts'
import { PageBuilder } from './page-builder.ts'
import { PieceReader } from './piece-reader.ts'
import { Spreading } from './spreading.ts'
import { Traffic } from './traffic.ts'
import { type Arc, lifeBytes } from './wire/questions.ts'

export interface CaptureCopiesOptions {
  /** How many copies there are to be: r. */
  copies: number
  /** How many peers must have a capture before it counts as kept. */
  copiesMin: number
  /** So many more are kept by those who have room. */
  sparesMax: number
  /** So long all of a replica set are waited for, when as many as must have a capture. */
  spreadPatienceMs: number
  /** So long those that must have it are waited for. */
  spreadGiveUpMs: number
  /** Peers that were found to hold the same are compared again after this. */
  compareEveryMs: number
  comparisonsAtOnce: number
  /** How long what another was told to be kept is not dropped. */
  promiseMs: number
  isShortOfRoom(): boolean
  /** What others may bring; see admission.ts. */
  admission: Partial<AdmissionOptions>
}

const captureCopiesDefault: CaptureCopiesOptions = {
  copies: 3,
  copiesMin: 2,
  sparesMax: 3,
  spreadPatienceMs: 3_000,
  spreadGiveUpMs: 60_000,
  compareEveryMs: 600_000,
  comparisonsAtOnce: 2,
  promiseMs,
  isShortOfRoom: () => false,
  admission: {},
}

export interface CaptureCopiesNeeds extends AdmissionNeeds {
  held: HeldCaptures
  calls: CallService
  random: Random
  log?: Log
  /** How many peers take part, ourselves included, also those that are away and were never met; undefined while that is not known
   * yet. When not given, the ring tells all. */
  participants?(): number | undefined
  /** What a peer without places of its own holds a spare copy of; undefined: it has places. */
  spareArc?(): Arc | undefined
  /** A capture that a peer gave was wrong. */
  whenDamaged?(sender: PeerId): void
  /** Resolves when so many bytes more may be moved for repair. */
  pace?(bytes: number): Promise<void>
}

export interface CopiesStatus {
  /** Captures that are here. */
  entries: number
  /** Of those that are ours: how many have 0, 1, 2 … copies that can be read now. */
  histogram: readonly number[]
  /** Comparisons that are waited for or under way. */
  queue: number
  /** Bytes a second, lately. */
  ratePerSecond: number
  bytesIn: number
  bytesOut: number
  /** Copies that are wanted of what is ours, and are not there. */
  lacking: number
  /** Captures dropped here since others keep them. */
  dropped: number
  /** Peers that could not show copies that they said they have. */
  badHolders: number
  /** Captures from others that were not plausible. */
  refused: number
}

export class CaptureCopies {
  readonly #needs: CaptureCopiesNeeds
  readonly #options: CaptureCopiesOptions
  readonly #traffic: Traffic
  readonly #admission: Admission
  readonly #possession: Possession
  readonly #completeness: Completeness
  readonly #upkeep: ArcUpkeep
  readonly #spreading: Spreading
  readonly #handOver: HandOver
  readonly #arcHandOver: ArcHandOver
  readonly #farewell: Departure
  readonly #pieces: PieceReader
  readonly #handler: CaptureHandler
  #spare: SpareArc | undefined
  readonly #openSpare: () => SpareArc

  constructor(needs: CaptureCopiesNeeds, options: Partial<CaptureCopiesOptions> = {}) {
    this.#needs = needs
    this.#options = { ...captureCopiesDefault, ...options }
    const { copies, copiesMin, sparesMax, compareEveryMs, isShortOfRoom } = this.#options
    const { held, places, clock, random, log = silentLog, pace = async () => {} } = needs
    const participants = (): number | undefined =>
      needs.participants === undefined ? 0 : needs.participants()
    const calls = new CopiesCalls(needs)
    const reading = new CaptureReader({ held })
    const taking = new CaptureReceiver({ held })
    const admission = new Admission(needs, this.#options.admission)
    const traffic = new Traffic({ clock })
    const giving = new CaptureSender({ calls, reading, traffic })
    const fetching = new CaptureFetcher({ held, calls, taking, admission, traffic, clock })
    const reconciler = new Reconciler({ held, calls, giving, fetching, admission, random })
    const completeness = new Completeness({ places, clock })
    const possession = new Possession({ held, calls, random, pace })
    const promises = new Promises({ held, places, clock }, this.#options.promiseMs)
    const spares = new Spares({ places, clock }, sparesMax)
    this.#traffic = traffic
    this.#admission = admission
    this.#possession = possession
    this.#completeness = completeness
    this.#pieces = new PieceReader({ held, clock })
    this.#upkeep = new ArcUpkeep(
      { places, clock, log, calls, reconciler, completeness, pace },
      { compareEveryMs, jobsMax: this.#options.comparisonsAtOnce },
    )
    this.#handOver = new HandOver(
      { held, places, clock, log, calls, reconciler, promises, possession, pace },
      {
        ...{ copies, everyMs: compareEveryMs, isShortOfRoom },
        isSpare: () => needs.spareArc?.() !== undefined,
      },
    )
    this.#arcHandOver = new ArcHandOver({ held, places, reconciler, possession, admission, pace })
    this.#openSpare = () =>
      new SpareArc({ places, reconciler, clock, log, pace, arc: () => needs.spareArc?.() }, compareEveryMs)
    this.#spreading = new Spreading(
      { places, clock, giving, participants, miss: (peer, key) => this.#upkeep.miss(peer, key) },
      {
        copiesMin,
        patienceMs: this.#options.spreadPatienceMs,
        giveUpMs: this.#options.spreadGiveUpMs,
      },
    )
    this.#handler = new CaptureHandler({
      held,
      calls,
      taking,
      admission,
      pages: new PageBuilder({ held, reading, traffic }),
      pieces: this.#pieces,
      traffic,
      whenDamaged: needs.whenDamaged && ((sender) => needs.whenDamaged?.(sender)),
      advisers: {
        life: random.bytes(lifeBytes),
        believe: (owner, arcs, splitsId) =>
          completeness.believe(owner, completeness.isOfOneMind(splitsId) ? arcs : []),
        isComplete: (arc, splitsId) => completeness.isOfOneMind(splitsId) && completeness.covers(arc),
        isSpareWanted: (peer, arc) => spares.isWanted(peer, arc),
        promise: (keys) => promises.give(keys),
        prove: (nonce, keys) => possession.answer(places.self, nonce, keys),
      },
    })
    this.#farewell = new Departure(
      {
        held,
        places,
        reconciler,
        promises,
        possession,
        admission,
        standings: [this.#handler, this.#spreading],
        clock,
        pace,
        participants,
      },
      { copies, copiesMin },
    )
    needs.calls.answer((from, bytes, context) => this.answer(from, bytes, context))
  }

  /** Begins to look after copies. The sums must cover all captures by now. */
  start(): void {
    this.#upkeep.start()
    this.#handOver.start()
    this.#spare = this.#openSpare()
  }

  /** `key`: of a capture that is kept here, in the roster. Resolves when enough others have it. */
  spread(key: Uint8Array): Promise<void> {
    return this.#spreading.spread(key)
  }

  /** Whether this peer is to keep what lies there, and has all of it. */
  isComplete(key: RingKey): boolean {
    return this.#completeness.isComplete(key)
  }

  /** The same of all that lies on an arc. */
  covers(arc: Arc): boolean {
    return this.#completeness.covers(arc)
  }

  /** Whether a peer was found to hold this, or says as its owner that it does. */
  isClaimed(peer: PeerId, key: Uint8Array): boolean {
    return this.#upkeep.isHolder(peer, key) || this.#completeness.isToldBy(peer, key)
  }

  /** The peer lacks it, whatever was found before: it is compared again. */
  repair(peer: PeerId, key: Uint8Array): void {
    this.#upkeep.miss(peer, key)
  }

  /** For leaving for good: resolves when others have what is here. From then on nothing is taken, and nobody counts on us. */
  handOver(signal: AbortSignal, tell: (progress: HandOverProgress) => void = () => {}): Promise<void> {
    return this.#farewell.handOverAll(signal, tell)
  }

  /** Gives a peer what is here of an arc. True when it has shown that it has it. */
  handOverArc(peer: PeerId, arc: Arc, signal: AbortSignal): Promise<boolean> {
    return this.#arcHandOver.give(peer, arc, signal)
  }

  /** Everything was handed over, and we stay after all. */
  stay(): void {
    this.#farewell.stay()
  }

  answer(from: PeerId, bytes: Uint8Array, context: CallContext): Promise<Uint8Array> {
    return this.#handler.answer(from, bytes, context)
  }

  status(): CopiesStatus {
    const { sums } = this.#needs.held
    const { bytesIn, bytesOut, ratePerSecond } = this.#traffic
    const histogram = new CopiesHistogram()
    let lacking = 0
    if (sums.isComplete) for (const state of this.#upkeep.states()) lacking += this.#count(state, histogram)
    return {
      entries: sums.isComplete ? sums.sumOf(allKeys).count : 0,
      histogram: histogram.entries,
      queue: this.#upkeep.queueLength,
      ratePerSecond,
      bytesIn,
      bytesOut,
      lacking,
      dropped: this.#handOver.dropped,
      badHolders: this.#possession.badHolders.size,
      refused: this.#admission.refused,
    }
  }

  async close(): Promise<void> {
    this.#spreading.close()
    this.#pieces.close()
    await this.#upkeep.close()
    await this.#handOver.close()
    await this.#spare?.close()
  }

  /** As if those who lack less lacked part of what those lack who lack more: at worst it is so. */
  #count({ ranges, missing }: ArcState, histogram: CopiesHistogram): number {
    const { sums } = this.#needs.held
    const entries = ranges.reduce((sum, range) => sum + sums.sumOf(range).count, 0)
    const gaps = missing.map((count) => Math.min(entries, count ?? entries)).sort((one, other) => one - other)
    let [lacking, counted] = [0, 0]
    // As many as the first lacks have one copy; beyond that it has them, too.
    for (const [index, upTo] of [...gaps, entries].entries()) {
      const some = upTo - counted
      counted = upTo
      if (some === 0) continue
      histogram.add(some, index + 1)
      lacking += some * Math.max(0, this.#options.copies - index - 1)
    }
    return lacking
  }
}
