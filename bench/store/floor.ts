// What no store can be faster than on this machine, if it is to do what ours promises: the plainest program that digests,
// compresses, appends to one file and syncs, many callers to a sync; that verifies what it reads; and that writes a line
// for whatever is counted or deleted, to a file that was grown ahead. It has no index, no WARC and no way to be opened
// again.
//
// The same compressor as the store's, on the same threads.

import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { Compressor } from '../../src/platform/compressor.ts'
import { GroupFile } from './group-file.ts'

interface Place {
  digest: Buffer
  offset: number
  length: number
}

const lineBytes = 40
const linesAheadBytes = 16 * 1024

export class Floor {
  readonly #compressor: Compressor
  readonly #level: number
  readonly #members: GroupFile
  readonly #lines: GroupFile
  readonly #places = new Map<number, Place>()
  readonly #known = new Set<string>()

  private constructor(
    { compressor, level }: { compressor: Compressor; level: number },
    files: { members: GroupFile; lines: GroupFile },
  ) {
    this.#compressor = compressor
    this.#level = level
    this.#members = files.members
    this.#lines = files.lines
  }

  static async open(path: string, options: { compressor: Compressor; level: number }): Promise<Floor> {
    const members = await GroupFile.open(path, 0)
    return new Floor(options, { members, lines: await GroupFile.open(`${path}-lines`, linesAheadBytes) })
  }

  /** Bytes that are known already cost a line. */
  async put(object: number, bytes: Uint8Array): Promise<void> {
    const digest = hash('sha256', bytes, 'buffer')
    const name = digest.toString('latin1')
    if (this.#known.has(name)) return this.#line()
    this.#known.add(name)
    const member = await this.#compressor.gzip(bytes, this.#level)
    this.#places.set(object, { digest, offset: await this.#members.append(member), length: member.length })
  }

  async get(object: number): Promise<Uint8Array> {
    const { digest, offset, length } = this.#places.get(object)!
    const bytes = gunzipSync(await this.#members.read(offset, length))
    if (!hash('sha256', bytes, 'buffer').equals(digest)) throw new Error(`object ${object} is damaged`)
    return bytes
  }

  delete(): Promise<void> {
    return this.#line()
  }

  async close(): Promise<void> {
    await this.#members.close()
    await this.#lines.close()
  }

  async #line(): Promise<void> {
    await this.#lines.append(Buffer.alloc(lineBytes))
  }
}
