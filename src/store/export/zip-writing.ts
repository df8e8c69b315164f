// Writes a ZIP file as a stream, one entry after the other, each measured and digested as it flows by.
//
// Sizes are not known beforehand, so they stand behind each entry and in the directory at the end; entries and archives
// beyond 4 GB are ZIP64. Memory: what the streams hold.

import { once } from 'node:events'
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { Digester, printDigest } from '../../model/digest.ts'

export interface ZipEntry {
  path: string
  sizeBytes: number
  /** `sha256:…` */
  hash: string
}

export interface ZipWriter {
  /** Resolves when the entry has been written. `isCompressed`: deflated here. */
  add(path: string, chunks: AsyncIterable<Uint8Array>, isCompressed: boolean): Promise<ZipEntry>
}

/** The bytes of the archive that `write` makes. It runs as fast as they are taken, and no further. */
export async function* zipBytes(
  modifiedAtMs: number,
  write: (zip: ZipWriter) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const inputs = new Set<Readable>()
  const writer: ZipWriter = {
    async add(path, chunks, isCompressed) {
      const entry = { path, sizeBytes: 0, hash: '' }
      const input = Readable.from(measured(chunks, entry), { objectMode: false })
      inputs.add(input)
      zip.addReadStream(input, path, { compress: isCompressed, mtime: new Date(modifiedAtMs) })
      await once(input, 'end')
      inputs.delete(input)
      return entry
    },
  }
  const writing = write(writer).then(
    () => zip.end(),
    (error: Error) => output.destroy(error),
  )
  try {
    for await (const chunk of output) yield chunk as Buffer
  } finally {
    for (const input of inputs) input.destroy()
    output.destroy()
    // Whoever stops early leaves an entry half-way: it ends with its input.
    await Promise.race([writing, ...[...inputs].map((input) => once(input, 'close'))]).catch(() => {})
  }
}

async function* measured(
  chunks: AsyncIterable<Uint8Array>,
  entry: { sizeBytes: number; hash: string },
): AsyncGenerator<Uint8Array> {
  const digester = new Digester('sha256')
  for await (const chunk of chunks) {
    entry.sizeBytes += chunk.length
    digester.update(chunk)
    yield chunk
  }
  entry.hash = printDigest(digester.finish())
}
