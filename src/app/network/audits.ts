// Audits of a home's peer, wired to store, ring and calls; see network/audits/.

import { join } from 'node:path'
import type { AuditStatus } from '../../model/peer-status.ts'
import type { AuditedCaptures } from '../../network/audits/audit-chain.ts'
import { AuditHandler } from '../../network/audits/audit-handler.ts'
import { auditQuestion } from '../../network/audits/audit-messages.ts'
import { AuditScores } from '../../network/audits/audit-scores.ts'
import { Audits, type AuditsOptions } from '../../network/audits/audits.ts'
import type { CopyPlaces } from '../../network/replication/captures/places.ts'
import { ProbationRecords } from '../../network/screening/probation-records.ts'
import type { ProbationWatch } from '../../network/screening/probation-watch.ts'
import type { CallServices } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import type { Store } from '../../store/store.ts'
import { RateLimit } from '../../store/upkeep/rate-limit.ts'
import type { Platform } from '../platform.ts'
import type { OpenCaptureCopies } from './capture-copies.ts'

export interface OpenAuditScores {
  readonly scores: AuditScores
  readonly probation: ProbationRecords
  close(): Promise<void>
}

export async function openAuditScores(
  { clock, keyValues }: Pick<Platform, 'clock' | 'keyValues'>,
  folder: string,
): Promise<OpenAuditScores> {
  const keyValue: KeyValue = await keyValues.open(join(folder, 'audits'), { hasJournal: true })
  const needs = { clock, keyValue }
  return {
    scores: new AuditScores(needs),
    probation: new ProbationRecords(needs),
    close: () => keyValue.close(),
  }
}

interface Needs {
  readonly services: { service(name: 'audits'): ReturnType<CallServices['service']> }
  readonly store: Store
  /** Those of the store unless told. */
  readonly captures?: AuditedCaptures
  /** As the ring has them, with those that are excluded. */
  readonly places: CopyPlaces
  readonly copies: Pick<OpenCaptureCopies, 'sums' | 'isClaimed' | 'repair'>
  readonly scores: AuditScores
  readonly newcomers?: ProbationWatch | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export interface OpenAuditsOptions extends Partial<AuditsOptions> {
  /** Bytes a second that audits may read; 0: this peer asks nobody, and answers all the same. */
  readonly bytesPerSecond: number
}

export interface OpenAudits {
  /** Tells a peer that we keep a spare copy, and want to be challenged for it. */
  tellSpare(peer: PeerId): Promise<void>
  status(): AuditStatus
  close(): Promise<void>
}

/** Answering may take as much as when nobody is to be asked. */
const answeringMin = 50_000

export function openAudits(needs: Needs, { bytesPerSecond, ...options }: OpenAuditsOptions): OpenAudits {
  const { services, store, places, copies, scores, newcomers, clock, random, log } = needs
  const calls = services.service('audits')
  const { captures = storedCaptures(store) } = needs
  new AuditHandler(
    {
      ...{ self: places.self, calls, captures, clock },
      spareHeard: async (peer) => newcomers?.heard(peer),
    },
    { bytesPerSecond: Math.max(answeringMin, bytesPerSecond) / 2 },
  )
  const stop = new AbortController()
  // Half for asking, half for answering.
  const rate = new RateLimit({ clock }, Math.max(1, bytesPerSecond / 2))
  const audits =
    bytesPerSecond === 0
      ? undefined
      : new Audits(
          {
            calls,
            captures,
            sums: copies.sums,
            places,
            scores,
            spares: newcomers,
            clock,
            random,
            log,
            isClaimed: (peer, key) => copies.isClaimed(peer, key),
            repair: (peer, key) => copies.repair(peer, key),
            pace: (bytes) => rate.take(bytes, stop.signal),
          },
          options,
        )
  return {
    tellSpare: async (peer) => {
      await calls.call(peer, auditQuestion.encode({ kind: 'spare' }), {
        deadlineMs: tellMs,
        signal: stop.signal,
      })
    },
    status: () => ({
      ...(audits?.status ?? nothing),
      excluded: scores.all().filter(({ isExcluded }) => isExcluded).length,
      peers: scores
        .all()
        .sort((one, other) => other.score - one.score)
        .slice(0, peersShown),
    }),
    close: async () => {
      stop.abort()
      await audits?.close()
    },
  }
}

const peersShown = 50
const tellMs = 5_000
const nothing = { rounds: 0, audits: 0, right: 0, wrong: 0, late: 0, lacking: 0, void: 0, bytesRead: 0 }

export function storedCaptures(store: Pick<Store, 'roster' | 'offer' | 'stretch'>): AuditedCaptures {
  return {
    sizeOf: (key) => {
      const cursor = store.roster.cursorOf(key)
      return cursor === undefined ? undefined : store.offer(cursor, { mayBeHidden: true })?.sizeBytes
    },
    stretch: async (key, at, bytesMax) => {
      const cursor = store.roster.cursorOf(key)
      return cursor === undefined ? undefined : store.stretch(cursor, at, bytesMax)
    },
  }
}
