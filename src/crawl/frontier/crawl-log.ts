// Crawl log: what happened to each URL and why, a line of JSON each, in files that only grow.
//
// Lines are gathered and written together, at the latest after gatheredMsMax, so that a crawl that is under way can be looked
// at, and one that was killed tells how far it came; `flush` makes them durable. A file that has grown to segmentBytesMax is left,
// and the next one begun; beyond segmentsMax the oldest goes. After a crash the last line may be cut: reading passes over
// what is no line, and writing goes on in a new file. Memory is bounded by what is gathered and one chunk of reading.
// What could not be written, for want of room say, is tried again with what comes next.

import { PolyhistorError } from '../../errors.ts'
import type { JobLogFilter, JobLogLine } from '../../model/jobs/job-service.ts'
import { parseJson } from '../../model/json.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { Disk, DiskFile } from '../../platform/storage/disk.ts'
import { makeLastingFolder } from '../../platform/storage/lasting-folder.ts'

export interface CrawlLogLine extends JobLogLine {
  readonly durationMs?: number | undefined
}

const segmentBytesMaxDefault = 64e6
const segmentsMaxDefault = 100
/** Written at once when so much is gathered. */
const gatheredCharsMax = 256_000
/** Written when the first of what is gathered is so old. */
const gatheredMsMax = 1_000
/** While it cannot be written; then whoever brings more is told. */
const unwrittenBytesMax = 4 * gatheredCharsMax
const readBytes = 256 * 1_024
const namePattern = /^crawl-(\d{8})\.jsonl$/

class CrawlLogError extends PolyhistorError {
  constructor(cause: unknown) {
    super('crawl-log-failure', `The crawl log could not be written: ${(cause as Error).message}`, {
      retry: 'later',
      cause,
    })
  }
}

export class CrawlLog {
  readonly #disk: Disk
  readonly #clock: Clock
  readonly #folder: string
  readonly #segmentBytesMax: number
  readonly #segmentsMax: number
  readonly #numbers: number[]
  #file: DiskFile | undefined
  #position = 0
  #gathered = ''
  #timer: Timer | undefined
  #writing: Promise<void> = Promise.resolve()
  #failure: unknown
  /** Of which writing failed. */
  #unwritten: Uint8Array[] = []

  private constructor(
    { disk, clock }: { disk: Disk; clock: Clock },
    folder: string,
    numbers: number[],
    limits: { segmentBytesMax?: number; segmentsMax?: number },
  ) {
    this.#disk = disk
    this.#clock = clock
    this.#folder = folder
    this.#numbers = numbers
    this.#segmentBytesMax = limits.segmentBytesMax ?? segmentBytesMaxDefault
    this.#segmentsMax = limits.segmentsMax ?? segmentsMaxDefault
  }

  static async open(
    needs: { disk: Disk; clock: Clock },
    folder: string,
    limits: { segmentBytesMax?: number; segmentsMax?: number } = {},
  ): Promise<CrawlLog> {
    await makeLastingFolder(needs.disk, folder)
    const names = await needs.disk.list(folder)
    const numbers = names.flatMap((name) => namePattern.exec(name)?.[1] ?? []).map(Number)
    return new CrawlLog(needs, folder, numbers, limits)
  }

  /** Returns at once; await `flush` to know that it is kept, or `room` not to run ahead of the disk. */
  append(line: CrawlLogLine): void {
    if (this.#unwrittenBytes >= unwrittenBytesMax) throw new CrawlLogError(this.#failure)
    this.#gathered += `${JSON.stringify(line)}\n`
    if (this.#gathered.length >= gatheredCharsMax) this.#write()
    else this.#timer ??= this.#clock.after(gatheredMsMax, () => this.#write())
  }

  /** Resolves when what was gathered before is written. */
  async room(): Promise<void> {
    await this.#writing
    if (this.#failure !== undefined) throw new CrawlLogError(this.#failure)
  }

  async flush(): Promise<void> {
    this.#write()
    await this.#writing
    if (this.#failure !== undefined) this.#tryAgain()
    await this.room()
    await this.#file?.sync()
  }

  async close(): Promise<void> {
    await this.flush()
    await this.#file?.close()
    this.#file = undefined
  }

  /** All lines that pass the filter, in order, with those just appended. */
  async *read(filter: JobLogFilter = {}): AsyncGenerator<CrawlLogLine> {
    this.#write()
    await this.room()
    for (const number of [...this.#numbers]) {
      for await (const text of this.#linesOf(number)) {
        const line = parseLine(text, filter)
        if (line !== undefined) yield line
      }
    }
  }

  #write(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#gathered === '') return
    const bytes = Buffer.from(this.#gathered)
    this.#gathered = ''
    this.#writing = this.#writing.then(() => {
      this.#unwritten.push(bytes)
      return this.#writeAll()
    })
  }

  #tryAgain(): void {
    this.#writing = this.#writing.then(() => this.#writeAll())
  }

  get #unwrittenBytes(): number {
    return this.#unwritten.reduce((sum, { length }) => sum + length, 0)
  }

  async #writeAll(): Promise<void> {
    try {
      for (let bytes = this.#unwritten[0]; bytes !== undefined; bytes = this.#unwritten[0]) {
        await this.#writeBytes(bytes)
        this.#unwritten.shift()
      }
      this.#failure = undefined
    } catch (error) {
      this.#failure = error
    }
  }

  async #writeBytes(bytes: Uint8Array): Promise<void> {
    if (this.#file === undefined || this.#position >= this.#segmentBytesMax) await this.#nextSegment()
    await this.#file!.write(this.#position, bytes)
    this.#position += bytes.length
  }

  async #nextSegment(): Promise<void> {
    await this.#file?.sync()
    await this.#file?.close()
    this.#file = undefined
    const number = (this.#numbers.at(-1) ?? 0) + 1
    this.#file = await this.#disk.open(this.#pathOf(number), 'create')
    this.#position = 0
    this.#numbers.push(number)
    while (this.#numbers.length > this.#segmentsMax)
      await this.#disk.remove(this.#pathOf(this.#numbers.shift()!))
    await this.#disk.syncFolder(this.#folder)
  }

  async *#linesOf(number: number): AsyncGenerator<string> {
    const file = await this.#disk.open(this.#pathOf(number), 'read')
    try {
      let rest = Buffer.alloc(0)
      for (let position = 0; ; ) {
        const chunk = await file.read(position, readBytes)
        if (chunk.length === 0) return
        position += chunk.length
        rest = Buffer.concat([rest, chunk])
        let start = 0
        for (let end = rest.indexOf(10); end !== -1; start = end + 1, end = rest.indexOf(10, start)) {
          yield rest.toString('utf8', start, end)
        }
        rest = rest.subarray(start)
      }
    } finally {
      await file.close()
    }
  }

  #pathOf(number: number): string {
    return `${this.#folder}/crawl-${String(number).padStart(8, '0')}.jsonl`
  }
}

function parseLine(text: string, filter: JobLogFilter): CrawlLogLine | undefined {
  // Most lines are of no interest when one URL is looked for.
  if (filter.urlPart !== undefined && !text.includes(JSON.stringify(filter.urlPart).slice(1, -1)))
    return undefined
  const line = parseJson(text) as CrawlLogLine | undefined
  if (line === undefined) return undefined
  if (filter.jobId !== undefined && line.jobId !== filter.jobId) return undefined
  if (filter.outcome !== undefined && line.outcome !== filter.outcome) return undefined
  if (filter.urlPart !== undefined && !line.url.includes(filter.urlPart)) return undefined
  return line
}
