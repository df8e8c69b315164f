// An answer as it was made of a capture, for whoever asks for the same: a page is read by many, and rewritten once. It was
// verified when it was made, and depends on nothing but what was asked for.

import { ownBytes } from '../../formats/wire/own-bytes.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import type { Content } from './content.ts'

export interface MadeAnswer {
  readonly content: Content & { readonly body: Uint8Array }
  /** The whole of it, for those who ask for the whole. */
  readonly answer: HttpAnswer
}

/** Bookkeeping, roughly. */
const overheadBytes = 2_000

/** What is cached is to hold no more memory than it counts for. */
export function withOwnBody(content: Content): Content {
  return content.body instanceof Uint8Array ? { ...content, body: ownBytes(content.body) } : content
}

/** Headers are small but for those that name a long URL. */
export function sizeOfAnswer({ content, answer }: MadeAnswer): number {
  const headerBytes = answer.headers.reduce((bytes, [name, value]) => bytes + name.length + value.length, 0)
  return content.body.length + headerBytes + overheadBytes
}
