// Batch receiver: accepts batches of other peers: links of our sites go on to the frontier, the others are refused with their
// owners.
//
// Invariants: a link is acknowledged only when the link sink has it on disk. A batch that was accepted completely is recognised
// when it comes again; one that was partly refused is not, since by then that part may be ours, or its sites ready. At most
// `takingMax` batches are worked on at once.

import { unlessFails } from '../../errors.ts'
import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import type { RingKey } from '../../model/ring-key.ts'
import { tryParseLink } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { AcceptedBatches } from './accepted-batches.ts'
import { ExchangeError } from './exchange-error.ts'
import type { ForwardedLink, LinkText } from './forwarded-link.ts'
import { Histories } from './histories.ts'
import { allAccepted, type LinkSink } from './link-sink.ts'
import type { OwnArc, Owner, Owners } from './owners.ts'
import { type BatchAnswer, batchAnswer, placesOf, type Refusal } from './wire/answer-coding.ts'
import type { History } from './wire/history.ts'
import { decodeLinks } from './wire/link-coding.ts'
import { contentIdOf, type UnpackedBatch, unpackBatch } from './wire/packed-batch.ts'

const takingMax = 32
/** Of them, those of one sender. */
const takingOfOneMax = 16
/** Links that are parsed at once: some 20 ms. Usual batches have fewer. */
const linksAtOnce = 4_000
/** Of 72 kB, and four each at most. */
const historyPeersMax = 64

/** A batch of links that are all of others is nonsense: no need to answer it at length. */
const ownersNamedMax = 64

export class BatchReceiver {
  readonly #clock: Clock
  readonly #owners: Owners
  readonly #take: LinkSink
  readonly #taken: AcceptedBatches
  readonly #histories = new Histories(historyPeersMax)
  readonly #underWay = new Map<string, Promise<BatchAnswer>>()
  readonly counts = { batches: 0, knownBatches: 0, links: 0, refusedLinks: 0 }

  constructor(needs: { owners: Owners; take: LinkSink; taken: AcceptedBatches; clock: Clock }) {
    this.#clock = needs.clock
    this.#owners = needs.owners
    this.#take = needs.take
    this.#taken = needs.taken
  }

  /** Throws PolyhistorErrors for the sender. */
  async answer(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    const ofSender = this.#underWay.keys().filter((name) => name.startsWith(`${from} `))
    if (this.#underWay.size >= takingMax || [...ofSender].length >= takingOfOneMax)
      throw new ExchangeError('exchange-busy', 'This peer takes as many links as it can already')
    const batch = unpackBatch(bytes, (id) => this.#historyOf(from, id))
    const contentId = contentIdOf(batch.sections)
    this.counts.batches++
    if (this.#taken.has(from, contentId)) {
      this.counts.knownBatches++
      return batchAnswer.encode({ isKnown: true, refused: [] })
    }
    // The same batch may come again while it is being processed: both get the same answer.
    const name = `${from} ${contentId}`
    const taking = this.#underWay.get(name) ?? this.#takeBatch(from, batch, contentId)
    this.#underWay.set(name, taking)
    try {
      return batchAnswer.encode(await taking)
    } finally {
      if (this.#underWay.get(name) === taking) this.#underWay.delete(name)
    }
  }

  /** Resolves when nothing is being taken. */
  async waitUntilSettled(): Promise<void> {
    await Promise.allSettled(this.#underWay.values())
  }

  #historyOf(from: PeerId, id: string): History {
    const history = this.#histories.find(from, id)
    if (history !== undefined) return history
    throw new ExchangeError('exchange-history-unknown', 'This peer does not remember what it was told before')
  }

  async #takeBatch(from: PeerId, batch: UnpackedBatch, contentId: string): Promise<BatchAnswer> {
    const { sections, history, wantsArc } = batch
    const links = await this.#parsed(decodeLinks(sections))
    const foreign = this.#foreign(links)
    const isForeign = placesOf(foreign, links.length)
    const own = links.filter((_, index) => !isForeign.has(index))
    const { later } = own.length > 0 ? await this.#take(own, from) : allAccepted
    const refused = [...foreign, ...notNow(links, isForeign, later)]
    if (refused.length === 0) await this.#remember(from, contentId)
    this.#histories.add(from, history.after(sections, contentId))
    const taken = own.filter(({ url }) => !later.has(url.ringKey)).length
    this.counts.links += taken
    this.counts.refusedLinks += links.length - taken
    const arc = wantsArc ? this.#firstArcOf(own) : undefined
    return { isKnown: false, refused, ...(arc && { arc }) }
  }

  /** A batch may have 65,536 links: others have their turn meanwhile. */
  async #parsed(texts: readonly LinkText[]): Promise<ForwardedLink[]> {
    const links: ForwardedLink[] = []
    for (let start = 0; start < texts.length; start += linksAtOnce) {
      if (start > 0) await this.#clock.sleep(0)
      for (const text of texts.slice(start, start + linksAtOnce)) links.push(asForwarded(text))
    }
    return links
  }

  /** The one that the sender began with: it goes by the order of the ring. */
  #firstArcOf(own: readonly ForwardedLink[]): OwnArc | undefined {
    const [first] = own.map(({ url }) => url.ringKey).sort()
    return first === undefined ? undefined : this.#owners.arcOf(first)
  }

  async #remember(from: PeerId, contentId: string): Promise<void> {
    // The links are safe whether or not the batch is remembered, when there is no room for that, for instance.
    await unlessFails(this.#taken.remember(from, contentId))
  }

  /** Runs of links that are not ours. Links of a site mostly lie together. */
  #foreign(links: readonly ForwardedLink[]): Refusal[] {
    const refusals: { from: number; count: number; owner?: Owner }[] = []
    for (const [index, { url }] of links.entries()) {
      if (this.#owners.isOwner(url.ringKey)) continue
      const last = refusals.at(-1)
      if (last !== undefined && last.from + last.count === index && links[last.from]!.url.site === url.site) {
        last.count++
        continue
      }
      const owner = refusals.length < ownersNamedMax ? this.#owners.likelyOwnerOf(url.ringKey) : undefined
      refusals.push({ from: index, count: 1, ...(owner && owner.peer !== this.#owners.self && { owner }) })
    }
    return refusals
  }
}

/** Runs of links of ours that were not taken. */
function notNow(
  links: readonly ForwardedLink[],
  isForeign: ReadonlySet<number>,
  later: ReadonlySet<RingKey>,
): Refusal[] {
  if (later.size === 0) return []
  const refusals: { from: number; count: number; isForNow: true }[] = []
  for (const [index, { url }] of links.entries()) {
    if (isForeign.has(index) || !later.has(url.ringKey)) continue
    const last = refusals.at(-1)
    const isSameSite = last !== undefined && links[last.from]!.url.ringKey === url.ringKey
    if (isSameSite && last.from + last.count === index) last.count++
    else refusals.push({ from: index, count: 1, isForNow: true })
  }
  return refusals
}

/** A link in text that came from outside, or from our own disk. */
export function asForwarded({ href, ...rest }: LinkText): ForwardedLink {
  const url = tryParseLink(href)
  if (url === null || url.href !== href) throw new MessageMalformed('a href is not written as a URL is')
  return { ...rest, url }
}
