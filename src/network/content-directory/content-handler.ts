// Content handler: answers other peers' requests about contents: as owner of digests, as a replica of the owner's rows, and as a
// peer that keeps contents.
//
// Invariant: before `known` is answered, it is on disk that the asker's site needs the content. The asker checks whether the
// content is really kept: a directory may be wrong.

import { unlessFails } from '../../errors.ts'
import { flags } from '../../formats/wire/message-fields.ts'
import type { Digest } from '../../model/digest.ts'
import { parseUrl } from '../../model/url/url.ts'
import { type ContentPlace, type FirstCapture, type Need, placeOfDigest } from './content-row.ts'
import type { Directory } from './directory.ts'
import { fulfil, type Keepers } from './keepers.ts'
import type { ContentPlaces, OwnContents } from './needs.ts'
import type { OwnerQuestion } from './owners.ts'
import { type AskedContent, type ContentQuestion, type OwnerAnswer, ownerAnswers } from './questions.ts'
import type { RowCopies } from './row-copies.ts'

interface Needs {
  readonly places: ContentPlaces
  readonly directory: Directory
  readonly keepers: Keepers
  readonly copies: RowCopies
  readonly own: OwnContents
}

const nothing = new Uint8Array()

export class ContentHandler {
  readonly #needs: Needs
  #checking: Promise<void> | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async answer(question: Exclude<ContentQuestion, { kind: 'read' }>): Promise<Uint8Array> {
    const { directory, own } = this.#needs
    switch (question.kind) {
      case 'copy':
        await directory.merge(question.items)
        return nothing
      case 'have':
      case 'hold':
      case 'let-go':
        return flags.encode(await fulfil(own, question.kind, question.items))
      default:
        return ownerAnswers.encode(await this.answerOwner(question))
    }
  }

  /** What only the owner of the digests can tell; of others' it says that they are not its own. */
  answerOwner(question: OwnerQuestion): Promise<OwnerAnswer[]> {
    switch (question.kind) {
      case 'ask':
        return this.#ofOurs(question.items, (items) => this.#ask(items))
      case 'register':
        return this.#ofOurs(question.items, (items) => this.#register(items))
      case 'need':
        return this.#ofOurs(question.items, (items) => this.#need(items))
      case 'where':
        return this.#ofOurs(question.items, async (items) => items.map(({ digest }) => this.#where(digest)))
    }
  }

  async #ofOurs<Item extends { readonly digest: Digest }>(
    items: readonly Item[],
    answer: (ours: Item[]) => Promise<OwnerAnswer[]>,
  ): Promise<OwnerAnswer[]> {
    const isOurs = items.map(({ digest }) => this.#needs.places.isOwner(placeOfDigest(digest)))
    const answers = (await answer(items.filter((_, place) => isOurs[place]))).values()
    return isOurs.map((isOur) => (isOur ? answers.next().value! : { kind: 'foreign' }))
  }

  async #ask(items: readonly AskedContent[]): Promise<OwnerAnswer[]> {
    const { directory, copies } = this.#needs
    const captures = items.map((item) => this.#usable(item))
    const asked = items.filter((_, index) => captures[index] !== undefined)
    // On record before anybody relies on it: so nobody lets it go meanwhile.
    const needs = asked.map(({ digest, site }) => ({ digest, site, isNeeded: true }))
    if (needs.length > 0) copies.spread(await directory.put({ needs }))
    return captures.map((capture) => (capture ? { kind: 'known', capture } : { kind: 'unknown' }))
  }

  /** A capture of the asker's own site is no other copy: its peers are those that lack it. */
  #usable({ digest, sizeBytes, site }: AskedContent): FirstCapture | undefined {
    const place = this.#needs.directory.place(digest)
    if (place?.sizeBytes !== sizeBytes) return undefined
    return parseUrl(place.capture.url).ringKey === site ? undefined : place.capture
  }

  async #register(items: readonly ContentPlace[]): Promise<OwnerAnswer[]> {
    const { directory, copies } = this.#needs
    const places = items.filter(({ digest }) => directory.place(digest) === undefined)
    if (places.length > 0) copies.spread(await directory.put({ places }))
    // Who keeps it once more may have found that the others have it no more.
    const doubted = items.filter((item) => !places.includes(item))
    // Where that fails, the next who does gives another occasion.
    if (doubted.length > 0)
      this.#checking ??= unlessFails(this.#replaceUnsafe(doubted)).finally(() => {
        this.#checking = undefined
      })
    return items.map(() => ({ kind: 'taken' }))
  }

  /** Of contents whose place is known already: the new one counts where the old is lost, or less safe. */
  async #replaceUnsafe(places: readonly ContentPlace[]): Promise<void> {
    const { directory, keepers, copies } = this.#needs
    const known = places.map((place) => directory.place(place.digest) ?? place)
    const old = await keepers.check(known.map((place) => keepers.heldAt(place)))
    const now = await keepers.check(places.map((place) => keepers.heldAt(place)))
    const better = places.filter(
      (_, index) => old[index] === 'lost' || (old[index] === 'unsure' && now[index] === 'safe'),
    )
    if (better.length > 0) copies.spread(await directory.put({ places: better }))
  }

  async #need(needs: readonly Need[]): Promise<OwnerAnswer[]> {
    const { directory, copies } = this.#needs
    copies.spread(await directory.put({ needs }))
    return needs.map(() => ({ kind: 'taken' }))
  }

  #where(digest: Digest): OwnerAnswer {
    const place = this.#needs.directory.place(digest)
    return place === undefined ? { kind: 'unknown' } : { kind: 'known', capture: place.capture }
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    await this.#checking
  }
}
