// Those who should keep contents: asked whether they have them, told to hold them, and to let them go.
//
// A content came with a capture, and the peers that keep the captures of its site have it. It is safe when as many of them
// have it as a capture needs copies to count as kept.

import { PolyhistorError } from '../../errors.ts'
import { flags } from '../../formats/wire/message-fields.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network.ts'
import { acknowledgementsNeeded } from '../replication/copies/acknowledgement.ts'
import type { ContentPlace } from './content-row.ts'
import type { ContentCalls, ContentPlaces, OwnContents } from './needs.ts'
import { contentQuestion, type HeldAt, itemsMax } from './questions.ts'

/** `safe`: enough have it. `lost`: all who should have it say that they have not. `unsure`: neither. */
export type Safety = 'safe' | 'lost' | 'unsure'

interface Needs {
  readonly places: ContentPlaces
  readonly calls: ContentCalls
  readonly own: OwnContents
}

export interface KeepersOptions {
  readonly copiesMin: number
  readonly callMs: number
}

interface Tally {
  peers: number
  have: number
  haveNot: number
}

type Request = 'have' | 'hold' | 'let-go'

export class Keepers {
  readonly #needs: Needs
  readonly #options: KeepersOptions

  constructor(needs: Needs, options: KeepersOptions) {
    this.#needs = needs
    this.#options = options
  }

  /** Who keeps the capture that it came with has it. */
  heldAt({ digest, capture }: Pick<ContentPlace, 'digest' | 'capture'>): HeldAt {
    return { digest, place: this.#needs.places.placeOf(capture.url) }
  }

  /** For each of at most `itemsMax`. Who has it holds it from now on. */
  async hold(contents: readonly HeldAt[]): Promise<Safety[]> {
    return (await this.#ask('hold', contents)).map((tally) => this.#safetyOf(tally))
  }

  /** The same, and nothing is held. */
  async check(contents: readonly HeldAt[]): Promise<Safety[]> {
    return (await this.#ask('have', contents)).map((tally) => this.#safetyOf(tally))
  }

  async letGo(contents: readonly HeldAt[]): Promise<void> {
    await this.#ask('let-go', contents)
  }

  #safetyOf({ peers, have, haveNot }: Tally): Safety {
    if (have > 0 && have >= acknowledgementsNeeded(this.#options.copiesMin, peers)) return 'safe'
    return peers > 0 && haveNot === peers ? 'lost' : 'unsure'
  }

  async #ask(request: Request, contents: readonly HeldAt[]): Promise<Tally[]> {
    const tallies = contents.map(() => ({ peers: 0, have: 0, haveNot: 0 }))
    const keepers = await this.#keepersOf(contents)
    const wanted = new Map<PeerId, number[]>()
    for (const [index, { place }] of contents.entries()) {
      for (const peer of keepers.get(place) ?? []) {
        tallies[index]!.peers++
        const indexes = wanted.get(peer)
        if (indexes === undefined) wanted.set(peer, [index])
        else indexes.push(index)
      }
    }
    const asking = [...wanted].map(async ([peer, indexes]) => {
      const items = indexes.map((index) => contents[index]!)
      const flags = await this.#askPeer(peer, request, items)
      for (const [order, index] of indexes.entries()) {
        if (flags !== undefined) tallies[index]![flags[order] ? 'have' : 'haveNot']++
      }
    })
    await Promise.all(asking)
    return tallies
  }

  async #keepersOf(contents: readonly HeldAt[]): Promise<Map<RingKey, readonly PeerId[]>> {
    const places = [...new Set(contents.map(({ place }) => place))]
    const found = await Promise.all(places.map((place) => unlessUnknown(this.#needs.places.keepersOf(place))))
    return new Map(places.map((place, index) => [place, found[index] ?? []]))
  }

  /** undefined when it does not answer. */
  async #askPeer(peer: PeerId, request: Request, items: readonly HeldAt[]): Promise<boolean[] | undefined> {
    const { places, calls, own } = this.#needs
    if (peer === places.self) return fulfil(own, request, items)
    const answers: boolean[] = []
    for (let at = 0; at < items.length; at += itemsMax) {
      const some = items.slice(at, at + itemsMax)
      const bytes = contentQuestion.encode({ kind: request, items: some })
      const answer = await unlessUnknown(calls.call(peer, bytes, { deadlineMs: this.#options.callMs }))
      if (answer === undefined) return undefined
      answers.push(...flags.decode(answer, some.length))
    }
    return answers
  }
}

/** What another asks of our own store. */
export async function fulfil(
  own: OwnContents,
  request: Request,
  items: readonly HeldAt[],
): Promise<boolean[]> {
  if (request === 'hold') return own.hold(items)
  if (request === 'have') return items.map(({ digest }) => own.has(digest))
  await own.letGo(items.map(({ digest }) => digest))
  return items.map(() => true)
}

async function unlessUnknown<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    // Silence is an answer here: it makes nothing safe, and nothing lost.
    if (error instanceof PolyhistorError) return undefined
    throw error
  }
}
