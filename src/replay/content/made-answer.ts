// An answer as it was made of a capture, for whoever asks for the same: a page is read by many, and rewritten once. It was
// verified when it was made, and depends on nothing but what was asked for.

import type { HttpAnswer } from '../../platform/network/http-server.ts'
import type { Content } from './content.ts'

export interface MadeAnswer {
  readonly content: Content & { readonly body: Uint8Array }
  /** The whole of it, for those who ask for the whole. */
  readonly answer: HttpAnswer
}

/** Bookkeeping, roughly. */
const overheadBytes = 2_000

/** Headers are small but for those that name a long URL. */
export function sizeOfAnswer({ content, answer }: MadeAnswer): number {
  const headerBytes = answer.headers.reduce((bytes, [name, value]) => bytes + name.length + value.length, 0)
  return content.body.length + headerBytes + overheadBytes
}
