// Where an experiment runs: a folder of its own on the disk to be measured, stores and file trees in it, progress.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contentSideWork } from '../../src/app/threads/content-threads.ts'
import { settings } from '../../src/config/settings.ts'
import { realCompressor } from '../../src/platform/real/compression/compressor.ts'
import { localWorld } from '../../src/platform/real/local-world.ts'
import { sampleOptions } from '../../src/store/fixtures/sample-captures.ts'
import { Store, type StoreOptions } from '../../src/store/store.ts'
import { FileTree } from './file-tree.ts'
import { Floor } from './floor.ts'
import { dropPageCache } from './page-cache.ts'

export interface SceneOptions {
  /** On the disk to be measured; the system's temporary folder when not given. */
  folder?: string | undefined
  /** Of 256 × 256 for the file tree; fewer in a test. */
  treeFolders?: number
  /** False in a test, which has no business with the rest of the machine. */
  dropsPageCache?: boolean
  print?: (text: string) => void
  progress?: (text: string) => void
}

/** As it is configured by default. */
const level = settings['store.compressionLevel'].default
const compression = { kind: 'gzip', level } as const

export class Scene {
  readonly #options: SceneOptions
  readonly #stores = new Set<Store>()
  #folder: string | undefined
  #tree: FileTree | undefined
  #names = 0

  constructor(options: SceneOptions = {}) {
    this.#options = options
  }

  print(text: string): void {
    this.#options.print?.(text)
  }

  progress(text: string): void {
    this.#options.progress?.(text)
  }

  /** Makes the next reads come from disk. False where that cannot be done. */
  dropPageCache(): boolean {
    return (this.#options.dropsPageCache ?? true) && dropPageCache()
  }

  /** A path that nothing else uses. */
  async path(name: string): Promise<string> {
    this.#folder ??= await mkdtemp(join(this.#options.folder ?? tmpdir(), 'polyhistor-bench-'))
    return join(this.#folder, `${name}-${++this.#names}`)
  }

  async openStore(options: Partial<StoreOptions> = {}, folder?: string): Promise<Store> {
    const needs = { ...localWorld(), compressor: realCompressor }
    const store = await Store.open(needs, folder ?? (await this.path('store')), {
      ...sampleOptions,
      compression,
      ...options,
    })
    const side = contentSideWork()
    if (side !== undefined) store.readWith(side)
    this.#stores.add(store)
    return store
  }

  async openFloor(): Promise<Floor> {
    return Floor.open(await this.path('floor'), { compressor: realCompressor, level })
  }

  /** Closes it and frees its room. */
  async removeStore(store: Store): Promise<void> {
    await this.closeStore(store)
    await rm(store.folder, { recursive: true })
  }

  async closeStore(store: Store): Promise<void> {
    this.#stores.delete(store)
    await store.close()
  }

  /** One for all experiments: making its folders takes long. Whoever puts into it deletes again. */
  async tree(): Promise<FileTree> {
    this.#tree ??= new FileTree(await this.path('files'), this.#options.treeFolders)
    return this.#tree
  }

  async end(): Promise<void> {
    for (const store of this.#stores) await store.close()
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true })
  }
}
