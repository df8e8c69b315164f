// What is done with fetched pages beside the main thread: they are read for links, the records are made under which the store keeps
// them, signed, and they are compared with their versions before, also in the part that somebody watches. Here without a thread, for any
// clock and any random numbers.
//
// Pages that come together are signed together: one signature costs more than all else that proves a capture.

import type { VersionDifference } from '../../changes/page-change/page-change.ts'
import type { VersionWork } from '../../changes/page-change/version-work.ts'
import type { Looked, LookWork } from '../../changes/watches/look-work.ts'
import { findLinks } from '../../crawl/links/link-work.ts'
import type { PageRead, PageWork, ReadyRecords } from '../../crawl/visit/page-work.ts'
import type { Compression } from '../../formats/warc/compression/compression.ts'
import { targetsOf } from '../../graph/target-key.ts'
import { parseUrl } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Compressor } from '../../platform/compressor.ts'
import type { Random } from '../../platform/random.ts'
import { asText } from '../../platform/storage/ordered-map.ts'
import { isSignedInTime, type SignedCapture, signCaptures } from '../../proof/capture-signature.ts'
import { SigningKey } from '../../proof/ed25519.ts'
import type { NewCapture } from '../../store/capture.ts'
import { sha256Digest } from '../../store/contents/content-digest.ts'
import { type AnswerFacts, factsOf } from '../../store/reading/answer-facts.ts'
import { factsToSign } from '../../store/records/proof-mark.ts'
import { RecordBuilder } from '../../store/records/record-builder.ts'
import { newRecordId } from '../../store/records/record-id.ts'
import { volumeCompression } from '../../store/volumes/volume-compression.ts'

export interface PageTask extends PageWork {
  /** Of the store's volumes, without their dictionary, which is the usual one; undefined when it is another. */
  readonly compression: Compression | undefined
  /** Of the key that captures are signed with, in hex digits; undefined when they are not. */
  readonly seed?: string | undefined
}

export type PageThreadTask = PageTask | VersionWork | LookWork
export type PageThreadResult = PageRead | VersionDifference | Looked

interface PageTaskNeeds {
  readonly clock: Clock
  readonly random: Random
  readonly compressor: Compressor
  readonly compareVersions: (work: VersionWork) => Promise<VersionDifference>
  readonly lookAtPart: (work: LookWork) => Promise<Looked>
}

/** A page that has been read, and whose records are still to be made. */
interface ReadPage {
  readonly task: PageTask
  readonly links: PageRead['links']
  readonly whole: (NewCapture & { readonly block: Uint8Array }) | undefined
  readonly facts: AnswerFacts | undefined
}

type Done<T> = { readonly output: T } | { readonly error: unknown }

export async function doThreadTask(needs: PageTaskNeeds, task: PageThreadTask): Promise<PageThreadResult> {
  const [done] = await doThreadTasks(needs, [task])
  if ('error' in done!) throw done.error
  return done!.output
}

/** What comes of each; one that fails fails alone. */
export async function doThreadTasks(
  needs: PageTaskNeeds,
  tasks: readonly PageThreadTask[],
): Promise<Done<PageThreadResult>[]> {
  const read: Done<ReadPage | VersionDifference | Looked>[] = []
  for (const task of tasks) read.push(await settled(() => doAlone(needs, task)))
  const signed = signPages(needs, read)
  const done: Done<PageThreadResult>[] = []
  for (const [place, one] of read.entries()) {
    if ('error' in one || !('task' in one.output)) done.push(one as Done<PageThreadResult>)
    else done.push(await settled(() => pageRead(needs, one.output as ReadPage, signed.get(place))))
  }
  return done
}

/** All but what is signed with others. */
function doAlone(
  { compareVersions, lookAtPart }: PageTaskNeeds,
  task: PageThreadTask,
): Promise<ReadPage | VersionDifference | Looked> {
  if ('look' in task) return lookAtPart(task)
  return 'before' in task ? compareVersions(task) : readPage(task)
}

async function settled<T>(work: () => Promise<T>): Promise<Done<T>> {
  try {
    return { output: await work() }
  } catch (error) {
    return { error }
  }
}

async function readPage(task: PageTask): Promise<ReadPage> {
  const found = await findLinks(task)
  const { href, bytes, capture, compression, isGraphed } = task
  // Of a page that is kept already the graph knows most targets.
  const isNew = isGraphed && capture !== undefined
  const targets = isNew ? targetsOf(found.hrefs, found.marks.length) : undefined
  const page = { task, links: { ...found, targets, texts: isGraphed ? found.texts : '' } }
  if (capture === undefined || compression === undefined)
    return { ...page, whole: undefined, facts: undefined }
  const request = Buffer.from(capture.request, 'latin1')
  const whole = { ...capture, url: parseUrl(href), block: bytes, request }
  return { ...page, whole, facts: factsOf(whole, sha256Digest) }
}

/** By their places. */
function signPages(
  { clock }: PageTaskNeeds,
  read: readonly Done<ReadPage | VersionDifference | Looked>[],
): Map<number, SignedCapture> {
  const pages = [...read.entries()].flatMap(([place, one]) => {
    if ('error' in one || !('task' in one.output)) return []
    const { task, whole, facts } = one.output
    if (task.seed === undefined || whole === undefined || facts === undefined) return []
    // Another fetched it, and has signed it.
    if (whole.signature !== undefined) return []
    if (!isSignedInTime({ isImported: false, signedAtMs: clock.nowMs() }, whole.capturedAtMs)) return []
    const head = whole.block.subarray(0, facts.headBytes)
    const signed = factsToSign({ ...whole, url: whole.url.href }, head, facts.payloadDigest)
    return [{ place, seed: task.seed, facts: signed, isImported: false }]
  })
  if (pages.length === 0) return new Map()
  const signatures = signCaptures(keyOf(pages[0]!.seed), pages, Math.round(clock.nowMs()))
  return new Map(pages.map(({ place }, index) => [place, signatures[index]!]))
}

/** One crawler has one key. */
let lastKey: { readonly seed: string; readonly key: SigningKey } | undefined

function keyOf(seed: string): SigningKey {
  if (lastKey?.seed !== seed) lastKey = { seed, key: new SigningKey(Buffer.from(seed, 'hex')) }
  return lastKey.key
}

async function pageRead(
  needs: PageTaskNeeds,
  page: ReadPage,
  signed: SignedCapture | undefined,
): Promise<PageRead> {
  return { links: page.links, records: await recordsOf(needs, page, signed), bytes: page.task.bytes }
}

async function recordsOf(
  { clock, random, compressor }: PageTaskNeeds,
  { task, whole, facts }: ReadPage,
  signed: SignedCapture | undefined,
): Promise<ReadyRecords | undefined> {
  if (whole === undefined || facts === undefined) return undefined
  const recordId = newRecordId({ clock, random })
  const builder = new RecordBuilder({ compressor, random }, volumeCompression(task.compression!))
  const signature = signed?.field ?? whole.signature
  const capture = { ...whole, signature }
  const made = await builder.make(capture, recordId, { kind: 'full' }, facts)
  return {
    recordId,
    payloadDigest: asText(facts.payloadDigest.bytes),
    bytes: inOwnMemory(made.bytes as Uint8Array),
    mainBytes: made.mainBytes(),
    ...(signature && { signature }),
    ...(signed && { logLeaf: asText(signed.leaf) }),
  }
}

/** With nothing beside it, for it is given away; a copy where it is part of something larger. */
function inOwnMemory(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes)
}
