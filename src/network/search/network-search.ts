// Network search: one question to the indexes of all peers, answered as one index of everything would answer it.
//
// First the peers tell how common its words are on their parts of the ring; with the sums of that each part's best are found, so that
// scores can be compared, and the best of all are shown by those who have them. Every part is answered by one peer that has everything of
// it (range-asking.ts). A question about one site goes to the peers of that site only, and takes that site's word statistics.
// What is all here is answered here.
//
// What another peer tells is a claim: a page counts only if it lies on the part that the peer was asked for, and has the place in
// the list that was told; whoever tells otherwise is not asked again for this question. What was taken down is left out.
// Bounded: what is asked at once, the time for it, and what is remembered of word statistics, for a few seconds.

import { PolyhistorError, unlessFails } from '../../errors.ts'
import type { Decoder } from '../../formats/wire/message-schema.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { pageNumber } from '../../search/index/index-keys.ts'
import { rankFactorMax } from '../../search/query/page-ranks.ts'
import { type Found, isBetter, parsePlace, printPlace } from '../../search/query/result-list.ts'
import { scoreMax, type WordStatistics } from '../../search/query/scoring.ts'
import { correctedText, prepare, wordsToCorrect } from '../../search/query/searching.ts'
import type { NearWord } from '../../search/query/suggestion.ts'
import { isInTerritory } from '../../search/query/territory.ts'
import { nameOfGroup, siteOfQuery } from '../../search/query/unit-terms.ts'
import type { SearchAnswer, SearchHit, SearchQuestion, SearchService } from '../../search/search-answer.ts'
import { PeerSpeeds } from '../remote-reads/peer-speeds.ts'
import { mergedFacets } from './merged-facets.ts'
import { type AnsweredPart, type AnsweredRanges, RangeAsking, type RangeGroup } from './range-asking.ts'
import { rangesOfRing, rangesOfSite, type SearchPlaces, type SearchRange, shareOf } from './search-places.ts'
import {
  type CountAnswer,
  countAnswer,
  type FindAnswer,
  findAnswer,
  nearAnswer,
  type ShownHit,
  searchMessage,
  showAnswer,
} from './search-questions.ts'

interface Needs {
  readonly clock: Clock
  /** Ourselves, too: our index is asked like the others'. */
  readonly calls: Pick<CallService, 'call'>
  readonly places: SearchPlaces
  /** What our index alone answers. */
  readonly own: SearchService
  isHidden(href: string): boolean
}

/** For each question to a peer. */
const answerMs = 4_000
const patienceMs = 400
/** Word statistics are used again for so long. */
const statisticsMs = 5_000

interface Known<T> {
  readonly value: T
  readonly untilMs: number
}

interface Scope {
  /** '' for the whole ring. */
  readonly site: string
  readonly ranges: readonly SearchRange[]
}

/** A place in the list of all, and whose it is. */
interface Merged extends Found {
  readonly part: AnsweredPart<FindAnswer>
}

interface FoundByAll {
  readonly answered: AnsweredRanges<FindAnswer>
  readonly best: readonly Merged[]
}

const rangesMs = 1_000
const countsKept = 20_000
/** Lists that are asked for to fill one, where much of them is hidden or cannot be shown. */
const listsMax = 20
/** Peers that turn out not to tell the truth, or go, while one question is answered. */
const distrustedMax = 4

export class NetworkSearch implements SearchService {
  readonly #needs: Needs
  readonly #asking: RangeAsking
  readonly #speeds: PeerSpeeds
  /** By site and term; of the whole ring where the site is ''. */
  readonly #counts = new LruCache<string, Known<number>>({ max: countsKept })
  readonly #sizes = new LruCache<string, Known<{ documents: number; words: number }>>({ max: countsKept })
  #ranges: Known<readonly SearchRange[]> | undefined

  constructor(needs: Needs) {
    this.#needs = needs
    const { clock, places } = needs
    this.#speeds = new PeerSpeeds({ clock })
    this.#asking = new RangeAsking(
      { clock, self: places.self, speeds: this.#speeds, isNewcomer: (peer) => places.isNewcomer(peer) },
      { patienceMs },
    )
  }

  async search(question: SearchQuestion): Promise<SearchAnswer> {
    const { query } = prepare(question)
    if (question.cursor !== undefined) parsePlace(question.cursor)
    const scope = this.#scopeOf(siteOfQuery(query))
    const { own, places } = this.#needs
    if (scope.ranges.every(({ candidates }) => candidates[0] === places.self)) return own.search(question)
    const { statistics, answered } = await this.#statistics(question, scope)
    return new OneSearch(this, question, scope, statistics).run(answered)
  }

  #scopeOf(site: string | undefined): Scope {
    const { places, clock } = this.#needs
    const ranges = site === undefined ? undefined : rangesOfSite(places, site)
    if (ranges !== undefined) return { site: site!, ranges }
    const nowMs = clock.monotonicMs()
    if (this.#ranges === undefined || this.#ranges.untilMs <= nowMs)
      this.#ranges = { value: rangesOfRing(places), untilMs: nowMs + rangesMs }
    return { site: site ?? '', ranges: this.#ranges.value }
  }

  /** With who answered for which part, where they were asked. */
  async #statistics(
    question: SearchQuestion,
    scope: Scope,
  ): Promise<{ statistics: WordStatistics; answered: AnsweredRanges<CountAnswer> | undefined }> {
    const names = prepare(question).scored.map((group) => `${scope.site}\n${nameOfGroup(group)}`)
    const nowMs = this.#needs.clock.monotonicMs()
    const size = fresh(this.#sizes.get(scope.site), nowMs)
    const counts = names.map((name) => fresh(this.#counts.get(name), nowMs))
    if (size !== undefined && counts.every((count) => count !== undefined))
      return { statistics: { ...size, counts }, answered: undefined }
    const answered = await this.#asking.ask(scope.ranges, async (group) => {
      const answer = await this.#call(group, { kind: 'count', ...asked(question) }, countAnswer)
      if (!isPlausible(answer, names.length)) throw implausible()
      return answer
    })
    const statistics = summed(
      answered.parts.map(({ answer }) => answer),
      names.length,
    )
    const isWhole = answered.missing.length === 0 && answered.parts.every(({ isAnyway }) => !isAnyway)
    const untilMs = nowMs + statisticsMs
    const { documents, words } = statistics
    if (isWhole) this.#sizes.set(scope.site, { value: { documents, words }, untilMs })
    for (const [index, name] of isWhole ? names.entries() : [])
      this.#counts.set(name, { value: statistics.counts[index]!, untilMs })
    return { statistics, answered }
  }

  find(
    question: SearchQuestion,
    statistics: WordStatistics,
    ranges: readonly SearchRange[],
    how: { without?: ReadonlySet<PeerId>; groups?: readonly RangeGroup[] },
  ): Promise<AnsweredRanges<FindAnswer>> {
    const { limit, cursor, hasFacets = false } = question
    const after = cursor === undefined ? undefined : parsePlace(cursor)
    // Rounding aside.
    const highest = 1.000001 * rankFactorMax * scoreMax(statistics)
    return this.#asking.ask(
      ranges,
      async (group) => {
        const message = { kind: 'find', ...asked(question), ...statistics, limit, after, hasFacets } as const
        const answer = await this.#call(group, message, findAnswer)
        if (!isList(answer, limit, after, highest)) throw implausible()
        return answer
      },
      how,
    )
  }

  /** undefined where the peer does not answer, or tells what cannot be. */
  async show(
    question: SearchQuestion,
    { peer, ranges }: AnsweredPart<FindAnswer>,
    found: readonly Found[],
  ): Promise<(SearchHit | undefined)[] | undefined> {
    const { places, isHidden } = this.#needs
    const territory = { arcs: ranges, divided: places.divided() }
    try {
      const bytes = searchMessage.encode({ kind: 'show', ...asked(question), found })
      const shown = showAnswer.decode(await this.#send(peer, bytes))
      if (shown.length !== found.length) return undefined
      const isSound = shown.every(
        (hit, index) =>
          hit === undefined ||
          (pageNumber(hit.href) === found[index]!.page && isInTerritory(territory, hit.href)),
      )
      if (!isSound) return undefined
      return shown.map((hit, index) =>
        hit === undefined || isHidden(hit.href)
          ? undefined
          : hitOf(hit, found[index]!.score, peer !== places.self),
      )
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      return undefined
    }
  }

  /** Of these peers, for each word the nearest that one of them has. */
  async near(peers: readonly PeerId[], words: readonly string[]): Promise<(NearWord | undefined)[]> {
    const bytes = searchMessage.encode({ kind: 'near', words })
    const answers = await Promise.all(
      peers.map((peer) => unlessFails(this.#send(peer, bytes).then((answer) => nearAnswer.decode(answer)))),
    )
    return words.map((_, index) => nearestOf(answers.map((answer) => answer?.[index])))
  }

  distrust(peer: PeerId): void {
    if (peer !== this.#needs.places.self) this.#speeds.noteFailure(peer)
  }

  async #call<Answer>(
    { peer, ranges, isAnyway = false }: RangeGroup,
    message: Parameters<typeof searchMessage.encode>[0],
    decoder: Decoder<Answer>,
  ): Promise<Answer> {
    const arcs = ranges.map(({ after, upTo }) => ({ after, upTo }))
    const splitsId = this.#needs.places.splitsId()
    const whole = { ...message, arcs, splitsId, isAnyway } as typeof message
    return decoder.decode(await this.#send(peer, searchMessage.encode(whole)))
  }

  #send(peer: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    return this.#needs.calls.call(peer, bytes, { deadlineMs: answerMs, channel: 'bulk' })
  }
}

/** One question on its way. */
class OneSearch {
  readonly #network: NetworkSearch
  readonly #question: SearchQuestion
  readonly #scope: Scope
  readonly #statistics: WordStatistics
  readonly #distrusted = new Set<PeerId>()

  constructor(network: NetworkSearch, question: SearchQuestion, scope: Scope, statistics: WordStatistics) {
    this.#network = network
    this.#question = question
    this.#scope = scope
    this.#statistics = statistics
  }

  async run(counted: AnsweredRanges<CountAnswer> | undefined): Promise<SearchAnswer> {
    const { limit } = this.#question
    let groups: readonly RangeGroup[] | undefined = counted?.parts
    let first: FoundByAll | undefined
    let { cursor } = this.#question
    let hidden = 0
    const hits: SearchHit[] = []
    for (let lists = 1; ; lists++) {
      const wanted = { ...this.#question, cursor, limit: limit - hits.length }
      const { found, shown, taken } = await this.#list(wanted, groups)
      // Those who were asked once are asked again: nobody is found anew for each list.
      groups = found.answered.parts.map(({ peer, ranges, isAnyway }) => ({ peer, ranges, isAnyway }))
      first ??= found
      hits.push(...shown)
      hidden += taken.length - shown.length
      const last = taken.at(-1)
      const isMore = found.best.length > taken.length && last !== undefined
      cursor = isMore ? printPlace(last) : undefined
      if (hits.length < limit && isMore && lists < listsMax) continue
      return this.#answer(first, hits, cursor, hidden)
    }
  }

  /** A list, and what of it can be shown. Whoever cannot show what it found is replaced. */
  async #list(
    question: SearchQuestion,
    first: readonly RangeGroup[] | undefined,
  ): Promise<{ found: FoundByAll; shown: SearchHit[]; taken: readonly Merged[] }> {
    let groups = first
    for (;;) {
      const found = await this.#find(question, groups)
      const taken = found.best.slice(0, question.limit)
      const byPart = [...Map.groupBy(taken, ({ part }) => part)]
      const shownBy = await Promise.all(
        byPart.map(
          async ([part, some]) => [part, some, await this.#network.show(question, part, some)] as const,
        ),
      )
      const bad = shownBy.filter(([, , hits]) => hits === undefined).map(([part]) => part.peer)
      if (bad.length === 0 || this.#distrusted.size >= distrustedMax) {
        const hits = new Map(
          shownBy.flatMap(([, some, shown]) => some.map((place, index) => [place, shown?.[index]] as const)),
        )
        return { found, taken, shown: taken.flatMap((place) => hits.get(place) ?? []) }
      }
      for (const peer of bad) {
        this.#distrusted.add(peer)
        this.#network.distrust(peer)
      }
      groups = undefined
    }
  }

  async #find(question: SearchQuestion, groups: readonly RangeGroup[] | undefined): Promise<FoundByAll> {
    const without = this.#distrusted
    const { ranges } = this.#scope
    const answered = await this.#network.find(question, this.#statistics, ranges, {
      without,
      ...(groups !== undefined && { groups }),
    })
    const best = answered.parts
      .flatMap((part) => part.answer.best.map((found) => ({ ...found, part })))
      .sort((one, other) => (isBetter(one, other) ? -1 : 1))
      .slice(0, question.limit + 1)
    return { answered, best }
  }

  async #answer(
    { answered: { parts, missing } }: FoundByAll,
    hits: readonly SearchHit[],
    cursor: string | undefined,
    hidden: number,
  ): Promise<SearchAnswer> {
    const answers = parts.map(({ answer }) => answer)
    const total = answers.reduce((sum, answer) => sum + answer.total, 0)
    const lacks = lacksOf(parts, missing)
    return {
      total: Math.max(hits.length, total - hidden),
      isPartial: lacks.length > 0,
      missing: lacks,
      hits,
      cursor,
      facets: this.#question.hasFacets ? mergedFacets(answers.map(({ facets }) => facets)) : undefined,
      suggestion: total === 0 ? await this.#suggestion(parts.map(({ peer }) => peer)) : undefined,
      pages: this.#statistics.documents,
    }
  }

  async #suggestion(peers: readonly PeerId[]): Promise<string | undefined> {
    const words = wordsToCorrect(this.#question)
    const nearest = await this.#network.near([...new Set(peers)], words)
    return correctedText(this.#question.text, words, nearest)
  }
}

function lacksOf(parts: readonly AnsweredPart<FindAnswer>[], missing: readonly SearchRange[]): string[] {
  const unsure = parts.filter(({ isAnyway }) => isAnyway).flatMap(({ ranges }) => ranges)
  return [
    ...(missing.length > 0
      ? [`${percent(missing)} of the archive: the peers that keep it did not answer.`]
      : []),
    ...(unsure.length > 0
      ? [
          `Some of ${percent(unsure)} of the archive: the peers that keep it are still copying or indexing it.`,
        ]
      : []),
    ...(parts.some(({ answer }) => answer.isPartial) ? ['What a peer did not come to in time.'] : []),
  ]
}

function percent(ranges: readonly SearchRange[]): string {
  return `${Math.max(1, Math.round(100 * shareOf(ranges)))} %`
}

function asked({ text, site, at }: SearchQuestion) {
  // The rest is filled in for each peer.
  return { text, site, at, arcs: [], splitsId: '', isAnyway: false }
}

function fresh<T>(known: Known<T> | undefined, nowMs: number): T | undefined {
  return known !== undefined && known.untilMs > nowMs ? known.value : undefined
}

const wordsPerDocumentMax = 65_535

function isPlausible({ documents, words, counts }: CountAnswer, length: number): boolean {
  return (
    counts.length === length &&
    counts.every((count) => count <= documents) &&
    words <= wordsPerDocumentMax * documents
  )
}

function summed(answers: readonly CountAnswer[], length: number): WordStatistics {
  const counts = Array.from({ length }, (_, index) =>
    answers.reduce((sum, answer) => sum + answer.counts[index]!, 0),
  )
  const documents = answers.reduce((sum, answer) => sum + answer.documents, 0)
  return { documents, words: answers.reduce((sum, answer) => sum + answer.words, 0), counts }
}

/** In order, behind where it is to begin, and not better than any page can be. */
function isList(
  { best, total }: FindAnswer,
  limit: number,
  after: { score: number; page: number } | undefined,
  highest: number,
): boolean {
  if (best.length > limit + 1 || (after === undefined && best.length > total)) return false
  return best.every((found, index) => {
    const before = index === 0 ? after : best[index - 1]
    return found.score <= highest && (before === undefined || isBetter(before, found))
  })
}

function nearestOf(answers: readonly (NearWord | undefined)[]): NearWord | undefined {
  const counts = new Map<string, NearWord>()
  for (const near of answers) {
    if (near === undefined) continue
    if (near.far === 0) return near
    const known = counts.get(near.word)
    counts.set(near.word, { ...near, count: near.count + (known?.count ?? 0) })
  }
  return [...counts.values()].sort(
    (one, other) => one.far - other.far || other.count - one.count || (one.word < other.word ? -1 : 1),
  )[0]
}

function hitOf(shown: ShownHit, score: number, isTold: boolean): SearchHit {
  const { firstMs, lastMs, endMs, ...hit } = shown
  return { ...hit, score, version: { firstMs, lastMs, endMs: endMs ?? null }, isTold }
}

function implausible(): PolyhistorError {
  return new PolyhistorError('search-malformed', 'A peer told of a search what cannot be')
}
