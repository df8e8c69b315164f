// The lock of a home: a lock that the kernel keeps on the file `lock`, and drops when the process ends, SIGKILL included.
//
// Why SQLite: Node has no file locks of its own, and its SQLite has, on every system. It takes an exclusive lock on an
// empty database and writes nothing. A file with a process id in it would outlive its process and lie.

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type HeldHome, HomeError, type HomeLock } from '../../storage/home-lock.ts'
import { makeFolder } from './folder-making.ts'
import {
  describeHolder,
  type Holder,
  readHolder,
  removeHolder,
  thisProcess,
  writeHolder,
} from './home-holder.ts'

const lockName = 'lock'
const sqliteBusy = 5
const sqliteFull = 13

/** Kept from the garbage collector, which would close them and so let go of the locks. */
const held = new Set<DatabaseSync>()

export class RealHomeLock implements HomeLock {
  readonly #holder: () => Holder

  constructor(holder: () => Holder = thisProcess) {
    this.#holder = holder
  }

  async hold(folder: string): Promise<HeldHome> {
    const database = await this.#lock(folder)
    held.add(database)
    const letGo = (): void => {
      if (!held.delete(database)) return
      database.close()
    }
    try {
      await writeHolder(folder, this.#holder())
    } catch (error) {
      // Who holds it is only told to people: on a full disk it is not, and what there is can still be read.
      if (!isFull(error)) {
        letGo()
        throw notLockable(folder, error)
      }
      await removeHolder(folder).catch(() => {})
    }
    return {
      release: async () => {
        if (!held.has(database)) return
        // First the file, then the lock: else it could be the next one's file that goes.
        await removeHolder(folder)
        letGo()
      },
    }
  }

  async holdToRead(folder: string): Promise<HeldHome> {
    const path = join(folder, lockName)
    // Nobody ever worked on it where it lies now.
    if ((await stat(path).catch(() => undefined)) === undefined) return { release: async () => {} }
    const database = await this.#unlessBusy(folder, () => openShared(path)).catch((error: unknown) => {
      // What a process that was killed left of it cannot be cleared up, and nobody else holds it.
      if (error instanceof HomeError && error.code === 'home-in-use') throw error
    })
    if (database === undefined) return { release: async () => {} }
    held.add(database)
    return {
      release: async () => {
        if (held.delete(database)) database.close()
      },
    }
  }

  #lock(folder: string): Promise<DatabaseSync> {
    return this.#unlessBusy(folder, async () => {
      await makeFolder(folder)
      return openLocked(join(folder, lockName))
    })
  }

  async #unlessBusy(folder: string, lock: () => DatabaseSync | Promise<DatabaseSync>): Promise<DatabaseSync> {
    try {
      return await lock()
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== sqliteBusy) throw notLockable(folder, error)
      const holder = describeHolder(await readHolder(folder))
      throw new HomeError(
        'home-in-use',
        `${folder} is in use by ${holder}. Stop that one first, or choose another home with --home.`,
        error,
      )
    }
  }
}

function openLocked(path: string): DatabaseSync {
  return openWith(path, false, 'BEGIN EXCLUSIVE')
}

/** Others may read, too; nobody may write. The lock begins with the first look, and lasts as long as the transaction. */
function openShared(path: string): DatabaseSync {
  return openWith(path, true, 'BEGIN; SELECT count(*) FROM sqlite_master')
}

function openWith(path: string, readOnly: boolean, begin: string): DatabaseSync {
  const database = new (sqlite().DatabaseSync)(path, { timeout: 0, readOnly })
  try {
    database.exec(begin)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function isFull(error: unknown): boolean {
  const { code = '', errcode } = error as { code?: string; errcode?: number }
  return errcode === sqliteFull || ['ENOSPC', 'EDQUOT', 'disk-full'].includes(code)
}

/** Node 24 warns that its SQLite is experimental. Nobody who starts this program can do anything about that. */
function sqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

function notLockable(folder: string, cause: unknown): HomeError {
  if (isFull(cause))
    return new HomeError('home-full', `The disk of ${folder} is full. Free some room on it.`, cause)
  const why = (cause as Error).message
  return new HomeError(
    'home-not-lockable',
    `${folder} cannot be locked: ${why}. Choose a home on a local disk that you may write to.`,
    cause,
  )
}
