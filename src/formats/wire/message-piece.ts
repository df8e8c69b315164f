// A piece of something that is too large for one message.

import { MessageReader, MessageWriter } from './message-bytes.ts'

export interface Piece {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

export function writePiece({ bytes, isLast }: Piece): Uint8Array {
  return new MessageWriter()
    .byte(isLast ? 1 : 0)
    .fixed(bytes)
    .finish()
}

export function readPiece(bytes: Uint8Array): Piece {
  const reader = new MessageReader(bytes)
  return { isLast: reader.byte() === 1, bytes: reader.rest() }
}
