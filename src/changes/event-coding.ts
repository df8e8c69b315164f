// How events lie in a site's log and travel between peers: the same bytes.
//
// The stamp is when the event was written, by the clock of the peer that wrote it, made to grow: over all events of that peer, and
// over all events of a site whoever wrote them. Cursors count in stamps: see cursor.ts.

import {
  choice,
  counter,
  fixed,
  number,
  optionalText,
  sha256Digest,
  text,
} from '../formats/wire/message-fields.ts'
import { joined, list, mark, marked, record, type Schema } from '../formats/wire/message-schema.ts'
import { printDigest } from '../model/digest.ts'
import type { SiteKey } from '../model/url/site.ts'
import { printUuid } from '../model/uuid.ts'
import { type ChangeEvent, changeKinds, type IgnoredPart, ignoredReasons } from './change-event.ts'
import type { PageChange } from './page-state.ts'

export interface StoredEvent extends PageChange {
  readonly stamp: number
  readonly sequence: number
  readonly epoch: number
  readonly url: string
  readonly site: string
  readonly job: string | undefined
}

const urlBytesMax = 64 * 1024
const nameBytesMax = 255
const mimeCharsMax = 80
const titleBytesMax = 1_000
const titleCharsMax = 250
const failuresMax = 255
const ignoredMax = 5
const ignoredBytesMax = 400
const pathCharsMax = 120
const ignoredCharsMax = 60
const sharesOfOne = 10_000
export const idBytes = 16

const share = number(sharesOfOne).as(
  (parts) => parts / sharesOfOne,
  (value: number) => Math.round(Math.min(1, Math.max(0, value)) * sharesOfOne),
)
const title = cutText(titleBytesMax, titleCharsMax)
/** Servers say what they like. */
const mime = cutText(nameBytesMax, mimeCharsMax)
const shownPart = cutText(ignoredBytesMax, ignoredCharsMax)
const ignoredPart = record({
  path: cutText(ignoredBytesMax, pathCharsMax),
  reason: choice(ignoredReasons),
  before: shownPart,
  after: shownPart,
})
/** The first of them, so that no event is large. */
const ignored = list(ignoredPart, ignoredMax).as(
  (read) => read,
  (parts: readonly IgnoredPart[]) => parts.slice(0, ignoredMax),
)
const target = text(urlBytesMax)

/** The order of the fields is the format: append only. */
export const eventCoding = joined(
  record({
    stamp: counter,
    sequence: counter,
    epoch: counter,
    kind: choice(changeKinds),
    id: fixed(idBytes),
    atMs: counter,
    url: text(urlBytesMax),
    site: text(nameBytesMax),
    job: optionalText(nameBytesMax),
  }),
  joined(
    marked({
      status: number(999),
      mime,
      digestBefore: sha256Digest,
      digest: sha256Digest,
      bytesBefore: counter,
      bytes: counter,
      targetBefore: target,
      target,
    }),
    marked({
      cosmetic: mark,
      wordShare: share,
      linksAdded: counter,
      linksRemoved: counter,
      titleBefore: title,
      title,
      failures: number(failuresMax),
      ignored,
    }),
  ),
)

/** What an event begins with: enough to find it in the index. */
const eventPlace = record({ stamp: counter, sequence: counter })

/** Of an event that was checked when it came. */
export function decodeEventPlace(bytes: Uint8Array): Pick<StoredEvent, 'stamp' | 'sequence'> {
  return eventPlace.decode(bytes)
}

export function encodeEvent(event: StoredEvent): Uint8Array {
  return eventCoding.encode(event)
}

export function decodeEvent(bytes: Uint8Array): StoredEvent {
  return eventCoding.decode(bytes)
}

export function eventOf(stored: StoredEvent): ChangeEvent {
  const { id, kind, url, site, atMs, cosmetic, digestBefore, digest, sequence, epoch } = stored
  return {
    id: printUuid(id),
    kind,
    url,
    site: site as SiteKey,
    time: new Date(atMs).toISOString(),
    cosmetic: cosmetic ?? false,
    sequence,
    epoch,
    status: stored.status,
    mime: stored.mime,
    digestBefore: digestBefore && printDigest(digestBefore),
    digest: digest && printDigest(digest),
    bytesBefore: stored.bytesBefore,
    bytes: stored.bytes,
    wordShare: stored.wordShare,
    linksAdded: stored.linksAdded,
    linksRemoved: stored.linksRemoved,
    titleBefore: stored.titleBefore,
    title: stored.title,
    ignored: stored.ignored,
    targetBefore: stored.targetBefore,
    target: stored.target,
    failures: stored.failures,
    job: stored.job,
  }
}

/** A text of others, of which so many characters are written. */
function cutText(bytesMax: number, charsMax: number): Schema<string> {
  return text(bytesMax).as(
    (read) => read,
    (written: string) => written.slice(0, charsMax).toWellFormed(),
  )
}
