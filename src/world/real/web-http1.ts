// HTTP/1.1 on one socket, by undici.
//
// undici's client would connect again when its socket is gone. Ours does not: what was checked is this socket's address.

import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { Dispatcher, Client as UndiciClient } from 'undici'
import type { Field } from '../../record/field-list.ts'
import { httpHeadBytesMax } from '../../record/http-message.ts'
import { findHead, HeadTap } from './web-head-tap.ts'
import { printHead, type Wire, type WireListener, type WireRequest } from './web-wire.ts'

/** By its file: all of undici takes twice the time and memory to load, for a fetch, caches and web sockets that nobody
 * here uses. */
const Client = createRequire(import.meta.url)('undici/lib/dispatcher/client.js') as typeof UndiciClient

export class Http1Wire implements Wire {
  readonly #socket: Socket
  readonly #client: UndiciClient
  readonly #tap: HeadTap
  #isBroken = false

  constructor(origin: string, socket: Socket, keepAliveMsMax: number) {
    this.#socket = socket
    this.#tap = new HeadTap(socket)
    socket.once('error', () => {
      this.#isBroken = true
    })
    this.#client = new Client(origin, clientOptions(socket, keepAliveMsMax))
  }

  /** What undici writes. A test compares it with what a server gets. */
  print({ authority, target, headers }: WireRequest): Buffer {
    let text = `GET ${target} HTTP/1.1\r\nhost: ${authority}\r\nconnection: keep-alive\r\n`
    for (const [name, value] of headers) text += `${name}: ${value}\r\n`
    return Buffer.from(`${text}\r\n`, 'latin1')
  }

  send({ target, headers }: WireRequest, listener: WireListener): void {
    this.#tap.open((bytes) => listener.onHeadBytes(bytes))
    this.#client.dispatch({ method: 'GET', path: target, headers: headers.flat() }, this.#handler(listener))
  }

  get isAlive(): boolean {
    return !this.#socket.destroyed && !this.#socket.readableEnded && !this.#client.destroyed
  }

  destroy(): void {
    this.#tap.close()
    this.#socket.destroy()
    void this.#client.destroy()
  }

  #handler(listener: WireListener): Dispatcher.DispatchHandler {
    return {
      onRequestStart() {},
      onResponseStart: (controller, code, _headers, reason = '') => {
        if (code < 200) return listener.onInterim()
        const pairs = controller.rawHeaders as Buffer[]
        const head = findHead(this.#tap.close(), code) ?? printHead(code, reason, fieldsOf(pairs))
        listener.onHead(code, head, pairs.length / 2)
      },
      onResponseData: (controller, chunk) => listener.onBody(chunk, controller),
      onResponseEnd: () => {
        // undici takes a reset for the end of a body that came without length.
        if (this.#isBroken) listener.onError(new Error('the connection was reset'))
        else listener.onEnd()
      },
      onResponseError: (_controller, error) => {
        this.#tap.close()
        listener.onError(error)
      },
    }
  }
}

function clientOptions(socket: Socket, keepAliveMsMax: number): UndiciClient.Options {
  let isTaken = false
  return {
    connect: (_options, callback) => {
      const isGone = isTaken
      isTaken = true
      // Not at once: undici does not expect an answer before the call returns.
      queueMicrotask(() => (isGone ? callback(new Error('other side closed'), null) : callback(null, socket)))
    },
    pipelining: 1,
    // Time is kept by the exchange, for all phases alike and to the millisecond.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: keepAliveMsMax,
    keepAliveMaxTimeout: keepAliveMsMax,
    // The exchange counts too; this bounds the parser's own memory.
    maxHeaderSize: httpHeadBytesMax,
  }
}

function fieldsOf(pairs: readonly Buffer[]): Field[] {
  const fields: Field[] = []
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    fields.push([pairs[index]!.toString('latin1'), pairs[index + 1]!.toString('latin1')])
  }
  return fields
}
