// An answer as it was made of a capture, for whoever asks for the same: a page is read by many, and rewritten once. It was
// verified when it was made, and depends on nothing but what was asked for.

import type { HttpAnswer } from '../world/http-server.ts'
import type { Content } from './content.ts'

export interface MadeAnswer {
  readonly content: Content & { readonly body: Uint8Array }
  /** The whole of it, for those who ask for the whole. */
  readonly answer: HttpAnswer
}

/** Headers and bookkeeping, roughly. */
const overheadBytes = 4_000

export function sizeOfAnswer({ content }: MadeAnswer): number {
  return content.body.length + overheadBytes
}
