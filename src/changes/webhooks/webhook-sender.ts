// Webhook sender: brings messages to their receivers, each until it was taken or given up.
//
// Promises: at least once, with one id at every attempt; those of a watch in their order, so one that fails holds up those of its own
// watch and no others. One message at a time for each receiver. A receiver that cannot be reached is left alone for longer and longer, so
// that it costs one connection now and then, however many messages wait.
// Addresses are checked as the crawler's are, when connecting; redirects are not followed; time and sizes are bounded.

import { PolyhistorError } from '../../errors.ts'
import { parseHttpHead } from '../../formats/http/http-message.ts'
import { backOffMs } from '../../model/back-off.ts'
import { parseUrl } from '../../model/url/url.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { AddressRule, Web, WebAnswer, WebLimits } from '../../platform/network/web.ts'
import { jittered, type Random } from '../../platform/random.ts'
import { signatures } from './signature.ts'
import type { WebhookReceiver } from './webhook.ts'
import type { Waiting, WebhookBook } from './webhook-book.ts'

interface Needs {
  readonly book: WebhookBook
  readonly web: Web
  readonly allow: AddressRule
  readonly clock: Clock
  readonly random: Random
  readonly userAgent: string
}

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** Between attempts, as the convention proposes: three days in all. */
const pausesMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
]
const ageMsMax = 76 * hourMs
const jitterShare = 0.1
/** Of a receiver that cannot be reached at all. */
const silenceBackOff = { firstMs: 5 * secondMs, longestMs: 30 * minuteMs }
const retryAfterMsMax = 24 * hourMs

const limits: WebLimits = {
  headBytesMax: 32 * 1024,
  headerCountMax: 200,
  bodyBytesMax: 16 * 1024,
  connectMsMax: 10 * secondMs,
  stallMsMax: 15 * secondMs,
  totalMsMax: 20 * secondMs,
}

interface Outcome {
  readonly isTaken: boolean
  readonly trouble: string
  /** Nobody was there. */
  readonly isSilent?: boolean
  /** It wants no more messages. */
  readonly isGone?: boolean
  readonly retryAfterMs?: number | undefined
}

interface Silence {
  failures: number
  untilMs: number
}

export class WebhookSender {
  readonly #needs: Needs
  readonly #busy = new Map<string, Promise<void>>()
  readonly #silences = new Map<string, Silence>()
  readonly #closing = new AbortController()
  #timer: Timer | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Something may be due. */
  wake(): void {
    if (this.#closing.signal.aborted) return
    this.#timer?.cancel()
    let nextMs = Number.POSITIVE_INFINITY
    for (const receiver of this.#needs.book.receivers()) {
      if (receiver.isPaused || this.#busy.has(receiver.id)) continue
      const dueMs = this.#dueMs(receiver.id)
      if (dueMs <= this.#needs.clock.nowMs()) this.#begin(receiver.id)
      else nextMs = Math.min(nextMs, dueMs)
    }
    if (!Number.isFinite(nextMs)) return
    const inMs = Math.min(hourMs, Math.max(1, nextMs - this.#needs.clock.nowMs()))
    this.#timer = this.#needs.clock.after(inMs, () => this.wake())
  }

  /** Somebody says that it is there again. */
  forgive(receiver: string): void {
    this.#silences.delete(receiver)
    this.wake()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#timer?.cancel()
    await Promise.all(this.#busy.values())
  }

  #begin(id: string): void {
    const sending = this.#sendDue(id)
      .catch((error: unknown) => {
        // A disk in trouble: what was not noted is sent again.
        this.#noteSilence(id)
        if (!(error instanceof PolyhistorError)) throw error
      })
      .finally(() => {
        this.#busy.delete(id)
        this.wake()
      })
    this.#busy.set(id, sending)
  }

  async #sendDue(id: string): Promise<void> {
    for (;;) {
      const receiver = this.#needs.book.find(id)
      if (receiver === undefined || receiver.isPaused || this.#closing.signal.aborted) return
      const message = this.#next(id)
      if (message === undefined) return
      await this.#deliver(receiver, message)
    }
  }

  /** When the next of them is due. */
  #dueMs(id: string): number {
    let dueMs = Number.POSITIVE_INFINITY
    for (const message of firstOfEach(this.#needs.book.waiting(id))) dueMs = Math.min(dueMs, message.nextAtMs)
    return Math.max(dueMs, this.#silences.get(id)?.untilMs ?? 0)
  }

  #next(id: string): Waiting | undefined {
    const nowMs = this.#needs.clock.nowMs()
    if ((this.#silences.get(id)?.untilMs ?? 0) > nowMs) return undefined
    for (const message of firstOfEach(this.#needs.book.waiting(id)))
      if (message.nextAtMs <= nowMs) return message
    return undefined
  }

  async #deliver(receiver: WebhookReceiver, message: Waiting): Promise<void> {
    const { book, clock } = this.#needs
    const outcome = await this.#post(receiver, message)
    if (this.#closing.signal.aborted) return
    const nowMs = clock.nowMs()
    if (outcome.isSilent) this.#noteSilence(receiver.id)
    else this.#silences.delete(receiver.id)
    if (outcome.isTaken) return book.settle(message, nowMs)
    await book.fail(message, outcome.trouble, this.#nextAtMs(message, outcome, nowMs))
    if (outcome.isSilent) await this.#giveUpOld(receiver.id, outcome.trouble, nowMs)
    if (outcome.isGone)
      await book.putReceiver({ ...book.get(receiver.id), isPaused: true, trouble: outcome.trouble })
  }

  /** undefined: it is given up. */
  #nextAtMs({ attempts, createdAtMs }: Waiting, outcome: Outcome, nowMs: number): number | undefined {
    const { retryAfterMs = 0, isSilent = false } = outcome
    if (nowMs - createdAtMs > ageMsMax) return undefined
    // Where nobody is there, the receiver is waited for, not the message.
    if (isSilent) return Math.floor(nowMs + retryAfterMs)
    const pauseMs = pausesMs[attempts]
    if (pauseMs === undefined) return undefined
    return Math.floor(nowMs + Math.max(retryAfterMs, jittered(pauseMs, jitterShare, this.#needs.random)))
  }

  /** What has become too old with it. */
  async #giveUpOld(id: string, trouble: string, nowMs: number): Promise<void> {
    const { book } = this.#needs
    for (const message of [...book.waiting(id)])
      if (nowMs - message.createdAtMs > ageMsMax) await book.fail(message, trouble, undefined)
  }

  #noteSilence(id: string): void {
    const { failures = 0 } = this.#silences.get(id) ?? {}
    const untilMs = this.#needs.clock.nowMs() + backOffMs(silenceBackOff, failures + 1)
    this.#silences.set(id, { failures: failures + 1, untilMs })
  }

  async #post(receiver: WebhookReceiver, message: Waiting): Promise<Outcome> {
    const { book, web, allow, clock, userAgent } = this.#needs
    const body = book.body(message)
    if (body === undefined) return { isTaken: true, trouble: '' }
    const nowMs = clock.nowMs()
    const atSeconds = Math.floor(nowMs / secondMs)
    const secrets = receiver.secrets
      .filter(({ untilMs }) => untilMs === undefined || untilMs > nowMs)
      .map(({ secret }) => secret)
    const answer = await web
      .fetch(
        {
          url: parseUrl(receiver.url),
          method: 'POST',
          body: Buffer.from(body, 'utf8'),
          headers: [
            ['User-Agent', userAgent],
            ['Content-Type', 'application/json; charset=utf-8'],
            ['Accept', '*/*'],
            ['webhook-id', message.id],
            ['webhook-timestamp', String(atSeconds)],
            ['webhook-signature', signatures(secrets, { id: message.id, atSeconds, body })],
          ],
          limits,
          allow,
        },
        this.#closing.signal,
      )
      .catch((error: unknown): undefined => {
        if (!this.#closing.signal.aborted) throw error
      })
    if (answer === undefined) return { isTaken: false, trouble: 'The peer was stopped.' }
    if (answer.outcome === 'response' && answer.body.kind === 'spooled') await answer.body.remove()
    return outcomeOf(answer)
  }
}

function outcomeOf(answer: WebAnswer): Outcome {
  if (answer.outcome === 'failure')
    return { isTaken: false, trouble: `${answer.code}: ${answer.reason}`.slice(0, 300), isSilent: true }
  const { status } = answer
  if (status >= 200 && status < 300) return { isTaken: true, trouble: '' }
  if (status === 410)
    return { isTaken: false, trouble: 'It answered 410: it wants no more messages.', isGone: true }
  const headers = parseHttpHead(answer.head)?.headers
  const seconds = Number(headers?.get('Retry-After'))
  const retryAfterMs = seconds > 0 ? Math.min(retryAfterMsMax, seconds * secondMs) : undefined
  const why = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
  return {
    isTaken: false,
    trouble: `It answered ${status}${why}.`,
    isSilent: status === 429 || status === 503,
    retryAfterMs,
  }
}

/** Of each watch the first that waits. */
function* firstOfEach(waiting: readonly Waiting[]): Generator<Waiting> {
  const seen = new Set<string>()
  for (const message of waiting) {
    if (seen.has(message.watch)) continue
    seen.add(message.watch)
    yield message
  }
}
