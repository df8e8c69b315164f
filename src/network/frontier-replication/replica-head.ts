// Replica head: the record on disk of another peer's site: how far our copy is, and which epochs are refused.
//
// Invariant: no copy is of a later epoch than the last that is let in. A record that says otherwise is damaged, and not read.

import { MessageMalformed, MessageReader, MessageWriter } from '../../formats/wire/message-bytes.ts'
import { sealed, unsealed } from '../../formats/wire/sealed-record.ts'
import { isPossible, type LogPosition } from './log-position.ts'

/** Those below the first are of older versions, in which two sites whose ids begin alike shared them: nothing new comes into
 * them. */
export const slots = { first: 2, second: 3 } as const

export interface ReplicaHead {
  /** undefined when there is no copy. */
  readonly position: LogPosition | undefined
  readonly slot: number
  /** Changes from lease holders of earlier epochs are refused. */
  readonly fence: number
  /** The last epoch of which a majority of the members is known to have the site. */
  readonly established: number
}

export const noReplica: ReplicaHead = { position: undefined, slot: slots.first, fence: 0, established: 0 }

export function encodeHead({ position, slot, fence, established }: ReplicaHead): Uint8Array {
  const writer = new MessageWriter().byte(slot).number(fence).number(established)
  writer.byte(position === undefined ? 0 : 1)
  if (position !== undefined) writer.number(position.epoch).number(position.sequence)
  return sealed(writer.finish())
}

/** Throws MessageMalformed for what is damaged. */
export function decodeHead(stored: Uint8Array): ReplicaHead {
  const reader = new MessageReader(unsealed(stored))
  const [slot, fence, established] = [reader.number(slots.second), reader.counter(), reader.counter()]
  const position = reader.byte() === 0 ? undefined : { epoch: reader.counter(), sequence: reader.counter() }
  if (position !== undefined && !isPossible(position, fence))
    throw new MessageMalformed('a copy of a site that cannot be')
  return { position, slot, fence, established }
}
