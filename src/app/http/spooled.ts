// A stream put into a file, to be read in parts.

import type { ByteRange } from '../../formats/http/byte-range.ts'
import type { Spool, SpoolFile } from '../../store/spool.ts'

const chunkBytes = 256 * 1024

export interface SpooledStream {
  readonly sizeBytes: number
  chunks(range: ByteRange): AsyncIterable<Uint8Array>
  discard(): Promise<void>
}

export async function spooled(spool: Spool, stream: AsyncIterable<Uint8Array>): Promise<SpooledStream> {
  const file = await spool.open()
  try {
    for await (const chunk of stream) await file.append(chunk)
  } catch (error) {
    await file.discard()
    throw error
  }
  return {
    sizeBytes: file.sizeBytes,
    chunks: (range) => partOf(file, range),
    discard: () => file.discard(),
  }
}

async function* partOf(file: SpoolFile, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    const chunk = await file.read(at, Math.min(chunkBytes, end - at))
    if (chunk.length === 0) return
    at += chunk.length
    yield chunk
  }
}
