// Partial lists: an answer says so when what it lists may lack something, because somebody who may have more was silent.
//
// Every request has a note of its own, found by whoever reads the network on its behalf, however deep below. A body that
// comes in pieces is begun before its head goes out, since the head is where it is told; one that turns out to be partial only
// after that is cut off, so that nobody takes it for the whole.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Route } from '../../api/route.ts'
import type { Awaitable } from '../../model/listed.ts'
import { ReadingError } from '../../network/remote-reads/reading-error.ts'
import type { HttpAnswer, HttpBody } from '../../platform/network/http-server.ts'

interface Note {
  isPartial: boolean
  /** The head has gone out. */
  isSent: boolean
}

/** See docs/network.md. */
export const partialHeader = 'Polyhistor-Partial'
/** These begin when something happens, and list nothing. */
const eventsType = 'text/event-stream'

export class PartialLists {
  readonly #notes = new AsyncLocalStorage<Note>()

  /** Something may be lacking in what is being listed. */
  readonly note = (): void => {
    const note = this.#notes.getStore()
    if (note?.isSent)
      throw new ReadingError('reading-unavailable', 'somebody who may have more of this list fell silent')
    if (note !== undefined) note.isPartial = true
  }

  /** Of the answer that is being made. */
  readonly isNoted = (): boolean => this.#notes.getStore()?.isPartial ?? false

  /** The route, whose answers say so. */
  told(route: Route): Route {
    return {
      ...route,
      handle: (request) => {
        const note: Note = { isPartial: false, isSent: false }
        return this.#notes.run(note, () => {
          const answer = route.handle(request)
          const isHere = !(answer instanceof Promise) && !isOfPieces(answer)
          return isHere ? this.#said(note, answer) : this.#told(note, answer)
        })
      },
    }
  }

  async #told(note: Note, coming: Awaitable<HttpAnswer>): Promise<HttpAnswer> {
    const answer = await coming
    if (!isOfPieces(answer)) return this.#said(note, answer)
    const body = await this.#begun(note, answer.body)
    return this.#said(note, { ...answer, body })
  }

  /** Its head may go out. */
  #said(note: Note, answer: HttpAnswer): HttpAnswer {
    note.isSent = !note.isPartial
    if (!note.isPartial) return answer
    const headers = answer.headers.filter(([name]) => name.toLowerCase() !== 'cache-control')
    return { ...answer, headers: [...headers, [partialHeader, 'true'], ['Cache-Control', 'no-store']] }
  }

  /** The same body, of which the first piece is known. */
  async #begun(note: Note, pieces: AsyncIterable<Uint8Array>): Promise<HttpBody> {
    const iterator = pieces[Symbol.asyncIterator]()
    let first: Promise<IteratorResult<Uint8Array>> | undefined = Promise.resolve(await iterator.next())
    const body: AsyncIterableIterator<Uint8Array> = {
      [Symbol.asyncIterator]: () => body,
      next: () => {
        const next = first ?? this.#notes.run(note, () => iterator.next())
        first = undefined
        return next
      },
      return: async () => {
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }
    return body
  }
}

function isOfPieces(answer: HttpAnswer): answer is HttpAnswer & { body: AsyncIterable<Uint8Array> } {
  const { body, headers } = answer
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return false
  return !headers.some(
    ([name, value]) => name.toLowerCase() === 'content-type' && value.startsWith(eventsType),
  )
}
