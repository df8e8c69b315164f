// Captures on their way from one store to another: replicas give them to each other, and take them.
//
// A capture is sent as its records are stored, compressed once by the peer that captured it; only what the receiver cannot
// resolve (a revisit of a payload that it lacks, a delta on a version that it lacks) goes whole, when it says so. What goes is a
// stretch of a WARC file, so nothing but the records themselves is believed: every payload must have its digest, or nothing is
// kept. Taking the same capture again does nothing.

import type { RingKey } from '../../model/ring-key.ts'
import type { EnteredCapture } from '../capture-indexing.ts'
import { CopyReceiver, type ReceiverNeeds } from './copy-receiver.ts'
import { CopySender, type SenderNeeds } from './copy-sender.ts'
import type { CopyWorkers } from './whole-copies.ts'

/** A capture's records, the main one first. */
export type CaptureCopy = Uint8Array | FlowingCopy

/** Too large for memory. */
export interface FlowingCopy extends AsyncIterable<Uint8Array> {
  /** Where these are the bytes that are stored. */
  readonly stored?: StoredCopy
}

/** Two peers with the same size and checksum of a capture have the same bytes: so parts can be fetched from either. */
export interface StoredBytes {
  readonly sizeBytes: number
  /** CRC-32. */
  readonly checksum: number
}

export interface StoredCopy extends StoredBytes {
  from(offset: number): AsyncIterable<Uint8Array>
}

/** What can be taken: also what is had in parts, and goes on where an earlier attempt at the same name was cut off. */
export type ReceivedCopy = CaptureCopy | { readonly name: string; readonly stored: StoredCopy }

/** `lacking`: it depends on a capture that is not here, and must come after that, or whole. */
export type ReceiveOutcome = 'kept' | 'known' | 'lacking' | 'taken-down'

/** What the records of a copy say of their capture, to decide whether it is kept. */
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
  /** Now, unless its sender is known to have crawled it. */
  readonly heardAtMs?: number | undefined
}

/** Throws when a capture is not to be kept. */
export type Admit = (capture: AdmittedCapture) => Admitted

export interface TakeOptions {
  /** Storing of an earlier capture that it may depend on, which is waited for if it depends on any; never rejects. */
  readonly before?: Promise<void> | undefined
  readonly admit?: Admit | undefined
  /** It was given whole: if it is a revisit all the same, its giver lacks what it repeats, too, and it waits for that here. */
  readonly isWhole?: boolean | undefined
}

/** As what a capture that came from elsewhere is kept. */
export function admittedAs(
  { url, capturedAtMs, importedBy }: Pick<EnteredCapture, 'url' | 'capturedAtMs' | 'importedBy'>,
  admit: Admit | undefined,
): Admitted {
  const { ringKey, surt } = url
  return admit === undefined ? { importedBy } : admit({ ringKey, surt, capturedAtMs, importedBy })
}

export interface GiveOptions {
  /** With its payload, whatever is stored here. */
  isWhole?: boolean
  /** Also what was taken down and may be brought back: for a peer that is to keep a copy, which hides it too. */
  mayBeHidden?: boolean
}

/** A capture that can be given. Nothing of it has been read yet. */
export interface CopyOffer {
  /** As the index tells: exact for what goes as it is stored, else about so many. */
  readonly sizeBytes: number
  /** Known here at first hand, and of its second the first: see model/same-second.ts. */
  readonly isFirst: boolean
  /** `memory`: where to put it, if it fits and goes as it is stored. Throws when it is damaged. */
  read(memory?: Uint8Array): Promise<CaptureCopy>
}

export class Copying {
  readonly #giving: CopySender
  readonly #receiver: CopyReceiver

  constructor(needs: SenderNeeds & ReceiverNeeds) {
    this.#giving = new CopySender(needs)
    this.#receiver = new CopyReceiver(needs)
  }

  /** undefined when the capture is not here, or not to be shown. */
  offer(cursor: string, options: GiveOptions = {}): CopyOffer | undefined {
    return this.#giving.offer(cursor, options)
  }

  /** undefined when the capture is not here, or not to be shown. Throws when it is damaged. */
  async give(cursor: string, options: GiveOptions = {}): Promise<CaptureCopy | undefined> {
    return this.offer(cursor, options)?.read()
  }

  /** Resolves when it is durable. Throws WarcDamage when a byte of it is wrong, and what `admit` throws; then nothing is kept. */
  take(copy: ReceivedCopy, options: TakeOptions = {}): Promise<ReceiveOutcome> {
    return this.#receiver.take(copy, options)
  }

  /** Nothing is taken any more. */
  close(): Promise<void> {
    return this.#receiver.close()
  }

  /** From now on what comes is checked there. */
  checkIn(workers: CopyWorkers): void {
    this.#receiver.checkIn(workers)
  }
}
