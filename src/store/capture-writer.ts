// Keeping a capture: once, durably, as the smallest record that does.
//
// A known payload becomes a revisit; a small change of the last version becomes a delta; anything else is kept whole.
// The decision is made before the record is written and checked again inside the index change: if what it rested on has
// gone meanwhile (deleted, compacted), the capture is decided on anew.

import assert from 'node:assert/strict'
import { WarcDamage } from '../formats/warc/damage.ts'
import type { RevisitKind } from '../formats/warc/record.ts'
import type { Revisited } from '../formats/warc/record-builder.ts'
import { type Digest, digestHex } from '../model/digest.ts'
import {
  type Capture,
  captureOf,
  type EarlierCapture,
  type KeepOptions,
  type NewCapture,
  type Receipt,
} from './capture.ts'
import { type CaptureIndexing, type Entry, Known, Outdated } from './capture-indexing.ts'
import type { CaptureSigning } from './capture-signing.ts'
import type { ContentCache } from './contents/content-cache.ts'
import type { ContentKey } from './contents/content-key.ts'
import type { Quarantine } from './contents/quarantine.ts'
import type { ElsewhereLookup } from './elsewhere/elsewhere-lookup.ts'
import { equalLocations, type WrittenLocation } from './index/location.ts'
import type { KeyedMutex } from './keyed-mutex.ts'
import { type AnswerFacts, factsOf } from './reading/answer-facts.ts'
import { type CaptureFinder, keyOfCursor } from './reading/capture-finder.ts'
import type { DeltaBuilder } from './records/delta-builder.ts'
import { contentUri, type MadeRecords, type MainRecord, warcDate } from './records/record-builder.ts'
import { newRecordId } from './records/record-id.ts'
import type { RecordNaming } from './records/record-naming.ts'
import { revisitedOf } from './records/revisited.ts'
import type { Takedowns } from './takedowns/takedowns.ts'
import type { Repair } from './upkeep/repair.ts'
import type { WritingParts } from './writing-parts.ts'

interface Needs extends WritingParts {
  entering: CaptureIndexing
  signing: CaptureSigning
  deltas: DeltaBuilder
  finder: CaptureFinder
  naming: RecordNaming
  looking: ElsewhereLookup
  takedowns: Takedowns
  repair: Repair
  quarantine: Quarantine
  mutex: KeyedMutex
  cache: ContentCache
}

/** For what another store, or another thread, has made already. */
export interface CopyOptions extends KeepOptions {
  /** The capture's records, with its payload; written as they are if the payload is new here. */
  stored?: MadeRecords | undefined
  /** Of the payload, where it has been worked out. */
  payloadDigest?: Digest | undefined
  /** Where those are a delta: the capture that it rests on. */
  base?: Capture | undefined
  /** Another peer keeps it: of what was taken down it is kept hidden. */
  mayBeHidden?: boolean | undefined
}

/** How the capture is to be kept, as decided before writing. */
interface Decision extends Omit<Entry, 'mainBytes'> {
  made: MadeRecords
}

const attemptsMax = 10

export class CaptureWriter {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async keep(capture: NewCapture, options: CopyOptions = {}): Promise<Receipt> {
    const { takedowns } = this.#needs
    if (!options.mayBeHidden || takedowns.destroys(capture.url)) takedowns.check(capture.url)
    const facts = factsOf(capture, this.#needs.digest)
    if (capture.revisit !== undefined) return this.#attempt(() => this.#keepRevisit(capture, facts, options))
    return this.#attempt(() => this.#keepAnswer(capture, facts, options))
  }

  async #attempt(work: () => Promise<Capture>): Promise<Receipt> {
    for (let attempt = 1; ; attempt++) {
      try {
        return { outcome: 'kept', capture: await work() }
      } catch (error) {
        if (error instanceof Known) return { outcome: 'known', capture: error.capture }
        if (!(error instanceof Outdated) || attempt === attemptsMax) throw error
      }
    }
  }

  async #keepAnswer(found: NewCapture, facts: AnswerFacts, options: CopyOptions): Promise<Capture> {
    const known = this.#needs.entering.find(found, facts)
    if (known !== undefined) {
      await this.#mend(known, found, facts)
      throw new Known(known)
    }
    const { matcher, repair, mutex, looking, signing } = this.#needs
    const capture = await signing.signed(found, facts, facts.payloadDigest, options)
    const match = await matcher.find(facts, options.mode)
    if (match !== undefined) return this.#keepKnown(capture, facts, match, options)
    // Others with the same payload wait, and then find it.
    return mutex.run(digestHex(facts.payloadDigest), async () => {
      const meanwhile = (await matcher.find(facts, options.mode)) ?? (await repair.heal(facts, options.mode))
      if (meanwhile !== undefined) return this.#keepKnown(capture, facts, meanwhile, options)
      const elsewhere = options.elsewhere && (await looking.find(facts, options))
      if (elsewhere !== undefined) return this.#keepElsewhere(capture, facts, elsewhere, options)
      return this.#keepNew(capture, facts, options)
    })
  }

  async #keepKnown(
    capture: NewCapture,
    facts: AnswerFacts,
    content: ContentKey,
    options: CopyOptions,
  ): Promise<Capture> {
    const { looking } = this.#needs
    const elsewhere = options.elsewhere && (await looking.findFor(content, capture.url, facts, options))
    if (elsewhere !== undefined) return this.#keepElsewhere(capture, facts, elsewhere, options)
    return this.#keepSame(capture, facts, content, options)
  }

  #keepElsewhere(
    capture: NewCapture,
    facts: AnswerFacts,
    { url, capturedAtMs, recordId }: EarlierCapture,
    options: CopyOptions,
  ): Promise<Capture> {
    const main: MainRecord = {
      kind: 'identical-payload-digest',
      block: headOf(capture, facts),
      refersTo: { id: recordId, targetUri: url, date: warcDate(capturedAtMs) },
      elsewhereBytes: facts.payloadBytes,
    }
    return this.#keepPointer(capture, facts, main, { digest: facts.payloadDigest, overflow: 0 }, options)
  }

  async #keepNew(capture: NewCapture, facts: AnswerFacts, options: CopyOptions): Promise<Capture> {
    const { matcher, deltas, cache } = this.#needs
    const content = matcher.free(facts.payloadDigest)
    const recordId = capture.recordId ?? newRecordId(this.#needs)
    const decision = { ...(await this.#decideNew(capture, facts, recordId, options)), content }
    const kept = await this.#write(capture, facts, recordId, decision, options)
    if (facts.payload !== undefined && deltas.mayHelp(facts)) cache.putWritten(content, facts.payload)
    return kept
  }

  async #decideNew(
    capture: NewCapture,
    facts: AnswerFacts,
    recordId: string,
    { stored, base }: CopyOptions,
  ): Promise<Omit<Decision, 'content'>> {
    const { builder, deltas } = this.#needs
    // Who made a whole one saw no use in a delta.
    if (stored !== undefined && base === undefined) return { main: { kind: 'full' }, made: stored }
    const copied = stored && deltas.copied(stored, base!)
    if (copied !== undefined) return copied
    const about = { payloadDigest: facts.payloadDigest, isIncompressible: facts.isIncompressible }
    const made = await builder.make(capture, recordId, { kind: 'full' }, about)
    return (await deltas.make(capture, facts, recordId, made)) ?? { main: { kind: 'full' }, made }
  }

  async #keepSame(
    capture: NewCapture,
    facts: AnswerFacts,
    content: ContentKey,
    options: CopyOptions,
  ): Promise<Capture> {
    const { naming, index, quarantine } = this.#needs
    const entry = index.content(content)
    if (entry === undefined) throw new Outdated()
    const name = await naming.of(entry.location).catch(async (error: unknown) => {
      const now = index.content(content)
      // Compaction may have moved it while we looked.
      if (now === undefined || !equalLocations(now.location, entry.location)) throw new Outdated()
      if (!(error instanceof WarcDamage)) throw error
      // What is damaged is not known any more: the payload at hand heals it.
      await quarantine.report(content, entry.location, error)
      throw new Outdated()
    })
    // What was taken down is not named any more.
    const isHidden = this.#isUnnamed(name.targetUri, capture)
    const refersTo = isHidden ? { targetUri: contentUri(content), date: name.date } : name
    const block = headOf(capture, facts)
    return this.#keepPointer(
      capture,
      facts,
      { kind: 'identical-payload-digest', block, refersTo },
      content,
      options,
    )
  }

  async #keepRevisit(found: NewCapture, facts: AnswerFacts, options: CopyOptions): Promise<Capture> {
    const { kind, payloadDigest } = found.revisit!
    const isHidden = this.#isUnnamed(found.revisit!.of?.url ?? '', found)
    const earlier = isHidden ? undefined : found.revisit!.of
    const { original, content, elsewhereBytes } = this.#revisited(found, earlier)
    const known = this.#needs.entering.find(found, facts, content)
    if (known !== undefined) throw new Known(known)
    const digest = content?.digest ?? payloadDigest
    const capture = await this.#needs.signing.signed(found, facts, digest, options)
    const size = elsewhereBytes ?? (content && this.#needs.index.content(content)?.sizeBytes)
    const refersTo: Revisited = {
      id: original?.recordId ?? earlier?.recordId,
      targetUri: earlier?.url ?? capture.url.href,
      date: warcDate(earlier?.capturedAtMs ?? capture.capturedAtMs),
    }
    const profile: RevisitKind =
      kind === 'not-modified' || (content ?? payloadDigest) === undefined
        ? 'server-not-modified'
        : 'identical-payload-digest'
    // A 304 carries no type of its own: the page is still what it was.
    const shown = { ...facts, mime: facts.mime || (original?.mime ?? ''), payloadBytes: size ?? 0 }
    const main: MainRecord = { kind: profile, block: headOf(capture, facts), refersTo, elsewhereBytes }
    return this.#keepPointer(
      capture,
      { ...shown, payloadDigest: digest ?? facts.payloadDigest },
      main,
      content,
      options,
      digest,
    )
  }

  /** `elsewhereBytes`: the size of a content that is not here, and need not be. */
  #revisited(
    { revisit }: NewCapture,
    earlier: EarlierCapture | undefined,
  ): { original: Capture | undefined; content: ContentKey | undefined; elsewhereBytes: number | undefined } {
    const { payloadDigest, elsewhereBytes } = revisit!
    const { original, content } = revisitedOf(this.#needs, earlier, payloadDigest)
    if (elsewhereBytes !== undefined && payloadDigest?.algorithm === 'sha256')
      return { original, content: { digest: payloadDigest, overflow: 0 }, elsewhereBytes }
    const isElsewhere = original?.isElsewhere && content && this.#needs.index.content(content) === undefined
    return { original, content, elsewhereBytes: isElsewhere ? original.payloadBytes : undefined }
  }

  async #keepPointer(
    capture: NewCapture,
    facts: AnswerFacts,
    main: MainRecord,
    content: ContentKey | undefined,
    options: CopyOptions,
    payloadDigest = content?.digest,
  ): Promise<Capture> {
    const recordId = capture.recordId ?? newRecordId(this.#needs)
    const made = await this.#needs.builder.make(capture, recordId, main, {
      payloadDigest,
      isIncompressible: false,
    })
    return this.#write(capture, facts, recordId, { main, content, made }, options)
  }

  async #write(
    capture: NewCapture,
    facts: AnswerFacts,
    recordId: string,
    decision: Decision,
    options: CopyOptions,
  ): Promise<Capture> {
    let kept: Capture | undefined
    const commit = (location: WrittenLocation) => {
      const mainBytes = decision.made.mainBytes()
      const { key, entry } = this.#needs.entering.enter(
        capture,
        facts,
        recordId,
        { ...decision, mainBytes, mayBeHidden: options.mayBeHidden },
        location,
      )
      kept = captureOf(key, entry)
    }
    await this.#needs.volumes.append({ bytes: decision.made.bytes, commit }, { folder: options.folder })
    assert(kept !== undefined)
    return kept
  }

  /** What was taken down is named by nobody, but for what is hidden with it. */
  #isUnnamed(named: string, { url }: NewCapture): boolean {
    const { takedowns } = this.#needs
    return takedowns.hidesUrl(named) && !takedowns.hides(url)
  }

  /** Repairs a stored capture whose bytes have rotted with those of the same capture that came again. */
  async #mend(known: Capture, capture: NewCapture, facts: AnswerFacts): Promise<void> {
    const { index, builder, repair } = this.#needs
    const content = known.content && index.content(known.content)
    if (!content?.isDamaged) return
    const key = keyOfCursor(known.cursor)
    const entry = index.capture(key)
    const isWhole = known.kind === 'full' || known.kind === 'plain'
    if (entry !== undefined && isWhole && equalLocations(entry.location, content.location)) {
      const about = { payloadDigest: facts.payloadDigest, isIncompressible: facts.isIncompressible }
      const made = await builder.make(capture, known.recordId, { kind: 'full' }, about)
      await repair.rewrite(key, entry, made)
    } else await repair.heal(facts, undefined)
  }
}

/** The HTTP head alone. A capture without HTTP gets an empty block. */
function headOf(capture: NewCapture, facts: AnswerFacts): Uint8Array {
  const start = capture.block instanceof Uint8Array ? capture.block : capture.block.head
  return start.subarray(0, facts.headBytes)
}
