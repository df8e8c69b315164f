// The captures that this peer holds, as keeping copies of them needs the store.

import type {
  CaptureCopy,
  CopyOffer,
  ReceivedCopy,
  ReceiveOutcome,
  TakeOptions,
} from '../../../store/copying/copying.ts'
import type { RangeSums } from '../sums/range-sums.ts'
import type { Roster } from '../sums/roster.ts'

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
