// Peers that go wrong in one way each, to see that the checker finds it.

import assert from 'node:assert/strict'
import { flags } from '../../src/formats/wire/message-fields.ts'
import { ringKeyBytes } from '../../src/model/ring-key.ts'
import type { CopyPlaces } from '../../src/network/replication/captures/places.ts'
import { givenOutcomes, type Outcome } from '../../src/network/replication/captures/wire/answers.ts'
import { type CopiesQuestion, copiesQuestion } from '../../src/network/replication/captures/wire/questions.ts'
import { answerQuestion } from '../../src/network/replication/comparison/answering.ts'
import { proofOf } from '../../src/network/replication/hand-over/possession.ts'
import { SplitSites } from '../../src/network/replication/split-sites/split-sites.ts'
import type { KeyRange } from '../../src/network/replication/sums/key-range.ts'
import type { CallService } from '../../src/platform/calls/call-services.ts'
import { type PeerId, PeerUnreachable } from '../../src/platform/network/network.ts'
import type { EntryDisk } from './entry-disk.ts'
import type { Mutation } from './mutation.ts'
import { keyOfUrl, nameOf } from './simulated-entry.ts'

export const mutants: Record<string, Mutation> = {
  'new entries are not spread': {
    copies: (copies) => ({ ...asPlain(copies), spread: async () => {} }),
  },
  'acknowledgements are not awaited': { options: { copiesMin: 1, spreadPatienceMs: 0 } },
  'repair never begins': {
    places: (places) => ({ ...plainPlaces(places), ownArcs: () => [] }),
  },
  'copies are dropped without asking': {
    calls: (calls, disk) =>
      answering(calls, async (question, peer) => {
        if (question.kind === 'confirm') return flags.encode(question.keys.map(() => true))
        if (question.kind === 'prove') return proofsOf(peer, question, disk)
        return undefined
      }),
  },
  'the word of the owner counts for all': {
    places: (places) => ({
      ...plainPlaces(places),
      lookup: async (key) => {
        const found = await places.lookup(key)
        return { ...found, replicas: found.replicas.map(() => found.owner) }
      },
    }),
  },
  'leaving hands nothing over': {
    copies: (copies) => ({ ...asPlain(copies), handOver: async () => {} }),
  },
  'who is about to leave is counted on': {
    calls: (calls, disk) => ({
      ...calls,
      answer: (handler) =>
        calls.answer(async (from, bytes, context) => {
          try {
            return await handler(from, bytes, context)
          } catch (error) {
            const question = copiesQuestion.decode(bytes)
            const isMutated = question.kind === 'compare' || question.kind === 'give'
            if ((error as { code?: string }).code !== 'copies-leaving' || !isMutated) throw error
            return answerAnyhow(question, disk)
          }
        }),
    }),
  },
  'nothing is flushed': {
    map: (map) => ({
      table: (name) => map.table(name),
      transaction: (action) => map.transaction(action),
      flush: async () => {},
      sizeBytes: () => map.sizeBytes(),
      close: () => map.close(),
    }),
  },
  'takedowns are not told': {
    announcementCalls: (calls) => ({
      ...calls,
      call: async (peer) => {
        throw new PeerUnreachable(peer, 'nothing is told')
      },
    }),
  },
  'takedowns are forgotten': {
    disk: (disk) => ({
      held: disk.held,
      keep: (entry) => disk.keep(entry),
      has: (key) => disk.has(key),
      keys: () => disk.keys(),
      takedowns: () => disk.takedowns(),
      isSound: (key, entry) => disk.isSound(key, entry),
      takedown: async (target) => {
        const start = nameOf(keyOfUrl((target as { url: string }).url))
        return disk.held.drop([...disk.keys()].map(nameOf).filter((name) => name.startsWith(`${start}\0`)))
      },
    }),
  },
  'comparisons find nothing': {
    // As if the other held just what we hold.
    calls: (calls, disk) =>
      answering(calls, async (question) =>
        question.kind === 'compare' ? answerQuestion(disk.held.sums, question.bytes) : undefined,
      ),
  },
  'half of each arc is not compared': {
    places: (places) => ({ ...plainPlaces(places), splits: new HalfOfEach() }),
  },
}

async function answerAnyhow(question: CopiesQuestion, { held }: EntryDisk): Promise<Uint8Array> {
  if (question.kind === 'compare') return answerQuestion(held.sums, question.bytes)
  assert(question.kind === 'give')
  const outcomes: Outcome[] = []
  for (const { bytes } of question.captures) outcomes.push(await held.take(bytes!))
  return givenOutcomes.encode(outcomes)
}

class HalfOfEach extends SplitSites {
  override rangesOf(...arc: Parameters<SplitSites['rangesOf']>): KeyRange[] {
    return super.rangesOf(...arc).map(({ from, to }) => ({ from, to: between(from, to) }))
  }
}

function between(from: Uint8Array, to: Uint8Array | undefined): Uint8Array {
  const sum = numberOf(from) + (to === undefined ? 1n << BigInt(8 * ringKeyBytes) : numberOf(to))
  return Buffer.from((sum / 2n).toString(16).padStart(2 * ringKeyBytes, '0'), 'hex')
}

function numberOf(bound: Uint8Array): bigint {
  const whole = Buffer.alloc(ringKeyBytes)
  whole.set(bound.subarray(0, ringKeyBytes))
  return BigInt(`0x${whole.toString('hex')}`)
}

/** What it gives is taken for the answer. */
function answering(
  calls: CallService,
  answer: (question: CopiesQuestion, peer: PeerId) => Promise<Uint8Array | undefined>,
): CallService {
  return {
    ...calls,
    call: async (peer, bytes, options) => {
      const question = copiesQuestion.decode(bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes))
      return (await answer(question, peer)) ?? calls.call(peer, bytes, options)
    },
  }
}

/** As the other would prove it, if it had what we have. */
async function proofsOf(
  peer: PeerId,
  { nonce, keys }: CopiesQuestion & { kind: 'prove' },
  { held }: EntryDisk,
): Promise<Uint8Array> {
  const digests = await held.possession(
    keys.map((key) => held.roster.cursorOf(key)),
    nonce,
  )
  return Buffer.concat(keys.map((key, at) => proofOf(peer, key, digests[at])))
}

function asPlain(copies: Parameters<NonNullable<Mutation['copies']>>[0]) {
  return {
    start: () => copies.start(),
    spread: (key: Uint8Array) => copies.spread(key),
    handOver: (signal: AbortSignal) => copies.handOver(signal),
    status: () => copies.status(),
  }
}

function plainPlaces(places: CopyPlaces): CopyPlaces {
  return {
    self: places.self,
    replicaSet: (key) => places.replicaSet(key),
    fullSet: (key) => places.fullSet(key),
    isYoung: (peer) => places.isYoung(peer),
    mayHaveKept: (peer, key, atMs) => places.mayHaveKept(peer, key, atMs),
    lookup: (key) => places.lookup(key),
    ownArcs: () => places.ownArcs(),
    peers: () => places.peers(),
    members: () => places.members(),
    missed: () => places.missed(),
    onChange: (listener) => places.onChange(listener),
    splits: places.splits,
  }
}
