// Runs of several peers on simulated machines: the ranks are those of one machine, whoever dies, comes or lies meanwhile.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { counterMax } from '../../formats/wire/message-bytes.ts'
import { type RingKey, ringKeyOf } from '../../model/ring-key.ts'
import { CallServices } from '../../platform/calls/call-services.ts'
import { Calls } from '../../platform/calls/calls.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { hrefOf, numberOfHref, sourceOf } from '../../rank/fixtures/joined-parts.ts'
import { rMat } from '../../rank/fixtures/r-mat.ts'
import { linkMatrix } from '../../rank/kernel/link-matrix.ts'
import { pageRank } from '../../rank/kernel/page-rank.ts'
import type { RankResult } from '../../rank/rank-run.ts'
import { NetworkRanks } from './network-ranks.ts'
import { coordinatorPlace, RankCoordinator } from './rank-coordinator.ts'
import { RankParticipant } from './rank-participant.ts'
import { type RankPiece, rankQuestion } from './rank-questions.ts'

const raw = rMat(256, 2_000, 9)
const links = [...new Set([...raw.from].map((from, link) => from * raw.pages + raw.to[link]!))]
  .filter((link) => Math.floor(link / raw.pages) !== link % raw.pages)
  .map((link) => [Math.floor(link / raw.pages), link % raw.pages] as const)
const graph = {
  pages: raw.pages,
  from: Uint32Array.from(links, ([from]) => from),
  to: Uint32Array.from(links, ([, to]) => to),
}
/** Pages that nothing links to and that have no links are not known to a graph of links. */
const known = new Set(links.flat())
const linking = new Set(links.map(([from]) => from))
const reference = referenceOf()
const maxAgeMs = 3_600_000

function referenceOf(): Map<number, number> {
  const pages = Array.from({ length: graph.pages }, (_, page) => page).filter((page) => known.has(page))
  const numbers = new Map(pages.map((page, number) => [page, number]))
  const from = graph.from.map((page) => numbers.get(page)!)
  const to = graph.to.map((page) => numbers.get(page)!)
  const { ranks } = pageRank(linkMatrix({ pages: pages.length }, from, to))
  return new Map(pages.map((page, number) => [page, ranks[number]!]))
}

class RankingPeers {
  readonly world = simulatedWorld({ seed: 'rank' })
  /** As the ring says, the same to everybody. */
  view: string[]
  readonly kept = new Map<string, { run: number; result: RankResult }>()
  /** What a peer does with a piece before it sends it; false: it does not send it. */
  onPiece: (from: string, piece: RankPiece) => boolean = () => true
  readonly participants = new Map<string, RankParticipant>()
  readonly #places = new Map<string, RingKey>()

  constructor(count: number) {
    this.view = Array.from({ length: count }, (_, at) => `peer-${at}`)
    for (const name of this.view) this.open(name)
  }

  get coordinator(): string {
    return this.#ownerOf(coordinatorPlace)
  }

  open(name: string): void {
    const { clock, random, network } = this.world.machine(name)
    for (const other of [...this.view, 'peer-new']) network.learn(other, [`/simulated/${other}`])
    this.#places.set(name, ringKeyOf(name))
    const service = new CallServices(new Calls({ network, clock, random })).service('rank')
    const calls: typeof service = {
      ...service,
      call: async (peer, bytes, options) => {
        const question = rankQuestion.decode(bytes as Uint8Array)
        if (question.kind === 'piece' && !this.onPiece(name, question)) return new Uint8Array()
        return service.call(peer, bytes, options)
      },
    }
    const needs = {
      self: name,
      calls,
      clock,
      places: { placeOf: ({ ringKey }: { ringKey: RingKey }) => ringKey, isWhole: () => true },
      // Whoever may have to compute a page has its links, as those who keep copies of it do.
      source: sourceOf(graph, (page) => linking.has(page)),
      isCoordinator: (peer: string) => peer === this.coordinator,
      isPlaceOf: (peer: string, place: RingKey) => ringKeyOf(peer) === place,
      positions: () => this.view.map((peer) => ({ peer, place: ringKeyOf(peer) })),
      peers: () => this.view.filter((peer) => peer !== name),
      rankOf: (href: string) => this.#rankOf(name, href),
      keep: async (result: RankResult, run: number) => void this.kept.set(name, { run, result }),
      copies: 3,
      computedMs: () => this.kept.get(name)?.run ?? 0,
      breathe: async () => {},
      isHidden: () => false,
    }
    const participant = new RankParticipant(needs)
    this.participants.set(name, participant)
    const own = { top: async () => assert.fail(), curve: async () => assert.fail() }
    new NetworkRanks({ ...needs, own, participant })
    new RankCoordinator({ ...needs, participant }, { damping: 0.85, seeds: [], tolerance: 1e-12, maxAgeMs })
  }

  /** Those that the last run gave, of all who had a part in it. */
  ranks(): Map<number, number> {
    const last = Math.max(...[...this.kept.values()].map(({ run }) => run))
    const ranks = new Map<number, number>()
    for (const { run, result } of this.kept.values()) {
      if (run !== last) continue
      for (const [page, rank] of result.ranks.entries()) {
        const number = numberOfHref(result.links.names.nameOf(page))
        assert(!ranks.has(number), `two have computed ${hrefOf(number)}`)
        ranks.set(number, rank)
      }
    }
    return ranks
  }

  async untilKeptBy(names: readonly string[]): Promise<void> {
    await this.world.until(`ranks at ${names}`, () => names.every((name) => this.kept.has(name)), {
      msMax: 2 * maxAgeMs,
    })
  }

  #ownerOf(key: RingKey): string {
    const sorted = this.view.toSorted((one, other) => (ringKeyOf(one) < ringKeyOf(other) ? -1 : 1))
    return sorted.find((peer) => ringKeyOf(peer) >= key) ?? sorted[0]!
  }

  #rankOf(name: string, href: string): number | undefined {
    const { links: part, ranks } = this.kept.get(name)?.result ?? {}
    const page = part?.names.numberOf(href)
    return page === undefined ? undefined : ranks![page]
  }
}

function checkRanks(ranks: ReadonlyMap<number, number>): void {
  assert.deepEqual([...ranks.keys()].sort(), [...reference.keys()].sort())
  let difference = 0
  for (const [page, rank] of reference) difference += Math.abs(rank - ranks.get(page)!)
  assert(difference < 1e-9, `ranks differ by ${difference}`)
}

test.each([1, 2, 4, 8])('%i peers compute the ranks of one', async (count) => {
  const peers = new RankingPeers(count)
  await peers.untilKeptBy(peers.view)
  checkRanks(peers.ranks())
})

test.each([
  ['while links are told', 0],
  ['before the first iteration', 1],
  ['at an iteration', 12],
])('two that are killed %s do not change the result', async (_, step) => {
  const peers = new RankingPeers(8)
  const victims = peers.view.filter((name) => name !== peers.coordinator).slice(0, 2)
  peers.onPiece = (from, piece) => {
    if (from !== victims[0] || piece.step < step) return true
    for (const name of victims) peers.world.machine(name).crash()
    return false
  }
  const left = peers.view.filter((name) => !victims.includes(name))
  await peers.untilKeptBy(left)
  checkRanks(peers.ranks())
})

test('when the one that began the run dies, its successor begins another, and one that comes meanwhile has a part in it', async () => {
  const peers = new RankingPeers(4)
  const first = peers.coordinator
  peers.onPiece = (from, piece) => {
    if (from !== first || piece.step < 5 || !peers.view.includes(first)) return true
    peers.world.machine(first).crash()
    peers.view = [...peers.view.filter((name) => name !== first), 'peer-new']
    peers.open('peer-new')
    return false
  }
  await peers.world.until('the kill', () => !peers.view.includes(first))
  await peers.untilKeptBy(peers.view)
  checkRanks(peers.ranks())
})

test('a run that begins in the far future is refused, and those of today go on', async () => {
  const peers = new RankingPeers(2)
  const [name] = peers.view.filter((each) => each !== peers.coordinator)
  const positions = peers.view
    .map((peer, participant) => ({ place: ringKeyOf(peer), participant }))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
  const plan = { round: 0, participants: peers.view, positions, damping: 0.85, tolerance: 1e-9, seeds: [] }
  const begin = () => peers.participants.get(name!)!.begin(peers.coordinator, { ...plan, run: counterMax })
  assert.throws(begin, { code: 'rank-malformed' })
  await peers.untilKeptBy(peers.view)
  checkRanks(peers.ranks())
})

test('one that keeps silent, or tells nonsense, is left out, and the others compute its pages', async () => {
  for (const step of [0, 1, 6]) {
    const peers = new RankingPeers(4)
    const liar = peers.view.find((name) => name !== peers.coordinator)!
    peers.onPiece = (from, piece) => {
      if (from !== liar || piece.step !== step) return true
      if (step === 6) return false
      piece.bytes.fill(0xff)
      return step !== 1
    }
    const left = peers.view.filter((name) => name !== liar)
    await peers.untilKeptBy(left)
    checkRanks(peers.ranks())
  }
})
