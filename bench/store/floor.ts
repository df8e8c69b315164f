// What no store can be faster than on this machine, if it is to do what ours promises: the plainest program that digests,
// compresses, appends to one file and syncs, many callers to a sync; that verifies what it reads; and that writes a line
// for whatever is counted or deleted. It has no index, no WARC and no way to be opened again.
//
// The same compressor as the store's, on the same threads.

import { hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import type { Compressor } from '../../src/world/compressor.ts'
import type { DiskFile } from '../../src/world/disk.ts'
import { RealDisk } from '../../src/world/real/disk.ts'

interface Place {
  digest: Buffer
  offset: number
  length: number
}

const lineBytes = 40

export class Floor {
  readonly #compressor: Compressor
  readonly #level: number
  readonly #file: DiskFile
  readonly #places = new Map<number, Place>()
  readonly #known = new Set<string>()
  #position = 0
  #waiting: { bytes: Uint8Array; done(offset: number): void; failed(error: unknown): void }[] = []
  #isWriting = false

  private constructor(compressor: Compressor, level: number, file: DiskFile) {
    this.#compressor = compressor
    this.#level = level
    this.#file = file
  }

  static async open(path: string, { compressor, level }: { compressor: Compressor; level: number }) {
    await (await open(path, 'wx')).close()
    return new Floor(compressor, level, await new RealDisk().open(path, 'write'))
  }

  /** Bytes that are known already cost a line. */
  async put(object: number, bytes: Uint8Array): Promise<void> {
    const digest = hash('sha256', bytes, 'buffer')
    const name = digest.toString('latin1')
    if (this.#known.has(name)) return this.#line()
    this.#known.add(name)
    const member = await this.#compressor.gzip(bytes, this.#level)
    this.#places.set(object, { digest, offset: await this.#append(member), length: member.length })
  }

  async get(object: number): Promise<Uint8Array> {
    const { digest, offset, length } = this.#places.get(object)!
    const bytes = gunzipSync(await this.#file.read(offset, length))
    if (!hash('sha256', bytes, 'buffer').equals(digest)) throw new Error(`object ${object} is damaged`)
    return bytes
  }

  delete(): Promise<void> {
    return this.#line()
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  async #line(): Promise<void> {
    await this.#append(Buffer.alloc(lineBytes))
  }

  #append(bytes: Uint8Array): Promise<number> {
    return new Promise((done, failed) => {
      this.#waiting.push({ bytes, done, failed })
      if (!this.#isWriting) void this.#write()
    })
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    // Callers of the same moment go together.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, 1_000)
      try {
        await this.#file.write(this.#position, ...batch.map(({ bytes }) => bytes))
        await this.#file.sync()
        for (const { bytes, done } of batch) {
          done(this.#position)
          this.#position += bytes.length
        }
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
    this.#isWriting = false
  }
}
