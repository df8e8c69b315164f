// Webhook book: receivers, the messages that wait for them, and dead letters, on disk.
//
// Bounded, whatever receivers do: so many receivers, so many messages for each (the oldest becomes a dead letter), so many dead letters of
// each (the oldest is dropped, and counted). What is to be tried when is in memory; bodies are read when they are sent.
// `enqueue` is called in the transaction that records what led to the message: both are kept, or none.

import type { KeyValue, Table } from '../../platform/storage/key-value.ts'
import { readable, readableEntries } from '../watches/readable-entries.ts'
import { namedBy } from '../watches/watch-book.ts'
import { WatchesError } from '../watches/watches-error.ts'
import { messageCoding, receiverCoding, type WebhookMessage, type WebhookReceiver } from './webhook.ts'

export const webhookTables = ['receivers', 'messages', 'deadLetters'] as const

export const receiversMax = 20
const sequenceBytes = 6

export interface WebhookLimits {
  readonly waitingMax: number
  readonly deadMax: number
}

export const webhookLimits: WebhookLimits = { waitingMax: 1_000, deadMax: 1_000 }

/** A message without its body. */
export type Waiting = Omit<WebhookMessage, 'body'>

export class WebhookBook {
  readonly map: KeyValue
  readonly #limits: WebhookLimits
  readonly #receiverTable: Table
  readonly #messages: Table
  readonly #dead: Table
  readonly #receivers = new Map<string, WebhookReceiver>()
  /** By receiver, in order. */
  readonly #waiting = new Map<string, Waiting[]>()
  #sequence = 0

  constructor(map: KeyValue, limits: WebhookLimits = webhookLimits) {
    this.map = map
    this.#limits = limits
    this.#receiverTable = map.table('receivers')
    this.#messages = map.table('messages')
    this.#dead = map.table('deadLetters')
    for (const receiver of readableEntries(this.#receiverTable, receiverCoding)) {
      this.#receivers.set(receiver.id, receiver)
      this.#waiting.set(receiver.id, [])
    }
    for (const message of readableEntries(this.#messages, messageCoding)) this.#remember(message)
    for (const { sequence } of readableEntries(this.#dead, messageCoding))
      this.#sequence = Math.max(this.#sequence, sequence)
  }

  receivers(): WebhookReceiver[] {
    return [...this.#receivers.values()]
  }

  /** By its id, or the beginning of it that no other has. Throws 'webhook-unknown'. */
  get(id: string): WebhookReceiver {
    const receiver = this.#receivers.get(id) ?? namedBy(this.#receivers, id)
    if (receiver === undefined)
      throw new WatchesError('webhook-unknown', `There is no webhook ${id.slice(0, 80)}.`)
    return receiver
  }

  find(id: string): WebhookReceiver | undefined {
    return this.#receivers.get(id)
  }

  waiting(id: string): readonly Waiting[] {
    return this.#waiting.get(id) ?? []
  }

  body(message: Waiting): string | undefined {
    const stored = this.#messages.get(keyOf(message))
    return stored && readable(messageCoding, stored)?.body
  }

  /** Newest first. */
  deadLetters(id: string, limit: number): WebhookMessage[] {
    const range = { ...below(id), reverse: true, limit }
    return [...readableEntries(this.#dead, messageCoding, range)]
  }

  deadCount(id: string): number {
    let count = 0
    for (const _ of this.#dead.range(below(id))) count++
    return count
  }

  async putReceiver(receiver: WebhookReceiver): Promise<void> {
    await this.map.transaction(() => this.#putReceiver(receiver))
    this.#receivers.set(receiver.id, receiver)
    if (!this.#waiting.has(receiver.id)) this.#waiting.set(receiver.id, [])
    await this.map.flush()
  }

  async removeReceiver(id: string): Promise<void> {
    await this.map.transaction(() => {
      this.#receiverTable.remove(Buffer.from(id))
      for (const table of [this.#messages, this.#dead])
        for (const [key] of [...table.range(below(id))]) table.remove(key)
    })
    this.#receivers.delete(id)
    this.#waiting.delete(id)
    await this.map.flush()
  }

  /** Only inside a transaction. What it gives back is called when that is committed. */
  enqueue(message: Omit<WebhookMessage, 'sequence' | 'attempts' | 'trouble'>): () => void {
    const whole = { ...message, sequence: ++this.#sequence, attempts: 0, trouble: undefined }
    this.#messages.put(keyOf(whole), messageCoding.encode(whole))
    const waiting = this.#waiting.get(message.receiver) ?? []
    // Several of one transaction may be too many by a few until the next.
    const oldest = waiting.slice(0, Math.max(0, waiting.length + 1 - this.#limits.waitingMax))
    for (const one of oldest) this.#bury({ ...one, trouble: 'Too many messages were waiting.' })
    return () => {
      for (const one of oldest) this.#forget(one)
      this.#remember(whole)
    }
  }

  /** It was taken. */
  async settle(message: Waiting, atMs: number): Promise<void> {
    const receiver = this.#receivers.get(message.receiver)
    const then = receiver && { ...receiver, takenAtMs: Math.floor(atMs), trouble: undefined }
    await this.map.transaction(() => {
      this.#messages.remove(keyOf(message))
      if (then !== undefined) this.#putReceiver(then)
    })
    this.#forget(message)
    if (then !== undefined) this.#receivers.set(then.id, then)
  }

  /** It is tried again at `nextAtMs`, or never when there is none. */
  async fail(message: Waiting, trouble: string, nextAtMs: number | undefined): Promise<void> {
    const receiver = this.#receivers.get(message.receiver)
    const then = receiver && { ...receiver, trouble }
    const tried = { ...message, attempts: message.attempts + 1, trouble }
    await this.map.transaction(() => {
      if (then !== undefined) this.#putReceiver(then)
      if (nextAtMs === undefined) this.#bury(tried)
      else {
        const body = this.body(message)
        if (body !== undefined)
          this.#messages.put(keyOf(message), messageCoding.encode({ ...tried, nextAtMs, body }))
      }
    })
    if (then !== undefined) this.#receivers.set(then.id, { ...this.#receivers.get(then.id)!, trouble })
    if (nextAtMs === undefined) this.#forget(message)
    else this.#replace({ ...tried, nextAtMs })
  }

  /** Puts dead letters behind what waits, to be tried from now on; all of them, or one by its id. How many. */
  async revive(receiver: string, nowMs: number, id?: string): Promise<number> {
    const revived: WebhookMessage[] = []
    await this.map.transaction(() => {
      revived.length = 0
      let room = this.#limits.waitingMax - this.waiting(receiver).length
      for (const [key, value] of [...this.#dead.range(below(receiver))]) {
        const letter = readable(messageCoding, value)
        if (letter === undefined || (id !== undefined && letter.id !== id) || room-- <= 0) continue
        const nextAtMs = Math.floor(nowMs)
        const again = { ...letter, sequence: ++this.#sequence, attempts: 0, nextAtMs, createdAtMs: nextAtMs }
        this.#dead.remove(key)
        this.#messages.put(keyOf(again), messageCoding.encode(again))
        revived.push(again)
      }
    })
    for (const message of revived) this.#remember(message)
    await this.map.flush()
    return revived.length
  }

  #putReceiver(receiver: WebhookReceiver): void {
    this.#receiverTable.put(Buffer.from(receiver.id), receiverCoding.encode(receiver))
  }

  /** From what waits to the dead letters, of which the oldest is dropped when there are too many. */
  #bury(message: Waiting): void {
    const body = this.body(message)
    this.#messages.remove(keyOf(message))
    if (body === undefined) return
    const keys = [...this.#dead.range(below(message.receiver))].map(([key]) => key)
    const over = keys.slice(0, Math.max(0, keys.length + 1 - this.#limits.deadMax))
    for (const key of over) this.#dead.remove(key)
    this.#dead.put(keyOf(message), messageCoding.encode({ ...message, body }))
    const receiver = this.#receivers.get(message.receiver)
    if (over.length === 0 || receiver === undefined) return
    const then = { ...receiver, droppedCount: receiver.droppedCount + over.length }
    this.#putReceiver(then)
    this.#receivers.set(then.id, then)
  }

  #remember(message: WebhookMessage): void {
    const { body, ...rest } = message
    this.#sequence = Math.max(this.#sequence, message.sequence)
    this.#waiting.get(message.receiver)?.push(rest)
  }

  #forget({ receiver, sequence }: Waiting): void {
    const waiting = this.#waiting.get(receiver)
    const at = waiting?.findIndex((one) => one.sequence === sequence) ?? -1
    if (at !== -1) waiting!.splice(at, 1)
  }

  #replace(message: Waiting): void {
    const waiting = this.#waiting.get(message.receiver)
    const at = waiting?.findIndex((one) => one.sequence === message.sequence) ?? -1
    if (at !== -1) waiting![at] = message
  }
}

function keyOf({ receiver, sequence }: Pick<WebhookMessage, 'receiver' | 'sequence'>): Buffer {
  const bytes = Buffer.alloc(sequenceBytes)
  bytes.writeUIntBE(sequence, 0, sequenceBytes)
  return Buffer.concat([Buffer.from(receiver), bytes])
}

/** Ids are of one length. */
function below(id: string): { from: Buffer; to: Buffer } {
  const from = Buffer.from(id)
  const to = Buffer.from(id)
  to[to.length - 1]!++
  return { from, to }
}
