// A place that volumes lie in: a folder of this machine, or a bucket elsewhere. New records are only written in folders; a bucket
// takes volumes that are closed, whole.
//
// Failures are StoreError or DiskError: 'store-bucket-unavailable' where a bucket cannot be asked now, which says nothing about
// what lies there.

import type { RandomAccess } from '../../import/source.ts'

/** A volume that is open for reading. A DiskFile is one. */
export interface VolumeFile extends RandomAccess {
  readonly path: string
  read(position: number, length: number, memory?: Uint8Array): Promise<Uint8Array>
  /** See DiskFile. Buckets have none. */
  readAtOnce?(position: number, memory: Uint8Array): Uint8Array | undefined
  close(): Promise<void>
}

/** A closed volume as it lies in another place. */
export interface WholeVolume {
  readonly name: string
  readonly sizeBytes: number
  /** Of all of it, in hex, where that place knows. */
  readonly sha256: string | undefined
  /** From a position to its end. */
  chunks(start: number): AsyncIterable<Uint8Array>
}

export interface ReceiveOptions {
  readonly signal?: AbortSignal | undefined
  /** Told of bytes as they arrive, or are found to be there already. */
  readonly received?: ((bytes: number) => void) | undefined
}

export interface VolumePlace {
  readonly path: string
  /** Whether records can be appended to volumes there. */
  readonly isWritable: boolean
  /** Made ready to take volumes of this store. `holdsVolumes`: by the index, some lie there already. */
  prepare(store: string, holdsVolumes: boolean): Promise<void>
  /** Names and sizes of everything that lies there. */
  list(): Promise<{ name: string; sizeBytes: number }[]>
  open(name: string): Promise<VolumeFile>
  /** undefined: there is none of this name. */
  sizeOf(name: string): Promise<number | undefined>
  /** The place itself cannot be reached: what lies there cannot be told. */
  isAway(name: string): Promise<boolean>
  /** For good. Fine when it is not there. */
  remove(name: string): Promise<void>
  /** To hand it over: past any cache. */
  whole(name: string, sizeBytes: number): Promise<WholeVolume>
  /** Resolves when it lies here for good, and was read again and is the same byte for byte. Goes on where an earlier try stopped. */
  receive(volume: WholeVolume, options?: ReceiveOptions): Promise<void>
}
