// Read handler: answers other peers' reads from our store.
//
// What is larger than a piece is read through a session, piece by piece. Sessions are bounded in number and end when idle; a
// reader whose session ended starts over, here or elsewhere. The last piece can be asked for twice, in case its answer was lost.

import { PolyhistorError } from '../../errors.ts'
import { messagePiece, type Piece } from '../../formats/wire/message-piece.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { ReadingError } from './reading-error.ts'
import type { ListOptions, LocalView, ViewSelection } from './view.ts'
import { captureList, listMax, type Opened, openedPayload, readRequest } from './wire/questions.ts'

interface Session {
  readonly peer: PeerId
  readonly pieces: AsyncIterator<Piece>
  /** Of the piece last given. */
  number: number
  last: Promise<Piece> | undefined
  lastUsedMs: number
}

interface ReadHandlerOptions {
  pieceBytes: number
  sessionsMax: number
  sessionMs: number
}

const optionsDefault: ReadHandlerOptions = { pieceBytes: 1024 * 1024, sessionsMax: 256, sessionMs: 30_000 }
/** A list ends early rather than be larger. */
const listBytesMax = 1024 * 1024
/** Others have their turn after so many captures: some 10 ms. */
const listPause = 1_000
/** Of all sessions, those of one peer. */
const peerPart = 0.25

export class ReadHandler {
  readonly #view: LocalView
  readonly #clock: Clock
  readonly #options: ReadHandlerOptions
  readonly #sessions = new Map<number, Session>()
  #lastSession = 0

  constructor(needs: { view: LocalView; clock: Clock }, options: Partial<ReadHandlerOptions> = {}) {
    this.#view = needs.view
    this.#clock = needs.clock
    this.#options = { ...optionsDefault, ...options }
  }

  /** `signal`: the asker has given up. */
  async answer(from: PeerId, bytes: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
    const question = readRequest.decode(bytes)
    switch (question.kind) {
      case 'list':
        return this.#list(question.selection, question.options, signal)
      case 'open':
        return this.#open(from, question.cursor)
      case 'records':
        return this.#records(from, question.cursor, question.isWhole)
      case 'piece':
        return messagePiece.encode(await this.#piece(from, question.session, question.number))
    }
  }

  /** Time is looked at here, not by the view, which might go through all it has without a pause to find nothing. The versions of
   * a URL lie in the order of time. */
  async #list(
    selection: ViewSelection,
    options: ListOptions & { limit: number },
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const limit = Math.min(options.limit, listMax)
    const isComplete = this.#view.isComplete(selection)
    const { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY, ...rest } = options
    const wanted = selection.kind === 'url' ? options : rest
    const captures = []
    let [sizeBytes, seen] = [0, 0]
    for (const capture of this.#view.list(selection, { ...wanted, limit: Number.POSITIVE_INFINITY })) {
      if (++seen % listPause === 0) {
        await this.#clock.sleep(0)
        signal?.throwIfAborted()
      }
      if (capture.capturedAtMs < fromMs || capture.capturedAtMs >= toMs) continue
      sizeBytes += capture.url.length + capture.surt.length + capture.cursor.length
      if (captures.length === limit || sizeBytes > listBytesMax)
        return captureList.encode({ captures, isCut: true, isComplete })
      captures.push(capture)
    }
    return captureList.encode({ captures, isCut: false, isComplete })
  }

  async #open(from: PeerId, cursor: string): Promise<Uint8Array> {
    const { head, sizeBytes, payload } = await this.#view.read(cursor)
    return openedPayload.encode({ head, sizeBytes, ...(await this.#start(from, payload())) })
  }

  async #records(from: PeerId, cursor: string, isWhole: boolean): Promise<Uint8Array> {
    const chunks = await this.#view.records(cursor, isWhole)
    return openedPayload.encode({ head: undefined, sizeBytes: 0, ...(await this.#start(from, chunks)) })
  }

  async #start(from: PeerId, chunks: AsyncIterable<Uint8Array>): Promise<Pick<Opened, 'piece' | 'session'>> {
    const pieces = piecesOf(chunks, this.#options.pieceBytes)
    const first = await pieces.next()
    const { bytes, isLast } = first.value as Piece
    return { piece: bytes, session: isLast ? undefined : this.#begin(from, pieces) }
  }

  #begin(peer: PeerId, pieces: AsyncIterator<Piece>): number {
    this.#endIdle()
    const { sessionsMax } = this.#options
    const own = this.#sessions.values().filter((session) => session.peer === peer)
    if (this.#sessions.size >= sessionsMax || [...own].length >= peerPart * sessionsMax) {
      void pieces.return?.()
      throw new PolyhistorError('reading-busy', 'Too many are reading here: ask another', { retry: 'later' })
    }
    const session = { peer, pieces, number: 0, last: undefined, lastUsedMs: this.#clock.monotonicMs() }
    this.#sessions.set(++this.#lastSession, session)
    return this.#lastSession
  }

  async #piece(from: PeerId, id: number, number: number): Promise<Piece> {
    const session = this.#sessions.get(id)
    if (
      session === undefined ||
      session.peer !== from ||
      number < session.number ||
      number > session.number + 1
    ) {
      throw new ReadingError('reading-session-over', 'That reading is over: begin again')
    }
    session.lastUsedMs = this.#clock.monotonicMs()
    if (number === session.number + 1) {
      session.number = number
      session.last = session.pieces.next().then(({ value }) => value as Piece)
    }
    try {
      const piece = await session.last!
      if (piece.isLast) this.#endIdle()
      return piece
    } catch (error) {
      this.#sessions.delete(id)
      throw error
    }
  }

  #endIdle(): void {
    const before = this.#clock.monotonicMs() - this.#options.sessionMs
    for (const [id, session] of this.#sessions) {
      if (session.lastUsedMs >= before) continue
      this.#sessions.delete(id)
      void session.pieces.return?.()
    }
  }
}

/** The bytes in pieces of one size; one at least, and the last of them says so. */
async function* piecesOf(chunks: AsyncIterable<Uint8Array>, pieceBytes: number): AsyncGenerator<Piece> {
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    waiting.push(chunk)
    size += chunk.length
    if (size <= pieceBytes) continue
    const all = Buffer.concat(waiting)
    let at = 0
    for (; all.length - at > pieceBytes; at += pieceBytes) {
      yield { bytes: all.subarray(at, at + pieceBytes), isLast: false }
    }
    waiting = [all.subarray(at)]
    size = all.length - at
  }
  yield { bytes: Buffer.concat(waiting), isLast: true }
}
