// Captures in copies, joined: the store's captures, the calls to other peers and the ring.
//
// Sums over captures are switched on here: a peer that is alone for good does not pay for them. Until they cover what was there
// before, others are told to ask later, and new captures are spread all the same.

import { PolyhistorError } from '../../errors.ts'
import { parseUuid } from '../../model/uuid.ts'
import {
  CaptureCopies,
  type CaptureCopiesNeeds,
  type CaptureCopiesOptions,
} from '../../network/replication/captures/capture-copies.ts'
import type { HandOverProgress } from '../../network/replication/hand-over/departure-progress.ts'
import { RangeSums } from '../../network/replication/sums/range-sums.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import { silentLog } from '../../platform/log.ts'
import type { Capture } from '../../store/capture.ts'
import { rosterKey } from '../../store/copying/capture-roster.ts'
import type {
  AdmittedCapture,
  ReceivedCopy,
  ReceiveOutcome,
  TakeOptions,
} from '../../store/copying/copying.ts'
import type { CopyWorkers } from '../../store/copying/whole-copies.ts'
import { keyOfCursor } from '../../store/reading/capture-finder.ts'
import type { Store } from '../../store/store.ts'
import { RateLimit } from '../../store/upkeep/rate-limit.ts'

/** What the store finds captures by. */
type CopiedUrl = Pick<AdmittedCapture, 'ringKey' | 'surt'>

interface OpenCaptureCopiesNeeds extends Omit<CaptureCopiesNeeds, 'held' | 'calls' | 'pace'> {
  readonly store: Store
  readonly services: { service(name: 'replica'): CallService }
  /** A copy of a capture of this URL came from another peer and is kept. */
  taken?(url: CopiedUrl): void
  /** Threads in which what comes is checked; here when not given. Whoever gave them closes them, when others are not answered any
   * more. */
  readonly workers?: CopyWorkers
}

export interface OpenCaptureCopiesOptions extends Partial<CaptureCopiesOptions> {
  /** Bytes a second for repair, in and out; new captures are not held up by it. Without a limit when not given. */
  /** A function where it may change. */
  readonly ratePerSecond?: number | (() => number)
}

export interface OpenCaptureCopies
  extends Pick<
    CaptureCopies,
    'isComplete' | 'covers' | 'isClaimed' | 'repair' | 'status' | 'stay' | 'handOverArc'
  > {
  /** Resolves when enough others have it on disk; at once when there are no others. */
  spread(capture: Pick<Capture, 'cursor' | 'recordId'>): Promise<void>
  /** Of all captures that are here. */
  readonly sums: RangeSums
  /** For leaving for good: resolves when others have what is here. From then on nothing is taken, and nobody counts on us. */
  handOver(signal: AbortSignal, tell?: (progress: HandOverProgress) => void): Promise<void>
  /** Resolves when the sums cover what was there before, and comparing has begun. */
  readonly covered: Promise<void>
  close(): Promise<void>
}

/** The URL is known when the copy was read. */
async function takeAndTell(
  store: Store,
  copy: ReceivedCopy,
  how: TakeOptions | undefined,
  tell: (url: CopiedUrl) => void,
): Promise<ReceiveOutcome> {
  let url: CopiedUrl | undefined
  const outcome = await store.take(copy, {
    ...how,
    admit: (capture) => {
      url = capture
      return how?.admit?.(capture) ?? { importedBy: capture.importedBy }
    },
  })
  if (outcome === 'kept' && url !== undefined) tell(url)
  return outcome
}

/** Answers from now on. */
export async function openCaptureCopies(
  needs: OpenCaptureCopiesNeeds,
  options: OpenCaptureCopiesOptions = {},
): Promise<OpenCaptureCopies> {
  const { store, services, places, clock, random, log = silentLog, workers } = needs
  const { ratePerSecond = Number.POSITIVE_INFINITY, ...rest } = options
  if (workers !== undefined) store.checkCopiesIn(workers)
  const sums = await store.sumUp((table, roster) => new RangeSums(table, roster))
  const rate = new RateLimit({ clock }, ratePerSecond)
  const stop = new AbortController()
  const copies = new CaptureCopies(
    {
      held: {
        sums,
        roster: store.roster,
        // Also what is hidden: whoever keeps a copy carries out the same takedowns, and must have it if they are taken back.
        give: (cursor, how) => store.give(cursor, { ...how, mayBeHidden: true }),
        offer: (cursor, how) => store.offer(cursor, { ...how, mayBeHidden: true }),
        take: (copy, how) => takeAndTell(store, copy, how, (url) => needs.taken?.(url)),
        possession: (cursors, nonce) => store.possession(cursors, nonce),
        flush: async () => void (await store.drop([])),
        drop: (cursors) => store.drop(cursors),
      },
      calls: services.service('replica'),
      places,
      clock,
      random,
      log,
      hasLease: (peer, site) => needs.hasLease?.(peer, site) ?? false,
      crawls: (peer, site) => needs.crawls?.(peer, site) ?? false,
      clockOffsetMs: () => needs.clockOffsetMs?.() ?? 0,
      spareArc: () => needs.spareArc?.(),
      ...(needs.participants && { participants: () => needs.participants!() }),
      whenDamaged: (sender) => needs.whenDamaged?.(sender),
      pace: (bytes) => rate.take(bytes, stop.signal),
    },
    rest,
  )
  const covered = cover().catch((error: unknown) => {
    if (!(error instanceof PolyhistorError) && !stop.signal.aborted) throw error
    if (!stop.signal.aborted)
      log.error({ err: error }, 'What is here cannot be counted: copies are not compared')
  })

  async function cover(): Promise<void> {
    await store.coverSums(sums, stop.signal)
    if (!stop.signal.aborted) copies.start()
  }

  return {
    spread: ({ cursor, recordId }) => copies.spread(rosterKey(keyOfCursor(cursor), parseUuid(recordId))),
    isComplete: (key) => copies.isComplete(key),
    covers: (arc) => copies.covers(arc),
    isClaimed: (peer, key) => copies.isClaimed(peer, key),
    repair: (peer, key) => copies.repair(peer, key),
    status: () => copies.status(),
    sums,
    handOver: async (signal, tell) => {
      await covered
      await copies.handOver(signal, tell)
    },
    stay: () => copies.stay(),
    handOverArc: (peer, arc, signal) => copies.handOverArc(peer, arc, signal),
    covered,
    close: async () => {
      stop.abort()
      await covered
      await copies.close()
    },
  }
}
