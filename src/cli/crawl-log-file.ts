// The crawl log: a JSON line for every URL that something happened to, in segments that are removed when there are too
// many. Written behind the crawl's back: a crash may lose the last instants of it, never a capture.

import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CrawlEvent } from '../crawler.ts'
import { readLines } from './lines.ts'

const segmentBytesMax = 64 * 1024 * 1024
const segmentsMax = 64
const bufferedMax = 1_000

export class CrawlLogFile {
  readonly #folder: string
  #segment: FileHandle
  #segmentBytes: number
  #lines: string[] = []
  #writing: Promise<void> = Promise.resolve()

  private constructor(folder: string, segment: FileHandle, segmentBytes: number) {
    this.#folder = folder
    this.#segment = segment
    this.#segmentBytes = segmentBytes
  }

  static async open(crawlFolder: string): Promise<CrawlLogFile> {
    const folder = join(crawlFolder, 'log')
    await mkdir(folder, { recursive: true })
    const last = (await segmentsOf(folder)).at(-1) ?? segmentName(1)
    const segment = await open(join(folder, last), 'a')
    return new CrawlLogFile(folder, segment, (await segment.stat()).size)
  }

  happened(event: CrawlEvent): void {
    this.#lines.push(`${JSON.stringify(event)}\n`)
    if (this.#lines.length >= bufferedMax) this.#write()
  }

  async close(): Promise<void> {
    this.#write()
    await this.#writing
    await this.#segment.close()
  }

  #write(): void {
    const text = this.#lines.join('')
    this.#lines = []
    this.#writing = this.#writing.then(() => this.#append(text))
  }

  async #append(text: string): Promise<void> {
    await this.#segment.appendFile(text)
    this.#segmentBytes += Buffer.byteLength(text)
    if (this.#segmentBytes < segmentBytesMax) return
    await this.#segment.close()
    const names = await segmentsOf(this.#folder)
    const next = segmentName(Number.parseInt(names.at(-1)!, 10) + 1)
    this.#segment = await open(join(this.#folder, next), 'a')
    this.#segmentBytes = 0
    for (const name of names.slice(0, Math.max(0, names.length + 1 - segmentsMax)))
      await rm(join(this.#folder, name))
  }
}

/** Oldest first. A line that a crash tore is passed over. */
export async function* readCrawlLog(crawlFolder: string): AsyncIterable<CrawlEvent> {
  const folder = join(crawlFolder, 'log')
  for (const name of await segmentsOf(folder)) {
    for await (const line of readLines(createReadStream(join(folder, name)))) {
      try {
        yield JSON.parse(line) as CrawlEvent
      } catch {}
    }
  }
}

async function segmentsOf(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function segmentName(number: number): string {
  return `${String(number).padStart(8, '0')}.jsonl`
}
