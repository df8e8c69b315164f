// Outbox entry: links of one site that were offered together, as they lie in the outbox.
//
// The key is the site's ring key and a number that grows, so that entries lie in the order of the ring and, for each site, in
// the order of their coming.

import { MessageMalformed, MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { type RingKey, ringKeyBytes, ringKeyFromBytes } from '../../../model/ring-key.ts'
import { linkCharsMax } from '../../../model/url/url.ts'
import { keyAfter } from '../../../platform/storage/key-value.ts'
import { otherVersion } from '../exchange-error.ts'
import type { LinkText } from '../forwarded-link.ts'
import { jobIdBytesMax, readFacts, writeFacts } from '../wire/link-coding.ts'
import { decodeMentions, encodeMentions } from '../wire/mention-coding.ts'

/** 1 had no mentions. */
const version = 2

const mentionBytesMax = 16 * 1024
const sequenceBytes = 6
const sequenceEnd = 2 ** (8 * sequenceBytes) - 1
export const entryKeyBytes = ringKeyBytes + sequenceBytes

export interface OutboxEntry {
  readonly key: Buffer
  readonly ringKey: RingKey
  readonly links: readonly LinkText[]
  /** When it was offered, as the census counts. */
  readonly step: number
  readonly storedBytes: number
}

export function entryKey(ringKey: RingKey, sequence: number): Buffer {
  const key = Buffer.allocUnsafe(entryKeyBytes)
  key.write(ringKey, 'hex')
  key.writeUIntBE(sequence, ringKeyBytes, sequenceBytes)
  return key
}

/** Before all entries of an arc that begins with this text: a ring key, the least text after one, or nothing. */
export function entryStart(first: string): Buffer {
  const ringKey = first.slice(0, 2 * ringKeyBytes).padEnd(2 * ringKeyBytes, '0') as RingKey
  return entryKey(ringKey, first.length > ringKey.length ? sequenceEnd : 0)
}

/** After all entries of an arc that ends with this key. */
export function entryEnd(upTo: RingKey): Buffer {
  return keyAfter(entryKey(upTo, sequenceEnd))
}

export function ringKeyOfEntry(key: Uint8Array): RingKey {
  return ringKeyFromBytes(key.subarray(0, ringKeyBytes))
}

export function sequenceOfEntry(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUIntBE(ringKeyBytes, sequenceBytes)
}

/** Mostly a link or two, for which the sections of a batch would be more work than they save. */
export function writeEntry(step: number, links: readonly LinkText[]): Uint8Array {
  const writer = new MessageWriter().byte(version).number(step).number(links.length)
  for (const link of links) {
    writeFacts(writer.text(link.jobId), link).text(link.href)
    if (link.kind === 'mention') writer.bytes(encodeMentions([link.mention!]))
  }
  return writer.finish()
}

export function readEntry(key: Uint8Array, value: Uint8Array): OutboxEntry {
  const reader = new MessageReader(value)
  const written = reader.byte()
  if (written !== version && written !== 1) throw otherVersion('What lies in the outbox')
  const step = reader.number()
  const links = Array.from({ length: reader.count() }, () => readLink(reader))
  return { key: Buffer.from(key), ringKey: ringKeyOfEntry(key), links, step, storedBytes: value.length }
}

function readLink(reader: MessageReader): LinkText {
  const facts = readFacts(reader, reader.text(jobIdBytesMax))
  const href = reader.text(linkCharsMax)
  if (facts.kind !== 'mention') return { ...facts, href }
  const [mention] = decodeMentions(reader.bytes(mentionBytesMax))
  if (mention === undefined) throw new MessageMalformed('a mention is missing')
  return { ...facts, href, mention }
}
