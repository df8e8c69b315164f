// Webhooks: what their owner asks of receivers: made, listed, changed, tried out, their secrets renewed, dead letters sent again.
//
// A secret is given out once, when it is made. Whoever lost it has a new one made; the old one still signs for a day, so that nothing is
// refused meanwhile.

import { parseUrl, type Url, urlFromTyped } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { WatchesError } from '../watches/watches-error.ts'
import { newSecret } from './signature.ts'
import { trialMessage } from './watch-message.ts'
import { type WebhookMessage, type WebhookReceiver, watchesPerReceiverMax } from './webhook.ts'
import { receiversMax, type WebhookBook } from './webhook-book.ts'

/** Without its secrets. */
export interface WebhookView extends Omit<WebhookReceiver, 'secrets'> {
  readonly waiting: number
  readonly dead: number
}

export interface WrittenWebhook {
  readonly url?: unknown
  readonly name?: unknown
  readonly watches?: unknown
}

interface Needs {
  readonly book: WebhookBook
  readonly clock: Clock
  readonly random: Random
  /** Why a host must not be asked, as far as its name tells. */
  refusalOfHost(host: string): string | undefined
  isWatch(id: string): boolean
  /** Something may be due for it; where a peer runs. */
  wake?(receiver: string): void
}

export type WebhookService = Pick<
  Webhooks,
  | 'list'
  | 'find'
  | 'add'
  | 'change'
  | 'setPaused'
  | 'remove'
  | 'renewSecret'
  | 'trial'
  | 'deadLetters'
  | 'resend'
>

const overlapMs = 86_400_000
const nameCharsMax = 200
const urlCharsMax = 2_000

export class Webhooks {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  list(): WebhookView[] {
    return this.#needs.book.receivers().map((receiver) => this.#view(receiver))
  }

  /** Throws 'webhook-unknown'. */
  find(id: string): WebhookView {
    return this.#view(this.#needs.book.get(id))
  }

  async add(written: WrittenWebhook): Promise<{ webhook: WebhookView; secret: string }> {
    const { book, clock, random } = this.#needs
    if (book.receivers().length >= receiversMax)
      throw new WatchesError(
        'webhooks-full',
        `There are ${receiversMax} webhooks already, which is the most.`,
      )
    const secret = newSecret(random)
    const receiver: WebhookReceiver = {
      id: random.uuid(),
      url: this.#urlOf(written.url).href,
      name: nameOf(written.name),
      watches: this.#watchesOf(written.watches),
      createdAtMs: Math.floor(clock.nowMs()),
      isPaused: false,
      secrets: [{ secret, untilMs: undefined }],
      takenAtMs: undefined,
      trouble: undefined,
      droppedCount: 0,
    }
    await book.putReceiver(receiver)
    return { webhook: this.#view(receiver), secret }
  }

  async change(id: string, { url, name, watches }: WrittenWebhook): Promise<WebhookView> {
    return this.#put({
      ...this.#needs.book.get(id),
      ...(url !== undefined && { url: this.#urlOf(url).href }),
      ...(name !== undefined && { name: nameOf(name) }),
      ...(watches !== undefined && { watches: this.#watchesOf(watches) }),
    })
  }

  async setPaused(id: string, isPaused: boolean): Promise<WebhookView> {
    return this.#put({ ...this.#needs.book.get(id), isPaused, trouble: undefined })
  }

  async remove(id: string): Promise<void> {
    const { book } = this.#needs
    await book.removeReceiver(book.get(id).id)
  }

  async renewSecret(id: string): Promise<{ webhook: WebhookView; secret: string }> {
    const { book, clock, random } = this.#needs
    const receiver = book.get(id)
    const secret = newSecret(random)
    const untilMs = Math.floor(clock.nowMs()) + overlapMs
    // One of before, at most.
    const former = receiver.secrets.slice(0, 1).map((one) => ({ ...one, untilMs }))
    return {
      webhook: await this.#put({ ...receiver, secrets: [{ secret, untilMs: undefined }, ...former] }),
      secret,
    }
  }

  /** Sends it something that says nothing. */
  async trial(id: string): Promise<WebhookView> {
    const { book, clock, random } = this.#needs
    const receiver = book.get(id)
    const nowMs = Math.floor(clock.nowMs())
    const message = {
      receiver: receiver.id,
      id: `msg_${random.uuid()}`,
      watch: '',
      createdAtMs: nowMs,
      nextAtMs: nowMs,
      body: trialMessage(nowMs),
    }
    let committed = (): void => {}
    await book.map.transaction(() => {
      committed = book.enqueue(message)
    })
    committed()
    await book.map.flush()
    this.#needs.wake?.(receiver.id)
    return this.#view(receiver)
  }

  /** Newest first. */
  deadLetters(id: string, limit: number): WebhookMessage[] {
    const { book } = this.#needs
    return book.deadLetters(book.get(id).id, limit)
  }

  /** All of them, or one. How many are on their way again. */
  async resend(id: string, message?: string): Promise<number> {
    const { book, clock } = this.#needs
    const receiver = book.get(id)
    const count = await book.revive(receiver.id, clock.nowMs(), message)
    if (message !== undefined && count === 0)
      throw new WatchesError('webhook-unknown', `There is no dead letter ${message.slice(0, 80)}.`)
    this.#needs.wake?.(receiver.id)
    return count
  }

  async #put(receiver: WebhookReceiver): Promise<WebhookView> {
    await this.#needs.book.putReceiver(receiver)
    this.#needs.wake?.(receiver.id)
    return this.#view(receiver)
  }

  #view({ secrets, ...receiver }: WebhookReceiver): WebhookView {
    const { book } = this.#needs
    return { ...receiver, waiting: book.waiting(receiver.id).length, dead: book.deadCount(receiver.id) }
  }

  #urlOf(written: unknown): Url {
    const typed = typeof written === 'string' ? written.trim() : ''
    if (typed === '' || typed.length > urlCharsMax || /^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i.test(typed))
      throw malformed('url must be the address that messages are sent to, such as https://example.org/hook')
    const url = /^https?:\/\//i.test(typed) ? parseUrl(typed) : urlFromTyped(`https://${typed}`)
    if (/^https?:\/\/[^/]*@/i.test(typed))
      throw malformed('url must have no user name or password: receivers know us by the signature')
    const refusal = this.#needs.refusalOfHost(url.host)
    if (refusal !== undefined)
      throw malformed(
        `${refusal}, to which a peer sends nothing unless it runs with --allow-address for that range`,
      )
    return url
  }

  #watchesOf(written: unknown): string[] {
    if (written === undefined || written === null || written === '') return []
    const ids = Array.isArray(written) ? written : [written]
    if (ids.length > watchesPerReceiverMax) throw malformed(`watches may be ${watchesPerReceiverMax} at most`)
    for (const id of ids)
      if (typeof id !== 'string' || !this.#needs.isWatch(id))
        throw new WatchesError('watch-unknown', `There is no watch ${JSON.stringify(id).slice(0, 80)}.`)
    return ids as string[]
  }
}

function nameOf(written: unknown): string {
  if (written === undefined || written === null) return ''
  if (typeof written !== 'string') throw malformed('name must be a text')
  return written.trim().slice(0, nameCharsMax).toWellFormed()
}

function malformed(sentence: string): WatchesError {
  return new WatchesError('webhook-malformed', `${sentence}.`)
}
