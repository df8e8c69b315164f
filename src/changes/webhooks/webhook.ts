// Webhook: who is told of what watches see, and the messages that are on their way to them.

import { counter, flag, optionalText, text } from '../../formats/wire/message-fields.ts'
import { list, optional, record, type Schema } from '../../formats/wire/message-schema.ts'

export interface WebhookReceiver {
  readonly id: string
  readonly url: string
  /** '' for none. */
  readonly name: string
  readonly createdAtMs: number
  /** The watches that it is told of; none: all, also those to come. */
  readonly watches: readonly string[]
  readonly isPaused: boolean
  /** The newest first. More than one while receivers change over. */
  readonly secrets: readonly WebhookSecret[]
  /** The last message that it took. */
  readonly takenAtMs: number | undefined
  /** Why the last attempt failed; undefined when it did not. */
  readonly trouble: string | undefined
  /** Dead letters that were dropped for newer ones. */
  readonly droppedCount: number
}

interface WebhookSecret {
  /** `whsec_…`. Never shown but once. */
  readonly secret: string
  /** undefined: for good. */
  readonly untilMs: number | undefined
}

export interface WebhookMessage {
  readonly receiver: string
  /** Its place among those of its receiver. */
  readonly sequence: number
  /** The same at every attempt: receivers know by it what they have. */
  readonly id: string
  /** '' for a trial. */
  readonly watch: string
  readonly createdAtMs: number
  readonly attempts: number
  /** Not before. */
  readonly nextAtMs: number
  readonly trouble: string | undefined
  /** JSON, as it is sent each time. */
  readonly body: string
}

export const watchesPerReceiverMax = 1_000
/** URLs may be long. */
const bodyBytesMax = 1024 * 1024
const troubleBytesMax = 1_000
const idBytesMax = 100

export const receiverCoding: Schema<WebhookReceiver> = record({
  version: counter,
  id: text(idBytesMax),
  url: text(8_192),
  name: text(1_000),
  createdAtMs: counter,
  watches: list(text(idBytesMax), watchesPerReceiverMax),
  isPaused: flag,
  secrets: list(record({ secret: text(200), untilMs: optional(counter) }), 8),
  takenAtMs: optional(counter),
  trouble: optionalText(troubleBytesMax),
  droppedCount: counter,
}).as(
  ({ version, ...receiver }) => receiver as WebhookReceiver,
  (receiver: WebhookReceiver) => ({ version: 1, ...receiver }),
)

export const messageCoding: Schema<WebhookMessage> = record({
  version: counter,
  receiver: text(idBytesMax),
  sequence: counter,
  id: text(idBytesMax),
  watch: text(idBytesMax),
  createdAtMs: counter,
  attempts: counter,
  nextAtMs: counter,
  trouble: optionalText(troubleBytesMax),
  body: text(bodyBytesMax),
}).as(
  ({ version, ...message }) => message as WebhookMessage,
  (message: WebhookMessage) => ({ version: 1, ...message }),
)
