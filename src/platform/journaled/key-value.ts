// Maps with a journal, over any others: those that are asked for with one. The rest are passed through.

import assert from 'node:assert/strict'
import type { Disk } from '../storage/disk.ts'
import type { KeyValue, KeyValues, OpenOptions } from '../storage/key-value.ts'
import { makeLastingFolder } from '../storage/lasting-folder.ts'
import { Journal } from './journal.ts'
import { JournaledMap } from './map.ts'

/** About 12,000 captures. More saves a little, and makes a restart after a crash longer. */
const heldBytesMaxDefault = 8 * 1024 * 1024

export class JournaledKeyValues implements KeyValues {
  readonly #disk: Disk
  readonly #below: KeyValues
  readonly #heldBytesMax: number
  readonly #open = new Set<string>()

  constructor(needs: { disk: Disk; below: KeyValues }, { heldBytesMax = heldBytesMaxDefault } = {}) {
    this.#disk = needs.disk
    this.#below = needs.below
    this.#heldBytesMax = heldBytesMax
  }

  async open(folder: string, options: OpenOptions = {}): Promise<KeyValue> {
    if (!options.hasJournal) return this.#below.open(folder, options)
    assert(!this.#open.has(folder), `the index in ${folder} is open already`)
    this.#open.add(folder)
    try {
      return await this.#openWithJournal(folder, options)
    } catch (error) {
      this.#open.delete(folder)
      throw error
    }
  }

  async #openWithJournal(folder: string, { sizeBytesMax, tables }: OpenOptions): Promise<KeyValue> {
    await makeLastingFolder(this.#disk, folder)
    // The limit is kept above: what was accepted must always find room below.
    const below = await this.#below.open(folder, tables && { tables })
    try {
      const journal = await Journal.open(this.#disk, folder)
      const options = {
        sizeBytesMax: sizeBytesMax ?? Number.POSITIVE_INFINITY,
        heldBytesMax: this.#heldBytesMax,
      }
      const map = new JournaledMap({ below, journal }, options, () => this.#open.delete(folder))
      map.load(await journal.left())
      return map
    } catch (error) {
      await below.close()
      throw error
    }
  }
}
