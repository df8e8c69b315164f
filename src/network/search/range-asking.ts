// Range asking: a question about parts of the ring, put to as few peers as can answer for all of them, each part to one that has
// everything of it.
//
// A peer that is slow, fails, or lacks something is replaced by another that keeps the same; of a slow one the answer still counts if
// it comes first. Parts for which nobody has everything are asked for once more, of somebody who has some of it: then the
// answer is partial. Each part is answered by one peer, so that nothing is counted twice.
// Bounded: so many peers for each part, and the time for all together.

import { PolyhistorError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { PeerSpeeds } from '../remote-reads/peer-speeds.ts'
import type { SearchRange } from './search-places.ts'

export interface RangeAnswer {
  /** For each part that was asked for, whether it is in the answer. */
  readonly complete: readonly boolean[]
}

export interface AnsweredPart<Answer> {
  readonly peer: PeerId
  readonly ranges: readonly SearchRange[]
  readonly answer: Answer
  /** It may lack something. */
  readonly isAnyway: boolean
}

export interface AnsweredRanges<Answer> {
  readonly parts: readonly AnsweredPart<Answer>[]
  /** Nobody has answered for these. */
  readonly missing: readonly SearchRange[]
}

export interface RangeGroup {
  readonly peer: PeerId
  readonly ranges: readonly SearchRange[]
  readonly isAnyway?: boolean
}

type Ask<Answer> = (group: RangeGroup) => Promise<Answer>

interface Needs {
  readonly clock: Clock
  readonly self: PeerId
  readonly speeds: Pick<PeerSpeeds, 'noteAnswer' | 'noteFailure' | 'hasFailed' | 'inOrder'>
  /** It came to the network only lately: others are asked before it. */
  isNewcomer(peer: PeerId): boolean
}

export interface RangeAskingOptions {
  /** After so long another peer is asked, too. */
  readonly patienceMs: number
}

const peersPerRangeMax = 6

export class RangeAsking {
  readonly #needs: Needs
  readonly #options: RangeAskingOptions

  constructor(needs: Needs, options: RangeAskingOptions) {
    this.#needs = needs
    this.#options = options
  }

  /** `groups`: who is asked first; as it seems best unless told. */
  async ask<Answer extends RangeAnswer>(
    ranges: readonly SearchRange[],
    ask: Ask<Answer>,
    { without = new Set(), groups }: { without?: ReadonlySet<PeerId>; groups?: readonly RangeGroup[] } = {},
  ): Promise<AnsweredRanges<Answer>> {
    const incomplete = new Map<SearchRange, Set<PeerId>>()
    const run = new Run(this.#needs, this.#options, ask, incomplete)
    const given = new Set(groups?.flatMap((group) => group.ranges))
    const asked = await Promise.all([
      run.groups(groups ?? [], without),
      run.answers(
        ranges.filter((range) => !given.has(range)),
        without,
      ),
    ])
    const { parts, missing } = joined(asked)
    if (missing.length === 0) return { parts, missing }
    // The one that most likely has the most: those who are to keep it come first.
    const anyway = Map.groupBy(missing, (range) =>
      range.candidates.find((peer) => incomplete.get(range)?.has(peer)),
    )
    const more = await Promise.all(
      [...anyway].map(async ([peer, some]) => {
        if (peer === undefined) return undefined
        const group = { peer, ranges: some, isAnyway: true }
        const answer = await run.tryAsking(group)
        return answer && { ...group, answer }
      }),
    )
    const found = more.filter((part) => part !== undefined)
    const answered = new Set(found.flatMap((part) => part.ranges))
    return { parts: [...parts, ...found], missing: missing.filter((range) => !answered.has(range)) }
  }
}

/** One question. */
class Run<Answer extends RangeAnswer> {
  readonly #needs: Needs
  readonly #options: RangeAskingOptions
  readonly #ask: Ask<Answer>
  readonly #incomplete: Map<SearchRange, Set<PeerId>>

  constructor(
    needs: Needs,
    options: RangeAskingOptions,
    ask: Ask<Answer>,
    incomplete: Map<SearchRange, Set<PeerId>>,
  ) {
    this.#needs = needs
    this.#options = options
    this.#ask = ask
    this.#incomplete = incomplete
  }

  async answers(ranges: readonly SearchRange[], tried: ReadonlySet<PeerId>): Promise<AnsweredRanges<Answer>> {
    if (ranges.length === 0) return { parts: [], missing: [] }
    const { groups, missing } = groupsOf(this.#needs, ranges, tried)
    const answered = await this.groups(groups, tried)
    return { parts: answered.parts, missing: [...missing, ...answered.missing] }
  }

  async groups(groups: readonly RangeGroup[], tried: ReadonlySet<PeerId>): Promise<AnsweredRanges<Answer>> {
    return joined(await Promise.all(groups.map((group) => this.#group(group, tried))))
  }

  /** undefined where there is no answer, or one that is none. */
  async tryAsking(group: RangeGroup): Promise<Answer | undefined> {
    const { clock, speeds, self } = this.#needs
    const startMs = clock.monotonicMs()
    try {
      const answer = await this.#ask(group)
      if (group.peer !== self) speeds.noteAnswer(group.peer, clock.monotonicMs() - startMs)
      return answer.complete.length === group.ranges.length ? answer : undefined
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      if (group.peer !== self) speeds.noteFailure(group.peer)
      return undefined
    }
  }

  /** The first that is whole: of the one who was asked, or of others that were asked because it is slow. */
  #group(group: RangeGroup, tried: ReadonlySet<PeerId>): Promise<AnsweredRanges<Answer>> {
    const without = new Set([...tried, group.peer])
    const { promise, resolve, reject } = Promise.withResolvers<AnsweredRanges<Answer>>()
    let hedge: Promise<AnsweredRanges<Answer>> | undefined
    const elsewhere = (): Promise<AnsweredRanges<Answer>> => {
      hedge ??= this.answers(group.ranges, without)
      return hedge
    }
    const isHedged = group.peer !== this.#needs.self && tried.size + 1 < peersPerRangeMax
    const timer = this.#needs.clock.after(isHedged ? this.#options.patienceMs : hedgeNever, () => {
      if (isHedged) elsewhere().then((answered) => answered.missing.length === 0 && resolve(answered), reject)
    })
    this.#asked(group, without, elsewhere).then(resolve, reject)
    return promise.finally(() => timer.cancel())
  }

  async #asked(
    group: RangeGroup,
    without: ReadonlySet<PeerId>,
    elsewhere: () => Promise<AnsweredRanges<Answer>>,
  ): Promise<AnsweredRanges<Answer>> {
    const answer = await this.tryAsking(group)
    if (answer === undefined) return elsewhere()
    const isAnyway = group.isAnyway ?? false
    const ranges = group.ranges.filter((_, index) => answer.complete[index])
    const lacking = group.ranges.filter((_, index) => !answer.complete[index])
    for (const range of lacking)
      this.#incomplete.set(range, (this.#incomplete.get(range) ?? new Set()).add(group.peer))
    const part = { peer: group.peer, ranges, answer, isAnyway }
    const rest = await this.answers(lacking, without)
    return { parts: ranges.length === 0 ? rest.parts : [part, ...rest.parts], missing: rest.missing }
  }
}

function joined<Answer>(all: readonly AnsweredRanges<Answer>[]): AnsweredRanges<Answer> {
  return { parts: all.flatMap(({ parts }) => parts), missing: all.flatMap(({ missing }) => missing) }
}

/** Longer than anything takes. */
const hedgeNever = 3_600_000

/** As few peers as can answer for all: the one that can answer for the most first, of equals the quickest. What is here is asked here. */
export function groupsOf(
  { speeds, self, isNewcomer }: Omit<Needs, 'clock'>,
  ranges: readonly SearchRange[],
  tried: ReadonlySet<PeerId>,
): { groups: RangeGroup[]; missing: SearchRange[] } {
  const left = new Set(ranges)
  const groups: RangeGroup[] = []
  const give = (peer: PeerId, some: readonly SearchRange[]): void => {
    if (some.length === 0) return
    groups.push({ peer, ranges: some })
    for (const range of some) left.delete(range)
  }
  if (!tried.has(self))
    give(
      self,
      [...left].filter(({ candidates }) => candidates[0] === self),
    )
  const byPeer = new Map<PeerId, SearchRange[]>()
  for (const range of tried.size < peersPerRangeMax ? left : [])
    for (const peer of range.candidates) {
      if (tried.has(peer)) continue
      const known = byPeer.get(peer)
      if (known === undefined) byPeer.set(peer, [range])
      else known.push(range)
    }
  const peers = speeds.inOrder([...byPeer.keys()])
  const sound = peers.filter((peer) => !speeds.hasFailed(peer) && peer !== self)
  for (const some of [sound.filter((peer) => !isNewcomer(peer)), sound, peers]) {
    for (;;) {
      let best: { peer: PeerId; ranges: SearchRange[] } | undefined
      for (const peer of some) {
        const own = byPeer.get(peer)!.filter((range) => left.has(range))
        if (own.length > (best?.ranges.length ?? 0)) best = { peer, ranges: own }
      }
      if (best === undefined) break
      give(best.peer, best.ranges)
    }
  }
  return { groups, missing: [...left] }
}
