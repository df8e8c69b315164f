// Moves everything off a volume folder that is to go: a disk that is old, or wanted elsewhere.
//
// The folder takes no more writes from the start; when all its volumes are empty they are removed, and the folder is
// forgotten. Stopped or killed half-way it stays read-only, and asking again goes on.

import { isBucketAddress } from '../../platform/storage/bucket.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { VolumeEntry } from '../index/volume-entry.ts'
import type { KeyedMutex } from '../keyed-mutex.ts'
import { StoreError } from '../store-error.ts'
import type { Volumes } from '../volumes/volumes.ts'
import type { WorkProgress } from './compaction.ts'
import { livingBytesIn, type RelocationRoom, relocationTurn } from './relocation-room.ts'
import type { VolumeEvacuation } from './volume-evacuation.ts'

export interface MoveOffOptions {
  signal?: AbortSignal | undefined
  progress?: ((progress: WorkProgress) => void) | undefined
}

interface Needs {
  index: StoreIndex
  volumes: Volumes
  evacuation: VolumeEvacuation
  room: RelocationRoom
  mutex: KeyedMutex
}

export class FolderEvacuation {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Resolves when the folder holds nothing of the store and is forgotten. */
  moveOff(path: string, options: MoveOffOptions = {}): Promise<void> {
    return this.#needs.mutex.run(relocationTurn, () => this.#run(path, options))
  }

  async #run(path: string, options: MoveOffOptions): Promise<void> {
    const { index, volumes, evacuation, room } = this.#needs
    const folder = volumes.folderNumber(path)
    await this.#checkRoom(folder, path)
    await volumes.setFolder(path, 'read-only')
    await evacuation.removeEmptied()
    let movedBytes = 0
    for (;;) {
      const inside = this.#volumesIn(folder)
      if (inside.length === 0) break
      const numbers = inside.map(([number]) => number)
      const moved = (bytes: number) => {
        movedBytes += bytes
        options.progress?.({ doneBytes: movedBytes, totalBytes: movedBytes + livingBytesIn(index, numbers) })
      }
      const chosen = await room.choose(inside, folder)
      const left = await evacuation.empty(chosen, { notFolder: folder, signal: options.signal, moved })
      if (left.length > 0) throw stuck(path, left)
    }
    await volumes.removeFolder(path)
  }

  /** Before anything is changed. The rest shows while it runs: others write as well. */
  async #checkRoom(folder: number, path: string): Promise<void> {
    const { index, room } = this.#needs
    const others = [...index.folders()].filter(
      ([number, { mode, path: other }]) =>
        number !== folder && mode === 'writable' && !isBucketAddress(other),
    )
    if (others.length === 0) {
      throw new StoreError(
        'store-no-room',
        `${path} is the only volume folder that takes writes. Add another first: polyhistor store volumes --add FOLDER`,
      )
    }
    const needed = Math.min(...this.#volumesIn(folder).map(([number]) => livingBytesIn(index, [number])))
    const free = await room.freeBytes(folder)
    if (needed <= free || needed === Number.POSITIVE_INFINITY) return
    throw new StoreError(
      'store-no-room',
      `Moving off ${path} needs at least ${needed} bytes of room in another volume folder, and the roomiest has ${free}.`,
    )
  }

  #volumesIn(folder: number): [number, VolumeEntry][] {
    return [...this.#needs.index.volumes()].filter(([, volume]) => volume.folder === folder)
  }
}

function stuck(path: string, left: { path: string; reason: string }[]): StoreError {
  const [first] = left
  return new StoreError(
    'store-volume-missing',
    `${left.length} volumes of ${path} cannot be moved off. ${first!.path}: ${first!.reason}. Scrub the store to repair it, then try again.`,
  )
}
