// What this machine allows at best: a plain program sends the records of a volume over libp2p as it comes, in the order in which
// they lie there, and another has two threads inflate them, check their payloads' digests and write them to a file, synced. No
// index, no comparison, nobody to acknowledge a single capture to.

import { openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Libp2p } from 'libp2p'
import { decodeGzipMember } from '../../src/formats/warc/compression/gzip-member.ts'
import { FrameReader, frame } from '../../src/platform/real/network/frames.ts'
import { RealWorkers } from '../../src/platform/real/threads/workers.ts'
import type { Workers } from '../../src/platform/workers.ts'
import { openRaw, type RawStream } from '../transport/raw.ts'
import type { FloorTask } from './floor-thread.ts'

const protocol = '/bench/floor/1'
const batchBytes = 1_000_000
const batchesInFlight = 8
const recordBytesMax = 10_000_000
const threads = 2
const tasksPerThread = 4

/** Records that lie behind one another. */
interface Batch {
  offset: number
  lengths: number[]
}

/** The other process: sends the volume to whoever opens a stream. */
export async function giveVolume(node: Libp2p, path: string): Promise<void> {
  const batches = batchesOf(await readFile(path))
  const file = openSync(path, 'r')
  await node.handle(protocol, (stream) => {
    let sent = 0
    const send = (): void => {
      const batch = batches[sent++]
      stream.send(batch === undefined ? frame([new Uint8Array()]) : frame([packed(file, batch)]))
    }
    stream.addEventListener('message', ({ data }) => {
      for (let more = data.byteLength; more > 0; more--) send()
    })
  })
}

/** Threads that are there. */
export async function floorThreads(): Promise<Workers<FloorTask, number>> {
  const module = new URL('./floor-thread.ts', import.meta.url)
  const workers = new RealWorkers<FloorTask, number>(module, threads, tasksPerThread)
  const nothing = { path: undefined, bytes: new Uint8Array(), offset: 0 }
  await Promise.all(Array.from({ length: threads }, () => workers.run(nothing)))
  return workers
}

/** Gives how many bytes there were, lengths included. */
export async function takeVolume(
  node: Libp2p,
  address: string,
  path: string,
  workers: Workers<FloorTask, number>,
): Promise<number> {
  const stream = await openRaw(node, address, protocol)
  return taken(stream, (bytes, offset) => workers.run({ path, bytes, offset }, [bytes.buffer as ArrayBuffer]))
}

async function taken(
  stream: RawStream,
  write: (bytes: Uint8Array, offset: number) => Promise<number>,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const reader = new FrameReader(batchBytes + recordBytesMax)
  const ask = (count: number): unknown => stream.send(new Uint8Array(count))
  let offset = 0
  let underWay = 0
  let isAll = false
  const take = async (message: Uint8Array): Promise<void> => {
    if (message.length === 0) isAll = true
    else {
      underWay++
      const start = offset
      offset += message.length
      await write(message, start)
      underWay--
      ask(1)
    }
    if (isAll && underWay === 0) resolve()
  }
  stream.addEventListener('message', ({ data }) => {
    for (const message of reader.read(data.subarray())) take(message).catch(reject)
  })
  ask(batchesInFlight)
  await promise
  return offset
}

function batchesOf(volume: Buffer): Batch[] {
  const batches: Batch[] = []
  let bytes = Number.POSITIVE_INFINITY
  for (let offset = 0; offset < volume.length; ) {
    const { length } = decodeGzipMember(volume.subarray(offset), recordBytesMax)
    if (bytes + length > batchBytes) {
      batches.push({ offset, lengths: [] })
      bytes = 0
    }
    batches.at(-1)!.lengths.push(length)
    bytes += length
    offset += length
  }
  return batches
}

/** Each record with its length before it. */
function packed(file: number, { offset, lengths }: Batch): Uint8Array {
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, 0))
  readSync(file, bytes, 0, bytes.length, offset)
  let at = 0
  const records = lengths.map((length) => bytes.subarray(at, (at += length)))
  return frame(records)
}
