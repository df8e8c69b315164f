// What peers ask each other about contents, and the answers, as bytes.
//
// To who owns the digests: are these known (`ask`), these are kept now (`register`), these are needed, or no more (`need`),
// where are these (`where`). To the others of its set: rows of the directory (`copy`). To who should keep contents: do you have
// these, hold these, let them go.

import { MessageMalformed, MessageReader, MessageWriter } from '../../formats/wire/message-bytes.ts'
import type { Digest } from '../../model/digest.ts'
import type { RingKey } from '../../model/ring-key.ts'
import {
  type ContentPlace,
  type ContentRow,
  type FirstCapture,
  type Need,
  readCapture,
  readDigest,
  readKey,
  readNeed,
  readPlace,
  readRow,
  writeCapture,
  writeNeed,
  writePlace,
  writeRow,
} from './content-row.ts'

/** A payload that a peer is about to keep, of a page of that site. */
export interface AskedContent {
  readonly digest: Digest
  readonly sizeBytes: number
  readonly site: RingKey
}

export interface HeldAt {
  readonly digest: Digest
  /** Where the captures are that it came with. */
  readonly place: RingKey
}

export type ContentQuestion =
  | { readonly kind: 'ask'; readonly items: readonly AskedContent[] }
  | { readonly kind: 'register'; readonly items: readonly ContentPlace[] }
  | { readonly kind: 'need'; readonly items: readonly Need[] }
  | { readonly kind: 'where'; readonly items: readonly { readonly digest: Digest }[] }
  | { readonly kind: 'copy'; readonly items: readonly ContentRow[] }
  | { readonly kind: 'have' | 'hold' | 'let-go'; readonly items: readonly HeldAt[] }
  /** Of the content itself: a question of the shelf. */
  | { readonly kind: 'read'; readonly bytes: Uint8Array }

/** `foreign`: the digest is not the answerer's. `known`: kept with that capture; held for the asker when it asked for that. */
export type OwnerAnswer =
  | { readonly kind: 'foreign' | 'unknown' | 'taken' }
  | { readonly kind: 'known'; readonly capture: FirstCapture }

export const itemsMax = 256
const kinds = ['ask', 'register', 'need', 'where', 'copy', 'have', 'hold', 'let-go', 'read'] as const
const answerKinds = ['foreign', 'unknown', 'taken', 'known'] as const

export function writeContentQuestion(question: ContentQuestion): Uint8Array {
  const writer = new MessageWriter().byte(kinds.indexOf(question.kind))
  if (question.kind === 'read') return writer.fixed(question.bytes).finish()
  writer.number(question.items.length)
  switch (question.kind) {
    case 'ask':
      for (const { digest, sizeBytes, site } of question.items)
        writer.fixed(digest.bytes).number(sizeBytes).hex(site)
      break
    case 'register':
      for (const item of question.items) writePlace(writer, item)
      break
    case 'need':
      for (const item of question.items) writeNeed(writer, item)
      break
    case 'where':
      for (const { digest } of question.items) writer.fixed(digest.bytes)
      break
    case 'copy':
      for (const item of question.items) writeRow(writer, item)
      break
    default:
      for (const { digest, place } of question.items) writer.fixed(digest.bytes).hex(place)
  }
  return writer.finish()
}

export function readContentQuestion(bytes: Uint8Array): ContentQuestion {
  const reader = new MessageReader(bytes)
  const kind = kinds[reader.byte()]
  if (kind === undefined) throw new MessageMalformed('an unknown question about contents')
  if (kind === 'read') return { kind, bytes: reader.rest() }
  const items = <Item>(read: () => Item): Item[] => Array.from({ length: reader.number(itemsMax) }, read)
  switch (kind) {
    case 'ask':
      return {
        kind,
        items: items(() => ({
          digest: readDigest(reader),
          sizeBytes: reader.counter(),
          site: readKey(reader),
        })),
      }
    case 'register':
      return { kind, items: items(() => readPlace(reader)) }
    case 'need':
      return { kind, items: items(() => readNeed(reader)) }
    case 'where':
      return { kind, items: items(() => ({ digest: readDigest(reader) })) }
    case 'copy':
      return { kind, items: items(() => readRow(reader)) }
    default:
      return { kind, items: items(() => ({ digest: readDigest(reader), place: readKey(reader) })) }
  }
}

export function writeOwnerAnswers(answers: readonly OwnerAnswer[]): Uint8Array {
  const writer = new MessageWriter()
  for (const answer of answers) {
    writer.byte(answerKinds.indexOf(answer.kind))
    if (answer.kind === 'known') writeCapture(writer, answer.capture)
  }
  return writer.finish()
}

export function readOwnerAnswers(bytes: Uint8Array, count: number): OwnerAnswer[] {
  const reader = new MessageReader(bytes)
  return Array.from({ length: count }, () => {
    const kind = answerKinds[reader.byte()]
    if (kind === undefined) throw new MessageMalformed('an unknown answer about a content')
    return kind === 'known' ? { kind, capture: readCapture(reader) } : { kind }
  })
}

export function writeFlags(flags: readonly boolean[]): Uint8Array {
  return Uint8Array.from(flags, (flag) => (flag ? 1 : 0))
}

export function readFlags(bytes: Uint8Array, count: number): boolean[] {
  if (bytes.length < count) throw new MessageMalformed('it answers less than was asked')
  return Array.from({ length: count }, (_, index) => bytes[index] === 1)
}
