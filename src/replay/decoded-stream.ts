// Undoes Content-Encoding as the bytes flow, for clients that do not know the coding. Never holds more than a piece.

import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

const options = { chunkSize: 64 * 1024 }

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(options),
  deflate: () => createInflate(options),
  br: () => createBrotliDecompress(options),
  zstd: () => createZstdDecompress(options),
}

/** Ends with an error where the data break off. */
export async function* decodedStream(
  chunks: AsyncIterable<Uint8Array>,
  codings: readonly string[],
): AsyncGenerator<Uint8Array> {
  const steps = codings.toReversed().map((coding) => decoders[coding]!())
  const last = steps.at(-1)
  if (last === undefined) {
    yield* chunks
    return
  }
  const source = Readable.from(chunks, { objectMode: false })
  // Its failure is also the last step's, which is the one that is read.
  const piped = pipeline([source, ...steps] as unknown as [Readable, Transform]).catch(() => {})
  try {
    yield* last
  } finally {
    for (const step of steps) step.destroy()
    source.destroy()
    await piped
  }
}
