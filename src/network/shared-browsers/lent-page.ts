// A page that another peer shows for us: what it asks for comes as questions of that peer, and goes to whoever shows pages here, as if
// the browser were ours. Bodies go out piece by piece, as they are asked for.
//
// Invariants: only the peer that shows the page is answered, and only while it is shown; so many parts are under way at once, beyond
// that they are refused. When the page ends, however it does, so does everything that was asked for it.

import { FieldList } from '../../formats/http/field-list.ts'
import type { PageAnswer, PageToShow } from '../../platform/network/browser.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type BrowserAnswer, fieldsThatFit, type PartQuestion, pieceBytesMax } from './browser-messages.ts'

const partsMax = 64

export class LentPage {
  readonly peer: PeerId
  readonly #page: PageToShow
  readonly #open = new Map<number, OpenBody>()
  readonly #ended = new AbortController()
  #underWay = 0

  constructor(peer: PeerId, page: PageToShow) {
    this.peer = peer
    this.#page = page
  }

  end(): void {
    this.#ended.abort(new Error('the page has ended'))
    for (const body of this.#open.values()) body.end()
    this.#open.clear()
  }

  async part(question: PartQuestion): Promise<BrowserAnswer> {
    const { number, method, href, headers, body, isTooLarge } = question
    if (this.#ended.signal.aborted || this.#underWay >= partsMax || this.#open.has(number)) return nothing
    const first = Promise.withResolvers<BrowserAnswer>()
    const send = async (answer: PageAnswer): Promise<void> => {
      if (this.#ended.signal.aborted) return
      const open = new OpenBody(answer.body)
      this.#open.set(number, open)
      try {
        const { bytes, isLast } = await open.next()
        const { status, bodyBytes } = answer
        first.resolve({
          ...{ kind: 'response', status, bodyBytes, bytes, isLast },
          headers: fieldsThatFit(answer.headers),
        })
        await open.over
      } finally {
        this.#open.delete(number)
      }
    }
    const request = {
      ...{ method, href, body: isTooLarge ? ('too-large' as const) : body },
      headers: new FieldList(headers.map(({ name, value }) => [name, value] as const)),
    }
    this.#underWay++
    void this.#page.answer(request, send, this.#ended.signal).finally(() => {
      this.#underWay--
      first.resolve(nothing)
    })
    return first.promise
  }

  async more(number: number): Promise<BrowserAnswer> {
    const open = this.#open.get(number)
    return open === undefined ? nothing : { kind: 'piece', ...(await open.next()) }
  }
}

const nothing: BrowserAnswer = { kind: 'nothing' }

/** A body that is read in pieces, none of them too large for a message. */
class OpenBody {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #over = Promise.withResolvers<void>()
  #rest: Uint8Array = new Uint8Array(0)
  #isAtEnd = false
  #reading: Promise<unknown> = Promise.resolve()

  constructor(body: PageAnswer['body']) {
    this.#chunks = chunksOf(body)[Symbol.asyncIterator]()
  }

  /** Resolves when all of it is out, or nobody wants the rest. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  end(): void {
    this.#over.resolve()
  }

  /** One at a time. */
  next(): Promise<{ bytes: Uint8Array; isLast: boolean }> {
    const read = this.#reading.then(() => this.#next())
    this.#reading = read.catch(() => {})
    return read
  }

  async #next(): Promise<{ bytes: Uint8Array; isLast: boolean }> {
    while (!this.#isAtEnd && this.#rest.length <= pieceBytesMax) {
      const { value, done } = await this.#chunks.next()
      if (done === true) this.#isAtEnd = true
      else this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value])
    }
    const bytes = this.#rest.subarray(0, pieceBytesMax)
    this.#rest = this.#rest.subarray(bytes.length)
    const isLast = this.#isAtEnd && this.#rest.length === 0
    if (isLast) this.#over.resolve()
    return { bytes, isLast }
  }
}

async function* chunksOf(body: PageAnswer['body']): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body
  else yield* body
}
