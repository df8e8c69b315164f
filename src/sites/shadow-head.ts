// Shadow head: what is known here of another's site, as it lies on disk.

import { MessageReader, MessageWriter } from '../record/message-bytes.ts'
import type { Position } from './position.ts'

export interface ShadowHead {
  /** undefined when there is no copy. */
  readonly position: Position | undefined
  readonly slot: number
  /** Nothing of a steward of an earlier epoch is taken. */
  readonly fence: number
  /** Of this epoch it is known that a majority of its members have the site. */
  readonly established: number
}

export const noShadow: ShadowHead = { position: undefined, slot: 0, fence: 0, established: 0 }

export function encodeHead({ position, slot, fence, established }: ShadowHead): Uint8Array {
  const writer = new MessageWriter().byte(slot).number(fence).number(established)
  writer.byte(position === undefined ? 0 : 1)
  if (position !== undefined) writer.number(position.epoch).number(position.sequence)
  return writer.finish()
}

export function decodeHead(bytes: Uint8Array): ShadowHead {
  const reader = new MessageReader(bytes)
  const [slot, fence, established] = [reader.byte(), reader.number(), reader.number()]
  const position = reader.byte() === 0 ? undefined : { epoch: reader.number(), sequence: reader.number() }
  return { position, slot, fence, established }
}
