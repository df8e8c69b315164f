// Imports by a running peer: the store takes in a file from this machine's disk, or one that was sent, and tells how far it has come.

import type { ImportRequest, ImportService, UploadRequest } from '../../api/v1/archive/archive-service.ts'
import type { WorkLine } from '../../api/v1/work-answer.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/storage/disk.ts'
import type { RandomAccess } from '../../store/import/source.ts'
import type { Store } from '../../store/store.ts'
import type { Paths } from '../platform.ts'
import type { ImportedCaptures } from './imported-captures.ts'
import type { Uploads } from './uploads.ts'
import { workLines } from './work-lines.ts'

export class PeerImports implements ImportService {
  readonly #store: Store
  readonly #clock: Clock
  readonly #disk: Disk
  readonly #paths: Paths
  readonly #uploads: Uploads
  readonly #captures: ImportedCaptures
  readonly #importedBy: string

  constructor(needs: {
    store: Store
    clock: Clock
    disk: Disk
    paths: Paths
    uploads: Uploads
    /** What becomes of each capture. */
    captures: ImportedCaptures
    /** This peer: its mark goes with every capture. */
    importedBy: string
  }) {
    this.#store = needs.store
    this.#clock = needs.clock
    this.#disk = needs.disk
    this.#paths = needs.paths
    this.#uploads = needs.uploads
    this.#captures = needs.captures
    this.#importedBy = needs.importedBy
  }

  async import(request: ImportRequest) {
    const path = await this.#paths.check(request.path, request.permit)
    const source = await this.#disk.open(path, 'read')
    return this.#lines(source, () => source.close(), request)
  }

  uploadBytesMax(): Promise<number> {
    return this.#uploads.bytesMax()
  }

  async upload({ chunks, signal }: UploadRequest) {
    const file = await this.#uploads.receive(chunks)
    const source = {
      sizeBytes: async () => file.sizeBytes,
      read: (position: number, length: number) => file.read(position, length),
    }
    return this.#lines(source, () => file.discard(), { again: false, signal })
  }

  async *#lines(
    source: RandomAccess,
    close: () => Promise<void>,
    { again, signal }: { again: boolean; signal: AbortSignal },
  ): AsyncGenerator<WorkLine> {
    try {
      yield* workLines(this.#clock, signal, (watch) =>
        this.#store.import(source, {
          again,
          others: this.#captures,
          importedBy: this.#importedBy,
          signal: watch.signal,
          whenProgress: watch.progress,
        }),
      )
    } finally {
      await close()
    }
  }
}
