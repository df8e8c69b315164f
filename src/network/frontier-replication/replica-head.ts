// Replica head: the record on disk of another peer's site: how far our copy is, and which epochs are refused.

import { MessageReader, MessageWriter } from '../../formats/wire/message-bytes.ts'
import type { LogPosition } from './log-position.ts'

export interface ReplicaHead {
  /** undefined when there is no copy. */
  readonly position: LogPosition | undefined
  readonly slot: number
  /** Changes from lease holders of earlier epochs are refused. */
  readonly fence: number
  /** The last epoch of which a majority of the members is known to have the site. */
  readonly established: number
}

export const noReplica: ReplicaHead = { position: undefined, slot: 0, fence: 0, established: 0 }

export function encodeHead({ position, slot, fence, established }: ReplicaHead): Uint8Array {
  const writer = new MessageWriter().byte(slot).number(fence).number(established)
  writer.byte(position === undefined ? 0 : 1)
  if (position !== undefined) writer.number(position.epoch).number(position.sequence)
  return writer.finish()
}

export function decodeHead(bytes: Uint8Array): ReplicaHead {
  const reader = new MessageReader(bytes)
  const [slot, fence, established] = [reader.number(1), reader.counter(), reader.counter()]
  const position = reader.byte() === 0 ? undefined : { epoch: reader.counter(), sequence: reader.counter() }
  return { position, slot, fence, established }
}
