// The changes of a home's sites, joined with those of all other peers: answered to others, followed by whoever asks here, and kept
// for as long as the settings say.

import type { ChangeService } from '../../api/v1/changes/change-routes.ts'
import { ChangeStream, type StreamPeers } from '../../changes/stream/change-stream.ts'
import { EventSource } from '../../changes/stream/event-source.ts'
import { PresentPeers } from '../../changes/stream/present-peers.ts'
import { readAnswer, readQuestion, waitMsMax } from '../../changes/stream/questions.ts'
import type { LogLimits } from '../../crawl/frontier/changes/log-upkeep.ts'
import type { Frontier } from '../../crawl/frontier/frontier.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Random } from '../../platform/random.ts'
import type { Capture } from '../../store/capture.ts'
import type { Store } from '../../store/store.ts'
import { lateCapturesOf } from './kept-captures.ts'

/** The other peers that keep this archive. */
export interface ChangesNetwork {
  readonly self: string
  /** The service `changes`. */
  readonly calls: CallService
  readonly copies: number
  peers(): readonly string[]
  members(): readonly string[]
  waitUntilSafe(sites: readonly RingKey[]): Promise<void>
  unsettled(): number
  /** How far the clocks of most others are ahead of ours. */
  clockOffsetMs(): number
  /** Resolves when enough peers keep the capture. */
  spread(capture: Pick<Capture, 'cursor' | 'recordId'>): Promise<void>
  /** Told of the site of each copy that comes from another peer. */
  onCopy(listener: (site: RingKey) => void): void
}

interface Needs {
  readonly clock: Clock
  readonly random: Random
  readonly frontier: Pick<Frontier, 'changes' | 'committed'>
  /** What was taken down is not told either. */
  isHidden(url: string): boolean
  readonly network?: ChangesNetwork | undefined
  /** Where there are others: what is kept and was not told is looked for there. */
  readonly store?: Pick<Store, 'scan' | 'versions'> | undefined
}

export interface OpenChanges extends ChangeService {
  /** All streams end. */
  stop(): void
  close(): Promise<void>
}

export const logLimitsDefault: LogLimits = { keepAgeMs: 30 * 86_400_000, keepBytes: 1_000_000_000 }

const upkeepMs = 1_000
const offsetMs = 1_000
/** When there is nothing more to do. */
const restMs = 60_000
/** For an answer, beside what was asked to wait for. */
const answerMs = 15_000

export function openChanges(needs: Needs, limits: LogLimits = logLimitsDefault): OpenChanges {
  const { clock, frontier, network } = needs
  const present = network && new PresentPeers({ ...network, clock }, network.copies)
  const source = new EventSource({
    ...needs,
    events: frontier.changes,
    waitUntilSafe: network ? (sites) => network.waitUntilSafe(sites) : () => frontier.committed(),
    unsettled: () => network?.unsettled() ?? 0,
    view: () => present?.view() ?? 0,
  })
  network?.calls.answer(async (_from, bytes, { signal }) =>
    readAnswer.encode(await source.read(readQuestion.decode(bytes), signal)),
  )
  const peers = network && present ? networkPeers(network, present, source) : alone(source)
  if (network) frontier.changes.followClocks(lately(clock, () => network.clockOffsetMs()))
  const stopping = new AbortController()
  const { store } = needs
  const late = network && store && lateCapturesOf({ clock, log: frontier.changes, network, store })
  const upkeep = frontier.changes.upkeep(limits)
  const task: PeriodicTask = new PeriodicTask(needs, upkeepMs, async () => {
    await frontier.committed()
    if (upkeep.step(clock.nowMs())) task.runIn(restMs)
  })
  return {
    stream: (options) => {
      const signal = AbortSignal.any([options.signal, stopping.signal])
      return new ChangeStream({ peers, clock }, { ...options, signal })
    },
    stop: () => stopping.abort(),
    isHidden: (url) => needs.isHidden(url),
    nowMs: () => clock.nowMs(),
    close: async () => {
      stopping.abort()
      source.close()
      await late?.close()
      await task.close()
    },
  }
}

/** Asked for with every event, and worked out once a second. */
function lately(clock: Clock, value: () => number): () => number {
  let known = 0
  let askAtMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = clock.monotonicMs()
    if (nowMs >= askAtMs) {
      known = value()
      askAtMs = nowMs + offsetMs
    }
    return known
  }
}

function networkPeers(network: ChangesNetwork, peers: PresentPeers, source: EventSource): StreamPeers {
  const { self, calls } = network
  return {
    present: () => peers.present(),
    isEnough: () => peers.isEnough(),
    isStable: () => peers.isStable(),
    view: () => peers.view(),
    isAlone: () => peers.isAlone(),
    read: async (peer, question, signal) => {
      if (peer === self) return source.read(question, signal)
      const deadlineMs = Math.min(question.waitMs, waitMsMax) + answerMs
      const options = { deadlineMs, signal, channel: 'bulk' } as const
      return readAnswer.decode(await calls.call(peer, readQuestion.encode(question), options))
    },
  }
}

function alone(source: EventSource): StreamPeers {
  const self = 'self'
  return {
    present: () => [self],
    isEnough: () => true,
    isStable: () => true,
    view: () => 0,
    isAlone: () => true,
    read: (_, question, signal) => source.read(question, signal),
  }
}
