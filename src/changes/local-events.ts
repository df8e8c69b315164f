// Local events: what telling events to others needs of the log that a peer keeps of its sites. The frontier has it.

import type { RingKey } from '../model/ring-key.ts'

/** Stamp, site and number of an event, as bytes whose order is that of reading. */
export const positionBytes = 20

export interface LocalEvent {
  /** The same for all events of a site. */
  readonly prefix: string
  readonly site: RingKey
  readonly stamp: number
  readonly position: Buffer
  /** See event-coding.ts. */
  readonly bytes: Uint8Array
}

/** Of sites whose generation is behind `takenAfter`, up to `generation`. */
export interface LocalRange {
  readonly after: Buffer
  readonly upTo?: Buffer | undefined
  readonly takenAfter: number
  readonly generation: number
  readonly countMax: number
  readonly bytesMax: number
}

export interface LocalPage {
  readonly events: readonly LocalEvent[]
  /** Where to go on. */
  readonly next: Buffer
  readonly isEnd: boolean
}

export interface LocalEvents {
  /** Of the site that was taken over last. */
  readonly generation: number
  /** Sites that are here and cannot be read yet. */
  readonly comingCount: number
  /** The largest stamp of an event that is not kept any more. */
  readonly droppedUpTo: number
  /** All later events have larger stamps than this. */
  promise(): number
  /** Stamps are to be larger than this from now on. */
  pass(stamp: number): void
  page(range: LocalRange): LocalPage
  onAppended(listener: () => void): () => void
}

/** Behind all events of this stamp. */
export function positionAfter(stamp: number): Buffer {
  const position = Buffer.alloc(positionBytes, 0xff)
  position.writeUIntBE(stamp, 0, 6)
  return position
}

export function stampOf(position: Uint8Array): number {
  return Buffer.from(position.buffer, position.byteOffset, position.byteLength).readUIntBE(0, 6)
}
