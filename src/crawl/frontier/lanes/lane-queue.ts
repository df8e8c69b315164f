// Lane queue: the queued URLs of a lane, on disk, in chunks.
//
// Chunks are keyed by the rank of the first URL that was put in, and hold URLs of one class and depth only, in order: so
// the order of chunks and within them is that of ranks. New URLs go to the last chunk of their class and depth as long
// as this process knows it, and it has room. One that has none left is packed: see packed-chunk.ts.

import { afterPrefix, queuePrefix, rankBytes } from '../sites/site-keys.ts'
import type { BufferedTable } from '../write-buffer.ts'
import { chunkText, packChunk } from './packed-chunk.ts'
import {
  type ChunkEnd,
  type ChunkItem,
  chunkStart,
  decodeItems,
  encodeItem,
  Origins,
  strikeOut,
} from './queue-chunk.ts'
import type { QueueEntry } from './queue-entry.ts'

export interface Ranked {
  /** Eight characters of one byte each: class, depth and sequence. */
  readonly rank: string
  readonly entry: QueueEntry
  /** The rank that its chunk is keyed by. */
  readonly chunk: string
}

const itemsMax = 24
const bytesMax = 1_200
/** The class and depth of a rank. */
const groupBytes = 2

interface Tail {
  readonly chunk: string
  readonly count: number
  readonly end: ChunkEnd
}

export class LaneQueue {
  readonly #table: BufferedTable
  readonly #prefix: string
  readonly #origins: Origins
  readonly #tails = new Map<string, Tail>()

  constructor(table: BufferedTable, site: Buffer, job: number, authority: string) {
    this.#table = table
    this.#prefix = queuePrefix(site, job, authority).toString('latin1')
    this.#origins = new Origins(authority)
  }

  /** Its sequence must be higher than that of any put before. */
  put(rank: string, entry: QueueEntry): Ranked {
    const group = rank.slice(0, groupBytes)
    const tail = this.#tails.get(group)
    const before = tail === undefined ? '' : this.#read(tail.chunk)
    if (tail === undefined || before === '') return this.#begin(rank, entry)
    const item = { offset: sequenceOf(rank) - sequenceOf(tail.chunk), entry }
    const [more, end] = encodeItem(item, this.#origins, tail.end)
    const text = before + more
    if (tail.count + 1 < itemsMax && text.length < bytesMax) {
      this.#write(tail.chunk, text)
      this.#tails.set(group, { chunk: tail.chunk, count: tail.count + 1, end })
    } else {
      this.#table.putText(this.#prefix + tail.chunk, packChunk(text))
      this.#tails.delete(group)
    }
    return { rank, entry, chunk: tail.chunk }
  }

  remove({ rank, chunk }: Ranked): void {
    const text = strikeOut(this.#read(chunk), sequenceOf(rank) - sequenceOf(chunk))
    if (text !== '') this.#write(chunk, text)
    else this.#removeChunk(chunk)
  }

  find(chunk: string, href: string): Ranked | undefined {
    const item = this.#items(chunk).find(({ entry }) => entry.href === href)
    return item && { rank: rankIn(chunk, item), entry: item.entry, chunk }
  }

  /** All in order, chunk by chunk. */
  *chunks(): Generator<Ranked[]> {
    const prefix = Buffer.from(this.#prefix, 'latin1')
    for (const [key, value] of this.#table.range(prefix, afterPrefix(prefix))) {
      const chunk = key.toString('latin1', key.length - rankBytes)
      const items = decodeItems(chunkText(Buffer.from(value).toString('latin1')), this.#origins)
      yield items.map((item) => ({ rank: rankIn(chunk, item), entry: item.entry, chunk }))
    }
  }

  #begin(rank: string, entry: QueueEntry): Ranked {
    const [text, end] = encodeItem({ offset: 0, entry }, this.#origins, chunkStart)
    this.#write(rank, text)
    this.#tails.set(rank.slice(0, groupBytes), { chunk: rank, count: 1, end })
    return { rank, entry, chunk: rank }
  }

  #removeChunk(chunk: string): void {
    this.#table.removeText(this.#prefix + chunk)
    const group = chunk.slice(0, groupBytes)
    if (this.#tails.get(group)?.chunk === chunk) this.#tails.delete(group)
  }

  #items(chunk: string): ChunkItem[] {
    return decodeItems(this.#read(chunk), this.#origins)
  }

  #read(chunk: string): string {
    return chunkText(this.#table.getText(this.#prefix + chunk) ?? '')
  }

  #write(chunk: string, text: string): void {
    this.#table.putText(this.#prefix + chunk, text)
  }
}

function sequenceOf(rank: string): number {
  return Buffer.from(rank, 'latin1').readUIntBE(groupBytes, rankBytes - groupBytes)
}

function rankIn(chunk: string, { offset }: ChunkItem): string {
  const bytes = Buffer.from(chunk, 'latin1')
  bytes.writeUIntBE(
    bytes.readUIntBE(groupBytes, rankBytes - groupBytes) + offset,
    groupBytes,
    rankBytes - groupBytes,
  )
  return bytes.toString('latin1')
}
