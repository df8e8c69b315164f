// Planned parts: which participant of a run computes which page, by the plan that all of them were told.
//
// By the plan alone, not by what each sees of the ring at the moment: so no page is computed twice or by nobody.

import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { RingKey } from '../../model/ring-key.ts'
import { tryParseUrl, type Url } from '../../model/url/url.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { RankParts } from '../../rank/rank-parts.ts'
import type { RankPlan } from './rank-questions.ts'

export interface PagePlaces {
  /** Where captures of the URL lie. */
  placeOf(url: Url): RingKey
  /** Whether all its pages lie at one place. */
  isWhole(site: RingKey): boolean
}

const originsKept = 50_000

export class PlannedParts implements RankParts {
  readonly self: number
  readonly count: number
  readonly #plan: RankPlan
  readonly #places: PagePlaces
  /** By origin; undefined where its pages lie at several places. */
  readonly #origins = new LruCache<string, { readonly part: number | undefined }>({ max: originsKept })

  constructor(plan: RankPlan, self: PeerId, places: PagePlaces) {
    this.#plan = plan
    this.#places = places
    this.self = plan.participants.indexOf(self)
    this.count = plan.participants.length
  }

  partOf(href: string): number | undefined {
    const slash = href.indexOf('/', 8)
    const origin = slash === -1 ? href : href.slice(0, slash)
    const known = this.#origins.get(origin)
    if (known?.part !== undefined) return known.part
    const url = tryParseUrl(href)
    if (url === null) return undefined
    const part = this.#partAt(this.#places.placeOf(url))
    if (known === undefined)
      this.#origins.set(origin, { part: this.#places.isWhole(url.ringKey) ? part : undefined })
    return part
  }

  #partAt(place: RingKey): number {
    const { positions } = this.#plan
    let [low, high] = [0, positions.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (positions[middle]!.place < place) low = middle + 1
      else high = middle
    }
    return positions[low === positions.length ? 0 : low]!.participant
  }
}

/** Refuses a plan that cannot be followed, or that gives a peer positions that are not its own. */
export function checkPlan(plan: RankPlan, isPlaceOf: (peer: PeerId, place: RingKey) => boolean): void {
  const { participants, positions } = plan
  if (new Set(participants).size !== participants.length)
    throw new MessageMalformed('a peer takes part twice')
  const placed = new Set<number>()
  for (const [at, { place, participant }] of positions.entries()) {
    const peer = participants[participant]
    if (peer === undefined) throw new MessageMalformed('a position of nobody')
    if (at > 0 && positions[at - 1]!.place >= place) throw new MessageMalformed('positions are not in order')
    if (!isPlaceOf(peer, place)) throw new MessageMalformed('a position that is another peer’s')
    placed.add(participant)
  }
  if (placed.size !== participants.length) throw new MessageMalformed('a peer takes part without a position')
}
