// A piece of something that is too large for one message.

import { flag, rest } from './message-fields.ts'
import { type Out, record } from './message-schema.ts'

export const messagePiece = record({ isLast: flag, bytes: rest })
export type Piece = Out<typeof messagePiece>
