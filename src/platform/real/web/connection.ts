// One connection to one origin: a socket to a checked address, with HTTP on top.
//
// Invariants: one exchange at a time; the socket is never replaced: once it has closed, the connection is dead, for
// what was checked was that socket's address.

import type { AddressRule } from '../../network/web.ts'
import type { OpenSocket } from './connect.ts'
import { Http1Wire } from './http1.ts'
import { Http2Wire } from './http2.ts'
import type { Wire } from './wire.ts'

export class Connection {
  readonly key: string
  readonly address: string
  /** In the words of WARC-Protocol. */
  readonly protocols: readonly string[]
  readonly tlsProblem: string | undefined
  readonly certificate: string | undefined
  /** What opening it took. */
  readonly connectMs: number
  readonly wire: Wire
  readonly #open: OpenSocket
  #passedBy: AddressRule
  #exchanges = 0

  constructor(key: string, origin: string, open: OpenSocket, passedBy: AddressRule, keepAliveMsMax: number) {
    const { socket, isHttp2, tlsVersion } = open
    this.key = key
    this.address = open.address
    this.protocols = [isHttp2 ? 'h2' : 'http/1.1', ...(tlsVersion === undefined ? [] : [tlsVersion])]
    this.tlsProblem = open.tlsProblem
    this.certificate = open.certificate
    this.connectMs = open.connectMs
    this.wire = isHttp2
      ? new Http2Wire(origin, socket, keepAliveMsMax)
      : new Http1Wire(socket, keepAliveMsMax)
    this.#open = open
    this.#passedBy = passedBy
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

  /** Resolves when the socket has closed. */
  async destroy(): Promise<void> {
    const { socket } = this.#open
    const closed = socket.closed || new Promise<void>((resolve) => socket.once('close', () => resolve()))
    this.wire.destroy()
    await closed
  }
}
