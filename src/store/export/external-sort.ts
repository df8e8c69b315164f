// External sort: sorts any number of lines in the order of `LC_ALL=C sort`, in bounded memory: sorted runs go to the spool and
// are merged when they are asked for.

import { compareLines } from '../../formats/cdx/cdxj.ts'
import type { Spool, SpoolFile } from '../spool.ts'

const runCharsMax = 16 * 1024 * 1024
const writeCharsMax = 256 * 1024

export class ExternalSort {
  readonly #spool: Spool
  readonly #runCharsMax: number
  readonly #runs: SpoolFile[] = []
  #lines: string[] = []
  #chars = 0
  #count = 0

  constructor(needs: { spool: Spool }, charsMax = runCharsMax) {
    this.#spool = needs.spool
    this.#runCharsMax = charsMax
  }

  get count(): number {
    return this.#count
  }

  async add(line: string): Promise<void> {
    this.#lines.push(line)
    this.#chars += line.length
    this.#count++
    if (this.#chars >= this.#runCharsMax) await this.#endRun()
  }

  async *sorted(): AsyncGenerator<string> {
    this.#lines.sort(compareLines)
    const heap = new RunHeap()
    for (const run of this.#runs) await heap.add(linesIn(run.chunks()))
    await heap.add(fromArray(this.#lines))
    yield* heap.merged()
  }

  async discard(): Promise<void> {
    for (const run of this.#runs) await run.discard()
  }

  async #endRun(): Promise<void> {
    this.#lines.sort(compareLines)
    const run = await this.#spool.open()
    this.#runs.push(run)
    let text = ''
    for (const line of this.#lines) {
      text += `${line}\n`
      if (text.length < writeCharsMax) continue
      await run.append(Buffer.from(text))
      text = ''
    }
    if (text !== '') await run.append(Buffer.from(text))
    this.#lines = []
    this.#chars = 0
  }
}

interface Head {
  line: string
  rest: AsyncIterator<string>
}

/** Runs with lines left, as a binary heap: the one with the first line on top. */
class RunHeap {
  readonly #heads: Head[] = []

  async add(lines: AsyncIterable<string>): Promise<void> {
    const rest = lines[Symbol.asyncIterator]()
    const { done, value } = await rest.next()
    if (done) return
    this.#heads.push({ line: value, rest })
    for (let at = this.#heads.length - 1; at > 0 && this.#isBefore(at, (at - 1) >> 1); at = (at - 1) >> 1) {
      this.#swap(at, (at - 1) >> 1)
    }
  }

  async *merged(): AsyncGenerator<string> {
    while (this.#heads.length > 0) {
      const top = this.#heads[0]!
      yield top.line
      const { done, value } = await top.rest.next()
      if (!done) top.line = value
      else {
        const last = this.#heads.pop()!
        if (this.#heads.length > 0) this.#heads[0] = last
      }
      this.#sink()
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let first = at
      if (left < this.#heads.length && this.#isBefore(left, first)) first = left
      if (right < this.#heads.length && this.#isBefore(right, first)) first = right
      if (first === at) return
      this.#swap(at, first)
      at = first
    }
  }

  #isBefore(left: number, right: number): boolean {
    return compareLines(this.#heads[left]!.line, this.#heads[right]!.line) < 0
  }

  #swap(left: number, right: number): void {
    const head = this.#heads[left]!
    this.#heads[left] = this.#heads[right]!
    this.#heads[right] = head
  }
}

async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(0x0a)
    rest = bytes.subarray(end + 1)
    if (end >= 0) yield* bytes.toString('utf8', 0, end).split('\n')
  }
}

async function* fromArray(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}
