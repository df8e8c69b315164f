// Exports of captures that lie on many peers: the same files as the store's own exports, each capture fetched from whoever keeps it.
//
// A payload is in the file once: the first capture that has it brings it, later ones are revisits of that. Memory is bounded: of
// payloads that came long ago it is forgotten that they are there, and they are written again. A 304 whose payload is not in
// the file has the capture added that it repeats; a revisit of what is nowhere stays as it is. What nobody can give is left out and told; where it cannot be known what there
// is, because somebody who may keep more does not answer, the export fails rather than lack something.

import { PolyhistorError } from '../../../errors.ts'
import { withoutTransferCoding } from '../../../formats/http/http-message.ts'
import { targetOfFiled } from '../../../formats/warc/page-views.ts'
import { type Revisited, revisit, type Truncation } from '../../../formats/warc/record-builder.ts'
import { printRecord } from '../../../formats/warc/record-encoding.ts'
import type {
  ArchivedCapture,
  ArchiveSelection,
  CaptureIndex,
  CaptureRecord,
  ExportRequest,
} from '../../../model/archive.ts'
import { type Digest, digestHex } from '../../../model/digest.ts'
import { allOf, inChunks } from '../../../model/listed.ts'
import { parseUrl } from '../../../model/url/url.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Compressor } from '../../../platform/compressor.ts'
import type { Random } from '../../../platform/random.ts'
import type { PackageSigner } from '../../../proof/package-signature.ts'
import type { ContentKey } from '../../../store/contents/content-key.ts'
import { type ExportResult, noResult } from '../../../store/export/export-result.ts'
import type { Export } from '../../../store/export/exporter.ts'
import { inOrder } from '../../../store/export/in-order.ts'
import { waczFile } from '../../../store/export/wacz-file.ts'
import {
  type ExportedCapture,
  type ExportedCaptures,
  type ExportFailure,
  isExportedAsRevisit,
} from '../../../store/export/warc-export.ts'
import { warcFile } from '../../../store/export/warc-file.ts'
import { markedProven, proofIn } from '../../../store/records/proof-mark.ts'
import { warcDate } from '../../../store/records/record-builder.ts'
import type { Spool } from '../../../store/spool.ts'
import { StoreError } from '../../../store/store-error.ts'
import type { NetworkCapture } from '../view.ts'
import { type FetchedRecords, fetchedRecords } from './fetched-records.ts'

export interface ExportSource extends Pick<CaptureIndex, 'versions'> {
  /** All captures, in the order of a scan; or an error, where some cannot be known now. */
  everything(selection: ArchiveSelection): AsyncIterable<NetworkCapture>
  read(capture: Pick<ArchivedCapture, 'cursor'>): Promise<CaptureRecord>
  /** The capture's records, from the first whose bytes are taken: `take` gives undefined for what is wrong. */
  records<T>(
    capture: NetworkCapture,
    isWhole: boolean,
    take: (chunks: AsyncIterable<Uint8Array>) => Promise<T | undefined>,
  ): Promise<T>
}

export interface NetworkExportNeeds {
  readonly source: ExportSource
  readonly spool: Spool
  readonly compressor: Compressor
  readonly clock: Clock
  readonly random: Random
  /** Who signs packages. */
  readonly signing?: { readonly packages: PackageSigner | undefined } | undefined
}

type Request = ExportRequest & { readonly signal?: AbortSignal | undefined }

const level = 6
/** Captures fetched at once. */
const width = 8
const scannedAtOnce = 500
/** Payloads that are known to be in the file. */
const writtenMax = 50_000
/** Versions looked through for the one that a 304 repeats. */
const looksMax = 500

export function networkExport(needs: NetworkExportNeeds, request: Request, software: string): Export {
  const result = noResult()
  return { chunks: counted(fileOf(needs, request, result, software), request, result), result }
}

function fileOf(
  needs: NetworkExportNeeds,
  request: Request,
  result: ExportResult,
  software: string,
): AsyncIterable<Uint8Array> {
  const captures = new FetchedCaptures(needs, request, result)
  const { title, filename } = request
  if (request.format === 'warc') return warcFile(needs, captures, result, { software, title, filename })
  return waczFile(needs, (more) => warcFile(needs, captures, result, { software, title, ...more }), {
    software,
    title: title ?? 'Web archive',
    mainPageUrl: request.mainPageUrl,
    pages: request.pages,
  })
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  { signal }: Request,
  result: ExportResult,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    result.writtenBytes += chunk.length
    yield chunk
  }
}

interface Fetched {
  readonly capture: NetworkCapture
  readonly content: ContentKey
  readonly records: FetchedRecords
  /** With its payload. */
  readonly isWhole: boolean
}

class FetchedCaptures implements ExportedCaptures {
  readonly #needs: NetworkExportNeeds
  readonly #request: Request
  readonly #result: ExportResult
  /** Where each payload is, or is going to be, in the file. undefined: it could not be had. */
  readonly #written = new Map<string, Promise<Revisited | undefined>>()
  readonly #open = new Set<FetchedRecords>()

  constructor(needs: NetworkExportNeeds, request: Request, result: ExportResult) {
    this.#needs = needs
    this.#request = request
    this.#result = result
  }

  async *captures(): AsyncGenerator<ExportedCapture | ExportFailure> {
    try {
      for await (const make of inOrder(this.#selected(), width, async (capture) => this.#begin(capture))) {
        this.#request.signal?.throwIfAborted()
        yield* make()
      }
    } finally {
      for (const records of this.#open) await records.discard()
    }
  }

  async *#selected(): AsyncGenerator<NetworkCapture> {
    const { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY, selection } = this.#request
    // Not told of the time: whoever is asked would look for it through all there is, at once.
    const listed = this.#request.captures as readonly NetworkCapture[] | undefined
    const all = listed ?? this.#needs.source.everything(selection)
    for await (const some of inChunks(all, scannedAtOnce)) {
      for (const capture of some) {
        if (capture.capturedAtMs < fromMs || capture.capturedAtMs >= toMs) continue
        this.#result.totalCaptures++
        yield capture
      }
    }
  }

  /** Fetches, several at once; what it gives is then written in the order of the captures. */
  async #begin(capture: NetworkCapture): Promise<() => AsyncGenerator<ExportedCapture | ExportFailure>> {
    const { content } = capture
    const name = content && digestHex(content.digest)
    const before = name === undefined ? undefined : this.#written.get(name)
    const isWhole =
      capture.kind !== 'not-modified' && (before === undefined || !isExportedAsRevisit(capture.status))
    const writing = isWhole && name && before === undefined ? this.#promise(name) : undefined
    try {
      if (content === undefined) return await this.#asItIs(capture)
      const fetched = await this.#fetch(capture, content, isWhole)
      return () => this.#write(fetched, before, writing)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      writing?.resolve(undefined)
      return async function* (): AsyncGenerator<ExportFailure> {
        yield { kind: 'failure', capture, error }
      }
    }
  }

  /** A revisit of what is in no archive here: another one may have it. */
  async #asItIs(capture: NetworkCapture): Promise<() => AsyncGenerator<ExportedCapture>> {
    const records = await this.#recordsOf(capture, false, undefined)
    const payloadDigest = records.fields.get('WARC-Payload-Digest')
    const { companions } = records
    const done = () => this.#done(records)
    return async function* () {
      const main = await records.main()
      yield { kind: 'capture', capture, content: undefined, payloadDigest, main, isRevisit: true, companions }
      await done()
    }
  }

  async *#write(
    fetched: Fetched,
    before: Promise<Revisited | undefined> | undefined,
    writing: PromiseWithResolvers<Revisited | undefined> | undefined,
  ): AsyncGenerator<ExportedCapture | ExportFailure> {
    const { capture } = fetched
    if (fetched.isWhole) {
      yield* this.#full(fetched)
      writing?.resolve(nameOf(capture))
      return
    }
    try {
      const original = (await before) ?? (yield* this.#original(fetched))
      if (original === undefined) yield* this.#full(await this.#again(fetched))
      else yield* this.#revisit(fetched, original)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      yield { kind: 'failure', capture, error }
    }
  }

  /** What a 304 repeats, added to the file. undefined for what can be written whole itself. */
  async *#original({ capture, content }: Fetched): AsyncGenerator<ExportedCapture, Revisited | undefined> {
    if (capture.kind !== 'not-modified') return undefined
    const { source } = this.#needs
    const until = { toMs: capture.capturedAtMs, reverse: true, limit: looksMax }
    const earlier = (await allOf(source.versions(parseUrl(capture.url), until))) as NetworkCapture[]
    const name = digestHex(content.digest)
    const original = earlier.find(
      ({ kind, content: its }) => kind !== 'not-modified' && its && digestHex(its.digest) === name,
    )
    if (original === undefined) throw missing(capture)
    const writing = this.#promise(name)
    try {
      yield* this.#full(await this.#fetch(original, content, true))
      writing.resolve(nameOf(original))
    } catch (error) {
      writing.resolve(undefined)
      throw error
    }
    return nameOf(original)
  }

  async #again({ capture, content, records }: Fetched): Promise<Fetched> {
    await this.#done(records)
    return this.#fetch(capture, content, true)
  }

  async #fetch(capture: NetworkCapture, content: ContentKey, isWhole: boolean): Promise<Fetched> {
    const records = await this.#recordsOf(capture, isWhole, isWhole ? content.digest : undefined)
    return { capture, content, records, isWhole }
  }

  async #recordsOf(
    capture: NetworkCapture,
    isWhole: boolean,
    digest: Digest | undefined,
  ): Promise<FetchedRecords> {
    const records = await this.#needs.source.records(capture, isWhole, (chunks) =>
      fetchedRecords(this.#needs, chunks, digest),
    )
    this.#open.add(records)
    return records
  }

  async *#full({ capture, content, records }: Fetched): AsyncGenerator<ExportedCapture> {
    const { companions } = records
    yield { kind: 'capture', capture, content, main: await records.main(), isRevisit: false, companions }
    await this.#done(records)
  }

  async *#revisit(fetched: Fetched, refersTo: Revisited): AsyncGenerator<ExportedCapture> {
    const { capture, content, records } = fetched
    const { head, companions, fields } = records
    const protocols = fields.getAll('WARC-Protocol')
    const record = revisit({
      id: capture.recordId,
      date: warcDate(capture.capturedAtMs),
      targetUri: targetOfFiled(capture.url),
      ipAddress: fields.get('WARC-IP-Address'),
      protocols: protocols.length > 0 ? protocols : undefined,
      truncated: fields.get('WARC-Truncated') as Truncation | undefined,
      kind: capture.kind === 'not-modified' ? 'server-not-modified' : 'identical-payload-digest',
      block: withoutTransferCoding(head ?? new Uint8Array()),
      payloadDigest: content.digest,
      refersTo,
    })
    const main = await this.#needs.compressor.gzip(
      printRecord(markedProven(record, proofIn({ fields }))),
      level,
    )
    yield { kind: 'capture', capture, content, main, isRevisit: true, companions }
    await this.#done(records)
  }

  async #done(records: FetchedRecords): Promise<void> {
    this.#open.delete(records)
    await records.discard()
  }

  #promise(name: string): PromiseWithResolvers<Revisited | undefined> {
    const writing = Promise.withResolvers<Revisited | undefined>()
    this.#written.set(name, writing.promise)
    if (this.#written.size > writtenMax) this.#written.delete(this.#written.keys().next().value!)
    return writing
  }
}

function nameOf({ recordId, url, capturedAtMs }: NetworkCapture): Revisited {
  return { id: recordId, targetUri: targetOfFiled(url), date: warcDate(capturedAtMs) }
}

function missing({ url }: NetworkCapture): StoreError {
  return new StoreError('store-content-missing', `What ${url} repeats is not in this archive.`)
}
