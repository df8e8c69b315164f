// Batch sender: sends a batch of links to the peer that should own them, and gives the outcome of each.
//
// Compressed against earlier batches to that peer; when it has forgotten those, compressed once more without. Links of our own
// sites take the same path, without the network.

import { PolyhistorError } from '../../errors.ts'
import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { CallOptions } from '../../platform/calls/calls.ts'
import type { Compressor } from '../../platform/compressor.ts'
import type { PeerId, Pieces } from '../../platform/network/network.ts'
import { asForwarded } from './batch-receiver.ts'
import { ExchangeError } from './exchange-error.ts'
import type { ForwardedLink, LinkText } from './forwarded-link.ts'
import { Histories } from './histories.ts'
import { allAccepted, type LinkSink } from './link-sink.ts'
import type { OutboxEntry } from './outbox/outbox-entry.ts'
import type { OwnArc, Owner, Owners } from './owners.ts'
import { type BatchAnswer, batchAnswer, placesOf, type Refusal } from './wire/answer-coding.ts'
import { encodeLinks, type Sections } from './wire/link-coding.ts'
import { contentIdOf, packBatch } from './wire/packed-batch.ts'

/** How calls are made; a service of `platform/calls` is one. */
export interface LinkCalls {
  call(peer: PeerId, bytes: Pieces, options: CallOptions): Promise<Uint8Array>
}

interface Needs {
  readonly calls: LinkCalls
  readonly compressor: Compressor
  readonly owners: Owners
  readonly take: LinkSink
}

export interface Outcome {
  /** On disk at the owner. */
  readonly taken: readonly OutboxEntry[]
  /** Sites that the peer does not own, with their owner if it knew. */
  readonly refused: readonly { ringKey: RingKey; owner?: Owner | undefined }[]
  readonly refusedLinks: number
  /** Sites that the peer owns, and that are not ready yet. */
  readonly later: readonly RingKey[]
  readonly arc?: OwnArc | undefined
}

/** Peers to which histories of 72 kB are kept. */
const historyPeersMax = 128

interface Placed {
  readonly link: LinkText
  readonly entry: OutboxEntry
}

export class BatchSender {
  readonly #needs: Needs
  readonly #deadlineMs: number
  readonly #histories = new Histories(historyPeersMax)
  readonly counts = { questionBytes: 0, answerBytes: 0 }

  constructor(needs: Needs, deadlineMs: number) {
    this.#needs = needs
    this.#deadlineMs = deadlineMs
  }

  /** Rejects with a PolyhistorError when the outcome is unknown. */
  async sendBatch(
    peer: PeerId,
    entries: readonly OutboxEntry[],
    options: { wantsArc: boolean },
  ): Promise<Outcome> {
    if (peer === this.#needs.owners.self) return this.#keep(entries)
    const placed = entries.flatMap((entry) => entry.links.map((link) => ({ link, entry })))
    placed.sort((one, other) => (one.link.href < other.link.href ? -1 : 1))
    const sections = encodeLinks(placed.map(({ link }) => link))
    const { arc, refused } = await this.#ask(peer, sections, options.wantsArc)
    return { ...divide(entries, placed, refused), ...(arc && { arc }) }
  }

  async #ask(peer: PeerId, sections: Sections, wantsArc: boolean): Promise<BatchAnswer> {
    try {
      return await this.#askOnce(peer, sections, wantsArc)
    } catch (error) {
      if (!(error instanceof PolyhistorError) || error.code !== 'exchange-history-unknown') throw error
      this.#histories.forget(peer)
      return this.#askOnce(peer, sections, wantsArc)
    }
  }

  async #askOnce(peer: PeerId, sections: Sections, wantsArc: boolean): Promise<BatchAnswer> {
    const { compressor, calls } = this.#needs
    const history = this.#histories.last(peer)
    const question = await packBatch(compressor, sections, { history, wantsArc })
    this.counts.questionBytes += question.length
    const bytes = await calls.call(peer, question, { deadlineMs: this.#deadlineMs })
    this.counts.answerBytes += bytes.length
    const answer = batchAnswer.decode(bytes)
    // A repeated batch may not be part of its history.
    if (!answer.isKnown) this.#histories.add(peer, history.after(sections, contentIdOf(sections)))
    return answer
  }

  async #keep(entries: readonly OutboxEntry[]): Promise<Outcome> {
    const { owners, take } = this.#needs
    const own = entries.filter(({ ringKey }) => owners.isOwner(ringKey))
    const others = entries.filter((entry) => !own.includes(entry))
    const links = own.flatMap((entry) => entry.links.map(fromOwnDisk))
    const { later } = links.length > 0 ? await take(links, owners.self) : allAccepted
    return {
      taken: own.filter(({ ringKey }) => !later.has(ringKey)),
      refused: others.map(({ ringKey }) => ({ ringKey })),
      refusedLinks: countOf(others),
      later: [...later],
    }
  }
}

/** An entry is of one site, which is the receiver's or not; if it should say so of some of its links only, none counts. */
function divide(
  entries: readonly OutboxEntry[],
  placed: readonly Placed[],
  refusals: readonly Refusal[],
): Outcome {
  const isRefused = placesOf(refusals, placed.length)
  if (isRefused.size === 0) return { taken: entries, refused: [], refusedLinks: 0, later: [] }
  const left = new Set([...isRefused].map((place) => placed[place]!.entry))
  const siteOf = ({ from }: Refusal): RingKey => placed[from]!.entry.ringKey
  const foreign = refusals.filter(({ isForNow }) => !isForNow)
  return {
    taken: entries.filter((entry) => !left.has(entry)),
    refused: foreign.map((refusal) => ({ ringKey: siteOf(refusal), owner: refusal.owner })),
    refusedLinks: countOf([...left]),
    later: refusals.filter(({ isForNow }) => isForNow).map(siteOf),
  }
}

function fromOwnDisk(link: LinkText): ForwardedLink {
  try {
    return asForwarded(link)
  } catch (error) {
    if (!(error instanceof MessageMalformed)) throw error
    throw new ExchangeError('exchange-link-damaged', 'A link in the outbox is not written as a URL is', error)
  }
}

function countOf(entries: readonly OutboxEntry[]): number {
  return entries.reduce((sum, { links }) => sum + links.length, 0)
}
