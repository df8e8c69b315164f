// The network's shelf: what any peer of the ring keeps, for the readers of this one.
//
// Who keeps a site's captures is asked for it: the nearest first, the next when that one is slow, fails, or gives wrong bytes.
// Invariants: a payload is delivered whole only if its digest is that of the capture; memory is bounded: lists come in
// pages, large payloads in pieces, and small ones are remembered up to `cacheBytes`.
// Leaves to the caller: what lies on its own shelf, and who keeps what (the ring).

import { hash } from 'node:crypto'
import { digestHex } from '../record/digest.ts'
import { siteOf } from '../record/site.ts'
import { parseUrl } from '../record/url.ts'
import type { CallService } from '../world/call-services.ts'
import type { Clock } from '../world/clock.ts'
import type { PeerId } from '../world/network.ts'
import { firstAnswer } from './first-answer.ts'
import { largePayload, type Source } from './large-payload.ts'
import { ReadLately } from './read-lately.ts'
import { ReadingError } from './reading-error.ts'
import type { ListOptions, Reading, ShelfCapture, ShelfSelection } from './shelf.ts'
import {
  listMax,
  readCaptureList,
  readOpened,
  readPiece,
  type ShelfQuestion,
  writeShelfQuestion,
} from './wire/questions.ts'

export interface NetworkShelfNeeds {
  readonly clock: Clock
  readonly calls: Pick<CallService, 'call'>
  /** Who keeps the captures of this site, the nearest first. */
  holders(site: string): Promise<readonly PeerId[]>
  /** Its bytes were not what it said. */
  reportWrong?(peer: PeerId, capture: ShelfCapture): void
}

export interface NetworkShelfOptions {
  answerMs: number
  /** After so long the next is asked as well. */
  patienceMs: number
  cacheBytes: number
}

const optionsDefault: NetworkShelfOptions = {
  answerMs: 10_000,
  patienceMs: 400,
  cacheBytes: 64 * 1024 * 1024,
}

export class NetworkShelf {
  readonly #needs: NetworkShelfNeeds
  readonly #options: NetworkShelfOptions
  readonly #lately: ReadLately

  constructor(needs: NetworkShelfNeeds, options: Partial<NetworkShelfOptions> = {}) {
    this.#needs = needs
    this.#options = { ...optionsDefault, ...options }
    this.#lately = new ReadLately(this.#options.cacheBytes)
  }

  /** In the order of the shelf, a page at a time; a page may come from another peer than the one before. */
  async *list(
    selection: ShelfSelection,
    options: ListOptions & { limit?: number | undefined } = {},
  ): AsyncGenerator<ShelfCapture> {
    const site = siteSelected(selection)
    let left = options.limit ?? Number.POSITIVE_INFINITY
    let { after } = options
    while (left > 0) {
      const limit = Math.min(left, listMax)
      const question = { kind: 'list', selection, options: { ...options, after, limit } } as const
      const { answer } = await this.#first(await this.#needs.holders(site), question, readCaptureList)
      yield* answer.captures
      left -= answer.captures.length
      after = answer.captures.at(-1)?.cursor
      if (!answer.isCut || after === undefined) return
    }
  }

  async read(capture: ShelfCapture): Promise<Reading> {
    const lately = this.#lately.get(capture.recordId)
    if (lately !== undefined) return { ...lately, payload: () => once(lately.piece) }
    const holders = await this.#needs.holders(parseUrl(capture.url).site)
    const { peer, opened } = await this.#openRight(holders, capture)
    const { head, sizeBytes, piece, session } = opened
    if (session !== undefined) {
      const asking = this.#askingFor(holders, capture)
      const payload = () => largePayload(asking, { peer, opened }, capture.content?.digest)
      return { head, sizeBytes, payload }
    }
    this.#lately.put(capture.recordId, opened)
    return { head, sizeBytes, payload: () => once(piece) }
  }

  /** What comes in one piece is known to be right before it is given to anybody. */
  async #openRight(holders: readonly PeerId[], capture: ShelfCapture): Promise<Source> {
    const tried = new Set<PeerId>()
    for (;;) {
      const source = await this.#open(holders, capture, tried)
      if (source.opened.session !== undefined || isOf(capture, source.opened.piece)) return source
      const error = this.#wrong(source.peer, capture)
      tried.add(source.peer)
      if (tried.size === holders.length) throw error
    }
  }

  #askingFor(holders: readonly PeerId[], capture: ShelfCapture): Parameters<typeof largePayload>[0] {
    return {
      piece: (peer, session, number) => this.#call(peer, { kind: 'piece', session, number }, readPiece),
      openElsewhere: (tried) => this.#open(holders, capture, tried),
      wrong: (peer) => this.#wrong(peer, capture),
    }
  }

  async #open(
    holders: readonly PeerId[],
    { cursor }: ShelfCapture,
    tried: ReadonlySet<PeerId>,
  ): Promise<Source> {
    const peers = holders.filter((peer) => !tried.has(peer))
    const { peer, answer } = await this.#first(peers, { kind: 'open', cursor }, readOpened)
    return { peer, opened: answer }
  }

  #wrong(peer: PeerId, capture: ShelfCapture): ReadingError {
    this.#needs.reportWrong?.(peer, capture)
    return new ReadingError('reading-damaged', `${capture.url} was not given as it was captured`)
  }

  #first<T>(peers: readonly PeerId[], question: ShelfQuestion, read: (bytes: Uint8Array) => T) {
    return firstAnswer(this.#needs, peers, this.#options.patienceMs, (peer, signal) =>
      this.#call(peer, question, read, signal),
    )
  }

  async #call<T>(
    peer: PeerId,
    question: ShelfQuestion,
    read: (bytes: Uint8Array) => T,
    signal?: AbortSignal,
  ): Promise<T> {
    const options = { deadlineMs: this.#options.answerMs, signal, channel: 'bulk' } as const
    return read(await this.#needs.calls.call(peer, writeShelfQuestion(question), options))
  }
}

function isOf({ content }: ShelfCapture, payload: Uint8Array): boolean {
  return content === undefined || hash('sha256', payload, 'hex') === digestHex(content.digest)
}

function siteSelected(selection: ShelfSelection): string {
  if (selection.kind === 'site') return selection.site
  return selection.kind === 'host' ? siteOf(selection.host) : parseUrl(selection.url).site
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
