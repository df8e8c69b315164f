// Exports that are read in parts, as players of WACZ files do: made once, into a file that is kept for a while.
//
// Invariants: all parts that name one entity tag are of one file; `keptMax` files at most, the least lately used goes first,
// and none goes while it is read.

import { hash } from 'node:crypto'
import { type ByteRange, parseByteRange } from '../../../formats/http/byte-range.ts'
import type { HttpAnswer } from '../../../platform/network/http-server.ts'

/** An export that lies in a file of its own. */
export interface ExportFile {
  readonly sizeBytes: number
  chunks(range: ByteRange): AsyncIterable<Uint8Array>
  discard(): Promise<void>
}

interface Kept {
  readonly file: Promise<ExportFile>
  readonly entityTag: string
  readonly madeMs: number
  readers: number
  isDropped: boolean
}

type Header = readonly [name: string, value: string]

const keptMax = 4
const keptMsMax = 3_600_000

export class ExportParts {
  readonly #monotonicMs: () => number
  readonly #kept = new Map<string, Kept>()
  #count = 0

  constructor(needs: { monotonicMs: () => number }) {
    this.#monotonicMs = needs.monotonicMs
  }

  /** `name`: the same for the same export. `wanted`: a Range header, or none for all of it. */
  async answer(
    name: string,
    wanted: string | undefined,
    headers: readonly Header[],
    make: () => Promise<ExportFile>,
  ): Promise<HttpAnswer> {
    const kept = this.#find(name, make)
    kept.readers++
    try {
      const file = await kept.file
      const { sizeBytes } = file
      const all: Header[] = [...headers, ['Accept-Ranges', 'bytes'], ['ETag', kept.entityTag]]
      const range = parseByteRange(wanted, sizeBytes)
      if (range === 'unsatisfiable') {
        return { status: 416, headers: [...all, ['Content-Range', `bytes */${sizeBytes}`]], body: undefined }
      }
      const { start, end } = range ?? { start: 0, end: sizeBytes }
      all.push(['Content-Length', String(end - start)])
      if (range !== undefined) all.push(['Content-Range', `bytes ${start}-${end - 1}/${sizeBytes}`])
      kept.readers++
      return {
        status: range === undefined ? 200 : 206,
        headers: all,
        body: this.#read(kept, file, { start, end }),
      }
    } finally {
      this.#leave(kept)
    }
  }

  /** Makes them anew from now on. */
  forget(): void {
    for (const [name, kept] of this.#kept) this.#drop(name, kept)
  }

  #find(name: string, make: () => Promise<ExportFile>): Kept {
    const found = this.#kept.get(name)
    if (found !== undefined && this.#monotonicMs() - found.madeMs < keptMsMax) {
      this.#kept.delete(name)
      this.#kept.set(name, found)
      return found
    }
    if (found !== undefined) this.#drop(name, found)
    const entityTag = `"${hash('sha256', `${name} ${this.#monotonicMs()} ${++this.#count}`, 'hex').slice(0, 32)}"`
    const kept = { file: make(), entityTag, madeMs: this.#monotonicMs(), readers: 0, isDropped: false }
    this.#kept.set(name, kept)
    // What could not be made is told to whoever waits for it, and made anew for the next.
    kept.file.catch(() => this.#kept.get(name) === kept && this.#kept.delete(name))
    for (const [oldName, old] of this.#kept) {
      if (this.#kept.size <= keptMax) break
      this.#drop(oldName, old)
    }
    return kept
  }

  #read(kept: Kept, file: ExportFile, range: ByteRange): AsyncIterable<Uint8Array> {
    const chunks = file.chunks(range)[Symbol.asyncIterator]()
    let isOver = false
    const end = (): void => {
      if (!isOver) this.#leave(kept)
      isOver = true
    }
    // No generator: one that is ended before it was begun would never leave.
    return {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          const next = await chunks.next()
          if (next.done) end()
          return next
        },
        return: async () => {
          end()
          await chunks.return?.()
          return { done: true, value: undefined }
        },
      }),
    }
  }

  #leave(kept: Kept): void {
    kept.readers--
    this.#discardUnread(kept)
  }

  #drop(name: string, kept: Kept): void {
    this.#kept.delete(name)
    kept.isDropped = true
    this.#discardUnread(kept)
  }

  #discardUnread(kept: Kept): void {
    if (!kept.isDropped || kept.readers > 0) return
    void kept.file.then(
      (file) => file.discard(),
      () => {},
    )
  }
}
