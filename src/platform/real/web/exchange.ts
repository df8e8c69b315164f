// One request and its response on a connection: counts bytes, keeps time, and decides how it ended.
//
// Invariants: ends once; holds its limits whatever the server does; leaves no timer behind. A connection on which
// something did not go to its end is destroyed, never used again.

import type { Clock, Timer } from '../../clock.ts'
import type {
  WebAnswer,
  WebFailure,
  WebFailureCode,
  WebRequest,
  WebResponse,
  WebTruncation,
} from '../../network/web.ts'
import type { IncomingBody } from './body.ts'
import type { Connection } from './connection.ts'
import { breakageOf, exchangeFailure, webFailure } from './failure.ts'
import { UnsendableRequest, type WireControl, type WireListener, type WireRequest } from './wire.ts'

/** Interim responses (1xx) before one that counts. */
const interimMax = 16

/** `stale`: a kept-alive connection was closed before a head came, or what came was no HTTP: it may be the rest of the
 * response before, longer than it said. On a connection of its own the request may do better. */
type ExchangeEnd = WebAnswer | 'stale'

export class Exchange implements WireListener {
  readonly #clock: Clock
  readonly #request: WebRequest
  readonly #sent: WireRequest
  readonly #connection: Connection
  readonly #body: IncomingBody
  readonly #received: ((bytes: number) => Promise<void> | undefined) | undefined
  readonly #startMs: number
  readonly #sentMs: number
  readonly #connectMs: number | undefined
  #heardMs: number
  #headMs = 0
  #timer: Timer | undefined
  #status = 0
  #head: Buffer | undefined
  #interim = 0
  #isPaused = false
  #isEnded = false
  #resolve!: (end: ExchangeEnd) => void
  #reject!: (error: unknown) => void

  constructor(
    needs: {
      clock: Clock
      connection: Connection
      body: IncomingBody
      received?: ((bytes: number) => Promise<void> | undefined) | undefined
    },
    request: WebRequest,
    startMs: number,
  ) {
    this.#clock = needs.clock
    this.#connection = needs.connection
    this.#body = needs.body
    this.#received = needs.received
    this.#request = request
    this.#sent = wireRequestOf(request)
    this.#startMs = startMs
    this.#sentMs = needs.clock.monotonicMs()
    this.#connectMs = needs.connection.isUsed ? undefined : needs.connection.connectMs
    this.#heardMs = this.#sentMs
  }

  run(): Promise<ExchangeEnd> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#watch(this.#sentMs)
      this.#connection.wire.send(this.#sent, this)
    })
  }

  abort(reason: unknown): void {
    this.#fail(reason)
  }

  onHeadBytes(bytes: number): void {
    this.#heardMs = this.#clock.monotonicMs()
    if (bytes > this.#request.limits.headBytesMax) queueMicrotask(() => this.#checkHeadBytes())
  }

  onInterim(): void {
    this.#heardMs = this.#clock.monotonicMs()
    if (++this.#interim <= interimMax) return
    this.#giveUp('malformed-http', `more than ${interimMax} interim responses`)
  }

  onHead(status: number, head: Buffer, headerCount: number): void {
    const { headBytesMax, headerCountMax } = this.#request.limits
    this.#heardMs = this.#clock.monotonicMs()
    this.#headMs = this.#heardMs
    if (headerCount > headerCountMax) this.#giveUp('head-too-large', `more than ${headerCountMax} headers`)
    if (head.length > headBytesMax) this.#headTooLarge()
    this.#status = status
    this.#head = head
  }

  onBody(chunk: Buffer, control: WireControl): void {
    if (this.#isEnded) return
    this.#heardMs = this.#clock.monotonicMs()
    const room = this.#request.limits.bodyBytesMax - this.#body.length
    const full = this.#body.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    // Also when this is the last of it: what the disk says then must be heard, or the rejection ends the process.
    const slow = this.#received?.(chunk.length)
    if (full !== undefined || slow !== undefined) this.#pause(control, Promise.all([full, slow]))
    if (chunk.length > room) this.#cut('length')
  }

  onEnd(): void {
    if (!this.#stop()) return
    this.#connection.countExchange()
    this.#answer(undefined)
  }

  onError(error: Error): void {
    if (this.#isEnded) return
    if (error instanceof UnsendableRequest) this.#fail(error)
    else if (this.#head === undefined) this.#breakBeforeHead(error)
    else this.#cut(breakageOf(error))
  }

  #breakBeforeHead(error: Error): void {
    const failure = exchangeFailure(error, this.#connection.address)
    const mayBeStale = failure.code === 'reset' || failure.code === 'malformed-http'
    this.#endWith(this.#connection.isUsed && mayBeStale ? 'stale' : failure)
  }

  /** Once the parser has had the bytes: they may hold the end of the head, and a body; or no HTTP, which it tells. */
  #checkHeadBytes(): void {
    if (this.#head === undefined && this.#connection.wire.isAlive) this.#headTooLarge()
  }

  #headTooLarge(): void {
    this.#giveUp('head-too-large', `the head has more than ${this.#request.limits.headBytesMax} bytes`)
  }

  #pause(control: WireControl, untilWritten: Promise<unknown>): void {
    this.#isPaused = true
    control.pause()
    untilWritten.then(
      () => {
        this.#isPaused = false
        this.#heardMs = this.#clock.monotonicMs()
        if (!this.#isEnded) control.resume()
      },
      (error) => this.#fail(error),
    )
  }

  /** One timer serves both limits: it looks whether one is reached, and waits for the next. */
  #watch(nowMs: number): void {
    const { stallMsMax, totalMsMax } = this.#request.limits
    const totalMs = this.#startMs + totalMsMax
    const stallMs = (this.#isPaused ? nowMs : this.#heardMs) + stallMsMax
    if (nowMs >= totalMs) this.#outOfTime('timeout', `not done within ${totalMsMax} ms`)
    else if (nowMs >= stallMs) this.#outOfTime('stalled', `no byte came for ${stallMsMax} ms`)
    else {
      const delayMs = Math.min(totalMs, stallMs) - nowMs
      // When this process was busy, bytes may wait to be read: those come first.
      this.#timer = this.#clock.after(delayMs, () => setImmediate(() => this.#wake()))
    }
  }

  #wake(): void {
    if (!this.#isEnded) this.#watch(this.#clock.monotonicMs())
  }

  #outOfTime(code: WebFailureCode, reason: string): void {
    if (this.#head === undefined) this.#giveUp(code, reason)
    else this.#cut('time')
  }

  #giveUp(code: WebFailureCode, reason: string): void {
    this.#endWith(webFailure(code, reason, this.#connection.address))
  }

  #endWith(end: WebFailure | 'stale'): void {
    if (!this.#stop()) return
    void this.#connection.destroy()
    this.#body.discard().then(() => this.#resolve(end), this.#reject)
  }

  #fail(error: unknown): void {
    if (!this.#stop()) return
    void this.#connection.destroy()
    this.#body.discard().then(() => this.#reject(error), this.#reject)
  }

  #cut(truncation: WebTruncation): void {
    if (!this.#stop()) return
    void this.#connection.destroy()
    this.#answer(truncation)
  }

  #answer(truncated: WebTruncation | undefined): void {
    const endMs = this.#clock.monotonicMs()
    this.#body.finish().then((body) => {
      const { address, protocols, tlsProblem, certificate, wire } = this.#connection
      const response: WebResponse = {
        outcome: 'response',
        status: this.#status,
        head: this.#head!,
        body,
        truncated,
        request: wire.print(this.#sent),
        address,
        protocols,
        certificate,
        tlsProblem,
        timing: {
          ...{ startMs: this.#startMs, sentMs: this.#sentMs, connectMs: this.#connectMs },
          ...{ headMs: this.#headMs, endMs },
        },
      }
      this.#resolve(response)
    }, this.#reject)
  }

  #stop(): boolean {
    if (this.#isEnded) return false
    this.#isEnded = true
    this.#timer?.cancel()
    return true
  }
}

function wireRequestOf({ url, method = 'GET', headers, body }: WebRequest): WireRequest {
  const { authority, target } = url
  return { method, authority, target, headers, body }
}
