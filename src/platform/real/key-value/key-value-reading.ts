// The maps of key-value.ts, only read: for a disk that is full or read-only. Nothing is written to their folders.
//
// A transaction may read; whatever it puts or removes fails with 'index-failure', as on a disk that takes no more. Over these maps
// a journaled one keeps its changes in memory (see localReadingWorld).
// LMDB keeps a lock file beside its data. Where none can be made, the data are linked to from a folder in memory or among the
// temporary files, and it is made there: whoever opens maps so holds the lock of the home, so nobody writes meanwhile.

import assert from 'node:assert/strict'
import { access, constants, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { open } from 'lmdb'
import type { Disk } from '../../storage/disk.ts'
import {
  type Entry,
  type KeyValue,
  KeyValueError,
  type KeyValues,
  type Table,
} from '../../storage/key-value.ts'
import { checkBeforeMapping } from './index-opening.ts'
import { attempt, byteFormat, mapBytes, RealTable, type Root, type State, tablesMax } from './key-value.ts'

/** Where there is room when disks are full. */
const memoryFolder = '/dev/shm'

export class ReadOnlyKeyValues implements KeyValues {
  readonly #disk: Disk

  constructor(needs: { disk: Disk }) {
    this.#disk = needs.disk
  }

  async open(folder: string): Promise<KeyValue> {
    const data = join(folder, 'data.mdb')
    if ((await this.#disk.stat(data)) === undefined) return new ReadOnlyKeyValue(undefined, async () => {})
    await checkBeforeMapping(this.#disk, folder)
    const lent = (await hasUsableLock(folder)) ? undefined : await linkTo(data)
    const forget = async (): Promise<void> => {
      if (lent !== undefined) await rm(lent, { recursive: true, force: true })
    }
    try {
      const root = attempt<Root>(() =>
        open({
          path: lent ?? folder,
          noSubdir: false,
          maxDbs: tablesMax + 1,
          readOnly: true,
          mapSize: mapBytes,
          ...byteFormat,
        }),
      )
      return new ReadOnlyKeyValue(root, forget)
    } catch (error) {
      await forget()
      throw error
    }
  }
}

class ReadOnlyKeyValue implements KeyValue {
  readonly #root: Root | undefined
  readonly #forget: () => Promise<void>
  readonly #tables = new Map<string, Table>()
  readonly #state: State = { transaction: undefined, closed: false }
  #closing: Promise<void> | undefined

  constructor(root: Root | undefined, forget: () => Promise<void>) {
    this.#root = root
    this.#forget = forget
  }

  table(name: string): Table {
    assert(!this.#state.closed, 'index is closed')
    let table = this.#tables.get(name)
    if (table === undefined) {
      table = new ReadOnlyTable(this.#below(name))
      this.#tables.set(name, table)
    }
    return table
  }

  async transaction<T>(action: () => T): Promise<T> {
    assert(!this.#state.closed, 'index is closed')
    return action()
  }

  async flush(): Promise<void> {}

  sizeBytes(): number {
    return 0
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#state.closed = true
    await this.#root?.close()
    await this.#forget()
  }

  /** undefined when there is none. */
  #below(name: string): Table | undefined {
    if (this.#root === undefined) return undefined
    try {
      return new RealTable(this.#root.openDB(name, byteFormat), this.#state)
    } catch (error) {
      if ((error as Error).message === 'Database not found') return undefined
      throw error
    }
  }
}

class ReadOnlyTable implements Table {
  readonly #below: Table | undefined

  constructor(below: Table | undefined) {
    this.#below = below
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#below?.get(key)
  }

  range(range?: Parameters<Table['range']>[0]): Iterable<Entry> {
    return this.#below?.range(range) ?? []
  }

  put(): void {
    throw onlyRead()
  }

  remove(): boolean {
    throw onlyRead()
  }
}

function onlyRead(): KeyValueError {
  return new KeyValueError('index-failure', 'The index is only read, for its disk is full or read-only.')
}

/** LMDB does without on a read-only file system. One that it would have to make could end the process on a full one. */
async function hasUsableLock(folder: string): Promise<boolean> {
  try {
    await access(join(folder, 'lock.mdb'), constants.R_OK | constants.W_OK)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS'
  }
}

/** Gives a folder in which a link leads to the data. */
async function linkTo(data: string): Promise<string> {
  for (const parent of [memoryFolder, tmpdir()]) {
    try {
      const folder = await mkdtemp(join(parent, 'polyhistor-read-'))
      await symlink(resolve(data), join(folder, 'data.mdb'))
      return folder
    } catch {
      // The next may do.
    }
  }
  throw new KeyValueError(
    'index-failure',
    `${data} cannot be read: there is no room for a lock file beside it, nor in ${memoryFolder} and ${tmpdir()}.`,
  )
}
