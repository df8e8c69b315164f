// Search handler: answers what other peers ask of our index.
//
// Counted and found are pages of those parts of the ring only of which this peer has all captures, and has indexed them: of others it
// says so, and another peer is asked. What was taken down is not shown, whatever the index still has of it.
// Bounded: the questions that are answered at once, in all and for each peer; the time that one takes (search-engine.ts).

import { AnsweringTurns } from '../../platform/calls/answering-turns.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { printPlace } from '../../search/query/result-list.ts'
import type { SearchArc, Territory } from '../../search/query/territory.ts'
import type { SearchHit, SearchQuestion } from '../../search/search-answer.ts'
import type { SearchClient } from '../../search/search-client.ts'
import type { DocumentType } from '../../search/text/page-text.ts'
import type { SearchPlaces } from './search-places.ts'
import {
  countAnswer,
  findAnswer,
  type MessageOf,
  nearAnswer,
  type SearchMessage,
  type ShownHit,
  searchMessage,
  shortTitle,
  showAnswer,
} from './search-questions.ts'

interface Needs {
  readonly client: Pick<SearchClient, 'run'>
  readonly places: SearchPlaces
  /** It was taken down. */
  isHidden(href: string): boolean
  /** Captures are here that are not indexed yet. */
  isBehind(): boolean
}

const turnLimits = { ofAll: 64, ofEach: 16 }
/** The index is asked for one at least. */
const limitMin = 1

export class SearchHandler {
  readonly #needs: Needs
  readonly #turns = new AnsweringTurns(
    turnLimits,
    'search-busy',
    'This peer answers as many searches as it can: ask another',
  )

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async answer(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    const message = searchMessage.decode(bytes)
    return this.#turns.run(from, () => this.#answer(message))
  }

  #answer(message: SearchMessage): Promise<Uint8Array> {
    switch (message.kind) {
      case 'count':
        return this.#count(message)
      case 'find':
        return this.#find(message)
      case 'show':
        return this.#show(message)
      case 'near':
        return this.#near(message)
    }
  }

  async #count(message: MessageOf<'count'>): Promise<Uint8Array> {
    const { complete, territory } = this.#territory(message)
    const question = questionOf(message, limitMin)
    const statistics = await this.#needs.client.run({ kind: 'count', question, territory })
    return countAnswer.encode({ ...statistics, complete })
  }

  async #find(message: MessageOf<'find'>): Promise<Uint8Array> {
    const { complete, territory } = this.#territory(message)
    const { documents, words, counts, after, hasFacets } = message
    const question = {
      ...questionOf(message, Math.max(limitMin, message.limit)),
      cursor: after && printPlace(after),
      hasFacets,
    }
    const statistics = { documents, words, counts }
    const found = await this.#needs.client.run({ kind: 'find', question, statistics, territory })
    return findAnswer.encode({ ...found, complete })
  }

  async #show(message: MessageOf<'show'>): Promise<Uint8Array> {
    const question = questionOf(message, limitMin)
    const hits = await this.#needs.client.run({ kind: 'show', question, found: message.found })
    return showAnswer.encode(
      hits.map((hit) => (hit === undefined || this.#needs.isHidden(hit.href) ? undefined : shownHit(hit))),
    )
  }

  async #near({ words }: MessageOf<'near'>): Promise<Uint8Array> {
    return nearAnswer.encode(await this.#needs.client.run({ kind: 'near', words }))
  }

  #territory({ arcs, splitsId, isAnyway }: MessageOf<'count' | 'find'>): {
    complete: boolean[]
    territory: Territory
  } {
    const { places, isBehind } = this.#needs
    const isOfOneMind = splitsId === places.splitsId()
    const isReady = isAnyway || (isOfOneMind && !isBehind())
    const complete = arcs.map((arc) => isReady && (isAnyway || places.covers(arc)))
    const answered = arcs.filter((_, index) => complete[index])
    return { complete, territory: { arcs: joinedArcs(answered), divided: places.divided() } }
  }
}

/** Neighbours become one, so that little is asked of each document. They need not be in order. */
export function joinedArcs(arcs: readonly SearchArc[]): SearchArc[] {
  const joined: SearchArc[] = []
  for (const arc of arcs.toSorted((one, other) => (one.upTo < other.upTo ? -1 : 1))) {
    const last = joined.at(-1)
    if (last !== undefined && last.upTo === arc.after && last.after !== last.upTo)
      joined[joined.length - 1] = { after: last.after, upTo: arc.upTo }
    else joined.push(arc)
  }
  const [first, last] = [joined[0], joined.at(-1)]
  if (first !== undefined && last !== undefined && joined.length > 1 && first.after === last.upTo)
    return [{ after: last.after, upTo: first.upTo }, ...joined.slice(1, -1)]
  return joined
}

function questionOf({ text, site, at }: MessageOf<'count' | 'find' | 'show'>, limit: number): SearchQuestion {
  return { text, site, at, limit }
}

function shownHit({ title, version, type, language, ...hit }: SearchHit): ShownHit {
  return {
    ...hit,
    title: shortTitle(title),
    language: language.slice(0, 8),
    type: type as DocumentType,
    firstMs: version.firstMs,
    lastMs: version.lastMs,
    endMs: version.endMs ?? undefined,
  }
}
