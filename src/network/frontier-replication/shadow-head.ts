// Shadow head: what is known here of another's site, as it lies on disk.

import { MessageReader, MessageWriter } from '../../formats/wire/message-bytes.ts'
import type { Stage } from './stage.ts'

export interface ShadowHead {
  /** undefined when there is no copy. */
  readonly stage: Stage | undefined
  readonly slot: number
  /** Nothing of a steward of an earlier epoch is taken. */
  readonly fence: number
  /** Of this epoch it is known that a majority of its members have the site. */
  readonly established: number
}

export const noShadow: ShadowHead = { stage: undefined, slot: 0, fence: 0, established: 0 }

export function encodeHead({ stage, slot, fence, established }: ShadowHead): Uint8Array {
  const writer = new MessageWriter().byte(slot).number(fence).number(established)
  writer.byte(stage === undefined ? 0 : 1)
  if (stage !== undefined) writer.number(stage.epoch).number(stage.sequence)
  return writer.finish()
}

export function decodeHead(bytes: Uint8Array): ShadowHead {
  const reader = new MessageReader(bytes)
  const [slot, fence, established] = [reader.number(1), reader.counter(), reader.counter()]
  const stage = reader.byte() === 0 ? undefined : { epoch: reader.counter(), sequence: reader.counter() }
  return { stage, slot, fence, established }
}
