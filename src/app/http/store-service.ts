// The store of a running peer, for the commands of its owner.

import type {
  FolderMode,
  NamedPath,
  PutRequest,
  StoreService,
  UpkeepRequest,
} from '../../api/v1/archive/archive-service.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/storage/disk.ts'
import { parseContentKey, printContentKey } from '../../store/contents/content-key.ts'
import type { Store } from '../../store/store.ts'
import type { Paths } from '../platform.ts'
import { contentOf } from '../store/file-content.ts'
import { setVolumeFolder, volumeFolders } from '../store/volume-folders.ts'
import { type WorkWatch, workLines } from './work-lines.ts'

export class PeerStoreService implements StoreService {
  readonly #store: Store
  readonly #clock: Clock
  readonly #disk: Disk
  readonly #paths: Paths

  constructor(needs: { store: Store; clock: Clock; disk: Disk; paths: Paths }) {
    this.#store = needs.store
    this.#clock = needs.clock
    this.#disk = needs.disk
    this.#paths = needs.paths
  }

  async put({ path, permit, mode, folder, type }: PutRequest): Promise<string> {
    const file = await this.#disk.open(await this.#paths.check(path, permit), 'read')
    try {
      return printContentKey(
        await this.#store.put(await contentOf(file), { mode, folder, contentType: type }),
      )
    } finally {
      await file.close()
    }
  }

  content(key: string) {
    return this.#store.get(parseContentKey(key))
  }

  delete(key: string) {
    return this.#store.delete(parseContentKey(key))
  }

  folders() {
    return volumeFolders(this.#store)
  }

  /** One that the store knows was allowed when it was added. */
  async setFolder({ path, permit }: NamedPath, mode: FolderMode, isNew: boolean) {
    const allowed = isNew ? await this.#paths.check(path, permit) : path
    await setVolumeFolder(this.#store, allowed, mode, isNew)
  }

  async upkeep(request: UpkeepRequest, signal: AbortSignal) {
    return workLines(this.#clock, signal, (watch) => this.#work(request, watch))
  }

  async #work(request: UpkeepRequest, watch: WorkWatch): Promise<object> {
    switch (request.task) {
      case 'scrub':
        return this.#store.scrub({
          bytesPerSecond: request.bytesPerSecond,
          restart: request.restart,
          ...watch,
        })
      case 'compact':
        return this.#store.compact({ deadShare: request.deadShare, ...watch })
      case 'move-off':
        await this.#store.moveOff(request.folder, watch)
        return {}
      case 'move-volumes':
        return this.#store.moveVolumes(request.to, { from: request.from, names: request.names, ...watch })
    }
  }
}
