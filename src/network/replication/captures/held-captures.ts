// The captures that this peer holds, as keeping copies of them needs the store. Somebody else joins the two.

import type { RingKey } from '../../../model/ring-key.ts'
import type { RangeSums } from '../sums/range-sums.ts'
import type { Roster } from '../sums/roster.ts'

/** A capture's records, as stored or whole. */
export type CaptureCopy = Uint8Array | FlowingCopy

/** Too large for a message. */
export interface FlowingCopy extends AsyncIterable<Uint8Array> {
  /** Where it is as stored. */
  readonly stored?: StoredCopy
}

/** Whoever has so many bytes with this checksum of a capture has the same ones. */
export interface StoredBytes {
  readonly sizeBytes: number
  /** CRC-32. */
  readonly checksum: number
}

export interface StoredCopy extends StoredBytes {
  from(offset: number): AsyncIterable<Uint8Array>
}

/** A capture that can be given. Nothing of it has been read yet. */
export interface CopyOffer {
  /** Exact for what goes as it is stored, else about so many. */
  readonly sizeBytes: number
  /** Known here at first hand, and of its second the first. */
  readonly isFirst?: boolean | undefined
  /** `memory`: where to put it, if it fits and goes as it is stored. Throws a PolyhistorError when it cannot be read. */
  read(memory?: Uint8Array): Promise<CaptureCopy>
}

/** What is taken: by its name it goes on where an earlier attempt was cut off. */
export type ReceivedCopy = CaptureCopy | { readonly name: string; readonly stored: StoredCopy }

/** `lacking`: it rests on another that is not here, and must come after that, or whole. */
export type ReceiveOutcome = 'kept' | 'known' | 'lacking' | 'taken-down'

/** What the records of a capture say of it, for whoever decides whether it is kept. */
export interface AdmittedCapture {
  /** Of its site. */
  readonly ringKey: RingKey
  readonly surt: string
  readonly capturedAtMs: number
  /** The peer that imported it; undefined for one that was crawled. */
  readonly importedBy?: string | undefined
}

/** As what it is kept. */
export interface Admitted {
  /** The peer that counts as having brought it; undefined when it counts as crawled. */
  readonly importedBy?: string | undefined
  /** Now; undefined when whoever brought it crawled it, as far as we know. */
  readonly heardAtMs?: number | undefined
}

export interface TakeOptions {
  /** The end of taking another that it may rest on; never rejects. */
  readonly before?: Promise<void> | undefined
  /** Throws when the capture is not to be kept. */
  readonly admit?: ((capture: AdmittedCapture) => Admitted) | undefined
}

export interface HeldCaptures {
  /** Over all captures. */
  readonly sums: RangeSums
  /** Keys begin with the ring key; what follows orders a URL's captures by time. */
  readonly roster: Roster & {
    /** The capture's name in the store; undefined when it is not here. */
    cursorOf(key: Uint8Array): string | undefined
    /** When the capture with this key was captured. */
    momentOf(key: Uint8Array): number
  }
  /** undefined when it is not here. Throws a PolyhistorError when it cannot be read. */
  give(cursor: string, options?: { isWhole?: boolean }): Promise<CaptureCopy | undefined>
  /** As `give`, for whoever wants to know first how much it is. */
  offer(cursor: string, options?: { isWhole?: boolean }): CopyOffer | undefined
  /** Resolves when it is durable. Throws a PolyhistorError when a byte of it is wrong, or there is no room, and what `admit`
   * throws. */
  take(copy: ReceivedCopy, options?: TakeOptions): Promise<ReceiveOutcome>
  /** Of each a digest over the nonce and what it reads as: the same with everybody who has it. undefined where it is not here, or
   * cannot be read. */
  possession(cursors: readonly (string | undefined)[], nonce: Uint8Array): Promise<(Uint8Array | undefined)[]>
  /** Resolves when all that can be seen is durable. */
  flush(): Promise<void>
  /** Forgets them here. */
  drop(cursors: readonly string[]): Promise<number>
}
