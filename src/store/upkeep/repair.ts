// Repair: puts good bytes in the place of rotten ones. Where they come from is the caller's business: a peer, a backup.
//
// Nothing is believed: a content must have its digest, a capture's records must be those that were written, to the byte.
// The rotten record stays where it is, dead, and goes with its volume.

import { crc32 } from 'node:zlib'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { equalDigests } from '../../model/digest.ts'
import type { Log } from '../../platform/log.ts'
import { type Capture, captureOf, type StoreMode } from '../capture.ts'
import { type ContentKey, printContentKey } from '../contents/content-key.ts'
import type { PayloadFacts } from '../contents/content-matcher.ts'
import type { CaptureEntry } from '../index/capture-entry.ts'
import type { ContentEntry } from '../index/content-entry.ts'
import { equalLocations } from '../index/location.ts'
import type { MadeRecords } from '../records/record-builder.ts'
import { newRecordId } from '../records/record-id.ts'
import type { RecordRecoding } from '../records/record-recoding.ts'
import { StoreError } from '../store-error.ts'
import { CommitRefusal } from '../volumes/appending.ts'
import type { Volumes } from '../volumes/volumes.ts'
import type { WritingParts } from '../writing-parts.ts'

/** Where good bytes are to be had. undefined: not here, or not now. */
export interface RepairSource {
  /** The payload; of this capture, where one is known to have it. */
  content?: ((key: ContentKey, capture: Capture | undefined) => Promise<Uint8Array | undefined>) | undefined
  /** The capture's records, as this store keeps them and its replicas do. */
  records?: ((capture: Capture) => Promise<Uint8Array | undefined>) | undefined
}

interface Needs extends WritingParts {
  recoding: RecordRecoding
  log: Log
}

export class Repair {
  readonly #needs: Needs
  #source: RepairSource

  constructor(needs: Needs, source: RepairSource) {
    this.#needs = needs
    this.#source = source
  }

  /** From now on good bytes are asked for there. */
  reach(source: RepairSource): void {
    this.#source = source
  }

  /** Whether the content is whole again. */
  async content(key: ContentKey, entry: ContentEntry, capture?: Capture): Promise<boolean> {
    const bytes = await this.#ask(printContentKey(key), () => this.#source.content?.(key, capture))
    return bytes !== undefined && this.#replace(key, entry, bytes)
  }

  /** A payload that is to be kept may be that of a content in quarantine: then it is whole again, and known. */
  heal(facts: PayloadFacts, mode: StoreMode | undefined): undefined | Promise<ContentKey | undefined> {
    const key = facts.payload && this.#needs.matcher.damaged(facts, mode)
    const entry = key && this.#needs.index.content(key)
    return entry && this.#replace(key!, entry, facts.payload!).then((isWhole) => (isWhole ? key : undefined))
  }

  async #replace(key: ContentKey, entry: ContentEntry, bytes: Uint8Array): Promise<boolean> {
    const { index, ledger, builder, digest, clock } = this.#needs
    if (bytes.length !== entry.sizeBytes || !equalDigests(digest.of(bytes), key.digest)) return false
    const facts = {
      id: newRecordId(this.#needs),
      nowMs: clock.nowMs(),
      contentType: 'application/octet-stream',
    }
    const record = await builder.content(key, bytes, facts)
    return this.#append(record, ({ checksum, ...location }) => {
      const now = index.content(key)
      if (now === undefined || !equalLocations(now.location, entry.location)) return false
      ledger.moveContent(key, now, { location, checksum, isDamaged: false, isWhole: true })
      return true
    })
  }

  /** Whether the capture's records are whole again, and its content with them if it lies there. */
  async capture(key: Uint8Array, entry: CaptureEntry): Promise<boolean> {
    const { companionBytes } = entry
    const bytes = await this.#ask(entry.url, () => this.#source.records?.(captureOf(key, entry)))
    if (bytes?.length !== entry.location.length + companionBytes || crc32(bytes) !== entry.checksum)
      return false
    const made = await this.#fitted(entry, bytes)
    return made !== undefined && this.rewrite(key, entry, made)
  }

  /** Puts these records in the place of the capture's own. Whether they are now. */
  rewrite(key: Uint8Array, entry: CaptureEntry, made: MadeRecords): Promise<boolean> {
    const { index, ledger } = this.#needs
    return this.#append(made.bytes, ({ volume, offset, length, checksum }) => {
      const now = index.capture(key)
      if (now === undefined || !equalLocations(now.location, entry.location)) return false
      const location = { volume, offset, length: made.mainBytes() }
      ledger.moveCapture(key, now, { location, companionBytes: length - location.length, checksum })
      const content = now.content && index.content(now.content)
      if (content?.isDamaged && equalLocations(content.location, location))
        index.putContent(now.content!, { ...content, isDamaged: false })
      return true
    })
  }

  /** As volumes are compressed now. undefined when the dictionary is gone that the records need. */
  async #fitted({ location }: CaptureEntry, bytes: Uint8Array): Promise<MadeRecords | undefined> {
    try {
      return await this.#needs.recoding.bytes(location.volume, bytes)
    } catch (error) {
      if (error instanceof WarcDamage) return undefined
      throw error
    }
  }

  async #ask(
    what: string,
    ask: () => Promise<Uint8Array | undefined> | undefined,
  ): Promise<Uint8Array | undefined> {
    try {
      return await ask()
    } catch (error) {
      // Whoever was asked has troubles of its own; the damage stays reported.
      this.#needs.log.warn({ what, error }, 'A repair could not be had')
      return undefined
    }
  }

  /** False when `commit` finds that there is nothing to repair any more, and while there is no room for it. */
  async #append(
    bytes: Parameters<Volumes['append']>[0]['bytes'],
    commit: (location: Parameters<Parameters<Volumes['append']>[0]['commit']>[0]) => boolean,
  ): Promise<boolean> {
    const gone = new Error('gone')
    try {
      await this.#needs.volumes.append({
        bytes,
        commit: (location) => {
          if (!commit(location)) throw new CommitRefusal(gone)
        },
      })
      return true
    } catch (error) {
      if (error === gone) return false
      if (!(error instanceof StoreError) || error.code !== 'store-no-room') throw error
      this.#needs.log.warn({ error }, 'There is no room to repair what is damaged')
      return false
    }
  }
}
