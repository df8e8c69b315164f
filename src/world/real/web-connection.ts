// One connection to one origin: a socket to a checked address, with undici's HTTP on top.
//
// Invariants: one exchange at a time; the socket is never replaced: once it has closed, the connection is dead, for
// what was checked was that socket's address.

import { Client } from 'undici'
import { httpHeadBytesMax } from '../../record/http-message.ts'
import type { AddressRule } from '../web.ts'
import type { OpenSocket } from './web-connect.ts'
import { HeadTap } from './web-head.ts'

export class Connection {
  readonly key: string
  readonly address: string
  readonly protocols: readonly string[]
  readonly tlsProblem: string | undefined
  readonly isHttp2: boolean
  /** undefined over HTTP/2. */
  readonly tap: HeadTap | undefined
  readonly client: Client
  readonly #open: OpenSocket
  #passedBy: AddressRule
  #broken = false
  #exchanges = 0

  constructor(key: string, origin: string, open: OpenSocket, passedBy: AddressRule, keepAliveMsMax: number) {
    this.key = key
    this.address = open.address
    this.protocols = [
      open.isHttp2 ? 'h2' : 'http/1.1',
      ...(open.tlsVersion === undefined ? [] : [open.tlsVersion]),
    ]
    this.tlsProblem = open.tlsProblem
    this.isHttp2 = open.isHttp2
    this.tap = open.isHttp2 ? undefined : new HeadTap(open.socket)
    this.#open = open
    this.#passedBy = passedBy
    // undici takes a reset at the end of a body without length for its end. We do not.
    open.socket.once('error', () => (this.#broken = true))
    this.client = new Client(origin, clientOptions(open, keepAliveMsMax))
  }

  get isAlive(): boolean {
    const { socket } = this.#open
    return !socket.destroyed && !socket.readableEnded && !this.client.destroyed
  }

  /** Whether the socket failed, in contrast to being closed. */
  get isBroken(): boolean {
    return this.#broken
  }

  /** Whether an exchange has gone well on it before. */
  get isUsed(): boolean {
    return this.#exchanges > 0
  }

  /** Its address was checked by the rule of the request that opened it; another rule may say otherwise. */
  mayServe(rule: AddressRule): boolean {
    if (rule === this.#passedBy) return true
    if (rule.refusal(this.address) !== undefined) return false
    this.#passedBy = rule
    return true
  }

  countExchange(): void {
    this.#exchanges++
  }

  onClose(listener: () => void): void {
    this.#open.socket.once('close', listener)
  }

  async destroy(): Promise<void> {
    this.#open.socket.destroy()
    await this.client.destroy()
  }
}

function clientOptions(open: OpenSocket, keepAliveMsMax: number): Client.Options {
  let isTaken = false
  return {
    connect: (_options, callback) => {
      // undici calls once more when the socket has closed under a request that waits. Later, for it does not expect
      // an answer before the call returns.
      const gone = isTaken
      isTaken = true
      queueMicrotask(() =>
        gone ? callback(new Error('other side closed'), null) : callback(null, open.socket),
      )
    },
    allowH2: open.isHttp2,
    pipelining: 1,
    // Time is kept by the exchange, for all phases alike and to the millisecond.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: keepAliveMsMax,
    keepAliveMaxTimeout: keepAliveMsMax,
    // The exchange counts too; this one bounds the parser's own memory.
    maxHeaderSize: httpHeadBytesMax,
    pingInterval: 0,
  }
}
