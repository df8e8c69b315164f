// Opens a WACZ: the WARC files in it, and whether its files are what its manifest says they are.
//
// Parts that are stored as they are (the specification wants that) can be read from any offset; parts that are deflated
// are read from their start. A digest that does not match is reported, and the part is imported all the same: its
// records have digests of their own.

import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { PolyhistorError } from '../../errors.ts'
import { type Digest, DigestError, Digester, equalDigests, parseDigest } from '../../model/digest.ts'
import { parseJsonObject } from '../../model/json.ts'
import { packageFault } from '../../proof/package-signature.ts'
import { StoreError } from '../store-error.ts'
import type { ArchivePart } from './archive-part.ts'
import { entriesOfCut } from './cut-zip.ts'
import type { Problems } from './import-result.ts'
import { chunksFrom, type RandomAccess, sliceOf } from './source.ts'

const manifestPath = 'datapackage.json'
const manifestDigestPath = 'datapackage-digest.json'
const manifestBytesMax = 64 * 1024 * 1024
const storeMethod = 0
/** Of WACZ files in WACZ files. */
const depthMax = 2

export async function openWacz(source: RandomAccess, problems: Problems): Promise<ArchivePart[]> {
  const parts = await partsOf(source, problems, '')
  if (parts.length === 0)
    problems.add({ kind: 'package', offset: 0, message: 'There is no WARC file in this WACZ.' })
  return parts
}

/** `within`: the path of this WACZ in another one, with a slash. */
async function partsOf(source: RandomAccess, problems: Problems, within: string): Promise<ArchivePart[]> {
  try {
    const zip = await fromRandomAccessReaderPromise(new SourceReader(source), await source.sizeBytes(), {
      autoClose: false,
    })
    const entries = new Map<string, Entry>()
    for await (const entry of zip.eachEntry()) {
      if (entries.has(entry.fileName)) {
        const message = 'It is in the ZIP file twice: only the last one is read.'
        problems.add({ kind: 'package', offset: 0, part: entry.fileName, message })
      }
      entries.set(entry.fileName, entry)
    }
    const digests = await new ManifestReading(zip, entries, problems).digests()
    const parts: ArchivePart[] = []
    for (const [path, entry] of [...entries].sort(([left], [right]) => (left < right ? -1 : 1))) {
      if (isWarc(path)) parts.push(await partIn(source, zip, entry, digests.get(path), within))
      else if (isWacz(path)) parts.push(...(await inner(source, zip, entry, problems, within)))
    }
    return parts
  } catch (error) {
    // Failures of the disk are ours; all others are yauzl's, which has no class for them.
    if (error instanceof PolyhistorError) throw error
    const left = await partsOfCut(source, problems, within)
    if (left.length > 0) return left
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreError('store-unknown-archive', `This ZIP file cannot be read: ${reason}`, error)
  }
}

/** A WACZ in a WACZ, as a multi-WACZ has them. One that is compressed could only be read from its start, again and again. */
async function inner(
  source: RandomAccess,
  zip: ZipFile,
  entry: Entry,
  problems: Problems,
  within: string,
): Promise<ArchivePart[]> {
  const part = `${within}${entry.fileName}`
  const report = (message: string): ArchivePart[] => {
    problems.add({ kind: 'package', offset: 0, part, message })
    return []
  }
  if (within.split('/').length > depthMax) return report('It lies too deep in others to be looked for.')
  if (entry.compressionMethod !== storeMethod)
    return report('It is compressed as a whole: take it out of the ZIP file, and import it by itself.')
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
  return partsOf(sliceOf(source, fileDataStart, entry.uncompressedSize), problems, `${part}/`)
}

/** What lies whole, or at least begins, in a ZIP file whose end is missing. */
async function partsOfCut(source: RandomAccess, problems: Problems, within: string): Promise<ArchivePart[]> {
  const parts: ArchivePart[] = []
  for await (const entry of entriesOfCut(source)) {
    if (!isWarc(entry.path) || entry.method !== storeMethod) continue
    const slice = sliceOf(source, entry.start, entry.end - entry.start)
    parts.push({
      name: `${within}${entry.path}`,
      format: formatOfPath(entry.path),
      sizeBytes: entry.end - entry.start,
      open: (offset) => chunksFrom(slice, offset),
    })
  }
  if (parts.length > 0) {
    const message =
      'The end of this ZIP file is missing: what there is of it is imported, without its manifest.'
    problems.add({ kind: 'package', offset: 0, ...(within && { part: within.slice(0, -1) }), message })
  }
  return parts
}

/** yauzl takes what it reads from as a subclass only. */
class SourceReader extends RandomAccessReader {
  readonly #source: RandomAccess

  constructor(source: RandomAccess) {
    super()
    this.#source = source
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(chunksFrom(this.#source, start, end), { objectMode: false })
  }
}

/** What the manifest says of the files, and whether that is so of those that are no WARC files. */
class ManifestReading {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>
  readonly #problems: Problems

  constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, problems: Problems) {
    this.#zip = zip
    this.#entries = entries
    this.#problems = problems
  }

  /** Of the WARC files, by path: those are checked as they are read. */
  async digests(): Promise<Map<string, Digest>> {
    const digests = new Map<string, Digest>()
    const manifest = await this.#text(manifestPath)
    if (manifest === undefined) {
      const state = this.#entries.has(manifestPath) ? 'too large to be read' : 'missing'
      this.#report(manifestPath, `It is ${state}: nothing tells whether the files are whole.`)
      return digests
    }
    await this.#checkManifest(manifest)
    const resources = resourcesIn(manifest)
    if (resources === undefined) {
      this.#report(manifestPath, 'It cannot be understood: nothing tells whether the files are whole.')
      return digests
    }
    for (const { path, hash } of resources) {
      const digest = digestIn(hash)
      const entry = this.#entries.get(path)
      if (entry === undefined) this.#report(path, 'The manifest lists it, but it is missing.')
      else if (digest === undefined) this.#report(path, 'The manifest has no digest of it that we know.')
      else if (isWarc(path)) digests.set(path, digest)
      else await this.#check(entry, digest)
    }
    return digests
  }

  async #checkManifest(manifest: string): Promise<void> {
    const text = await this.#text(manifestDigestPath)
    const wanted = text === undefined ? undefined : digestIn(parseJsonObject(text)?.hash)
    if (wanted === undefined) return
    const found: Digest = {
      algorithm: wanted.algorithm,
      bytes: createHash(wanted.algorithm).update(manifest).digest(),
    }
    if (!equalDigests(found, wanted)) this.#report(manifestPath, mismatch)
    const { hash, signedData } = parseJsonObject(text!) ?? {}
    const fault = signedData === undefined ? undefined : packageFault(signedData, String(hash))
    if (fault !== undefined) this.#report(manifestDigestPath, fault)
  }

  async #check(entry: Entry, wanted: Digest): Promise<void> {
    const digester = new Digester(wanted.algorithm)
    for await (const chunk of await this.#zip.openReadStreamPromise(entry)) digester.update(chunk as Buffer)
    if (!equalDigests(digester.finish(), wanted)) this.#report(entry.fileName, mismatch)
  }

  async #text(path: string): Promise<string | undefined> {
    const entry = this.#entries.get(path)
    if (entry === undefined || entry.uncompressedSize > manifestBytesMax) return undefined
    const chunks = await Array.fromAsync(await this.#zip.openReadStreamPromise(entry))
    return Buffer.concat(chunks as Buffer[]).toString()
  }

  #report(part: string, message: string): void {
    this.#problems.add({ kind: 'package', offset: 0, part, message })
  }
}

const mismatch = 'Its digest is not the one in the manifest.'

async function partIn(
  source: RandomAccess,
  zip: ZipFile,
  entry: Entry,
  wanted: Digest | undefined,
  within: string,
): Promise<ArchivePart> {
  const open =
    entry.compressionMethod === storeMethod ? await storedPart(source, zip, entry) : deflated(zip, entry)
  let found: Digest | undefined
  return {
    name: `${within}${entry.fileName}`,
    format: formatOfPath(entry.fileName),
    sizeBytes: entry.uncompressedSize,
    open(offset) {
      if (wanted === undefined || offset > 0) return open(offset)
      return digested(open(0), wanted.algorithm, (digest) => {
        found = digest
      })
    },
    // Of a part that was not read from its start to its end nothing is known.
    check: () =>
      wanted === undefined || found === undefined || equalDigests(found, wanted) ? undefined : mismatch,
  }
}

async function storedPart(source: RandomAccess, zip: ZipFile, entry: Entry): Promise<ArchivePart['open']> {
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
  const slice = sliceOf(source, fileDataStart, entry.uncompressedSize)
  return (offset) => chunksFrom(slice, offset)
}

function deflated(zip: ZipFile, entry: Entry): ArchivePart['open'] {
  return async function* (offset) {
    let position = 0
    for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      const start = Math.max(0, offset - position)
      position += chunk.length
      if (start < chunk.length) yield chunk.subarray(start)
    }
  }
}

async function* digested(
  chunks: AsyncIterable<Uint8Array>,
  algorithm: Digest['algorithm'],
  whenDone: (digest: Digest) => void,
): AsyncGenerator<Uint8Array> {
  const digester = new Digester(algorithm)
  for await (const chunk of chunks) {
    digester.update(chunk)
    yield chunk
  }
  whenDone(digester.finish())
}

function isWarc(path: string): boolean {
  return /^archive\/.+\.w?arc(?:\.gz|\.zst)?$/i.test(path)
}

function isWacz(path: string): boolean {
  return /\.wacz$/i.test(path)
}

function formatOfPath(path: string): ArchivePart['format'] {
  return /\.arc(?:\.gz)?$/i.test(path) ? 'arc' : 'warc'
}

/** undefined when it has none. */
function resourcesIn(manifest: string): { path: string; hash: unknown }[] | undefined {
  const resources = parseJsonObject(manifest)?.resources
  if (!Array.isArray(resources)) return undefined
  return resources.flatMap((resource: unknown) => {
    const { path, hash } = (resource ?? {}) as { path?: unknown; hash?: unknown }
    return typeof path === 'string' ? [{ path, hash }] : []
  })
}

function digestIn(hash: unknown): Digest | undefined {
  try {
    return typeof hash === 'string' ? parseDigest(hash) : undefined
  } catch (error) {
    if (error instanceof DigestError) return undefined
    throw error
  }
}
