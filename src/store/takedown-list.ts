// takedowns.jsonl: one line for every takedown, appended and synced, readable by people and by a rebuild of the index.

import { dirname } from 'node:path'
import type { Disk } from '../world/disk.ts'
import { DiskError } from '../world/disk.ts'
import type { Takedown } from './takedowns.ts'

export class TakedownList {
  readonly #disk: Disk
  readonly #path: string
  #last: Promise<void> = Promise.resolve()

  constructor(needs: { disk: Disk }, path: string) {
    this.#disk = needs.disk
    this.#path = path
  }

  /** One after the other: two that found the same end would write over each other. */
  append(takedown: Takedown): Promise<void> {
    const appended = this.#last.then(() => this.#append(takedown))
    this.#last = appended.catch(() => {})
    return appended
  }

  async #append(takedown: Takedown): Promise<void> {
    const file = await this.#open()
    try {
      // A line that a crash tore is closed first, so that it spoils no other.
      const size = await file.sizeBytes()
      const last = size === 0 ? undefined : (await file.read(size - 1, 1))[0]
      const start = last === undefined || last === 0x0a ? '' : '\n'
      await file.write(size, Buffer.from(`${start}${JSON.stringify(takedown)}\n`))
      await file.sync()
    } finally {
      await file.close()
    }
    await this.#disk.syncFolder(dirname(this.#path))
  }

  async read(): Promise<Takedown[]> {
    const info = await this.#disk.stat(this.#path)
    if (info === undefined) return []
    const file = await this.#disk.open(this.#path, 'read')
    try {
      const text = Buffer.from(await file.read(0, info.sizeBytes)).toString()
      return text.split('\n').flatMap(takedownIn)
    } finally {
      await file.close()
    }
  }

  async #open() {
    try {
      return await this.#disk.open(this.#path, 'write')
    } catch (error) {
      if (!(error instanceof DiskError) || error.code !== 'disk-not-found') throw error
      return this.#disk.open(this.#path, 'create')
    }
  }
}

/** A torn line was never acknowledged. */
function takedownIn(line: string): Takedown[] {
  try {
    const takedown = JSON.parse(line) as Partial<Takedown> | null
    return takedown?.target === undefined ? [] : [takedown as Takedown]
  } catch {
    return []
  }
}
