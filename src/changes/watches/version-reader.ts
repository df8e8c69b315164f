// Version reader: finds the versions of a page that an event speaks of, and reads them from the archive, whoever keeps them.

import { parseHttpHead } from '../../formats/http/http-message.ts'
import type { ArchivedCapture, CaptureIndex, CaptureRecord } from '../../model/archive.ts'
import { digestHex } from '../../model/digest.ts'
import type { Listed } from '../../model/listed.ts'
import { tryParseUrl } from '../../model/url/url.ts'
import type { StoredEvent } from '../event-coding.ts'
import { gatherVersion, type VersionBytes, versionBytesMax } from '../page-change/version-bytes.ts'

export interface WatchedArchive extends Pick<CaptureIndex, 'versions'> {
  read(capture: ArchivedCapture): Promise<CaptureRecord>
}

/** Versions that are looked through for the one that an event speaks of. */
const lookedThroughMax = 200
const secondMs = 1_000
const textType = /^\s*(?:text\/|application\/(?:xhtml\+xml|json|xml|[\w.+-]+\+(?:xml|json))\b)/i

export class VersionReader {
  readonly #archive: WatchedArchive

  constructor(needs: { archive: WatchedArchive }) {
    this.#archive = needs.archive
  }

  /** The version that the event is of, and the one before: that of `baseMs` where it is told, else the one that the event names. */
  async find(
    event: Pick<StoredEvent, 'url' | 'atMs' | 'digestBefore'>,
    baseMs: number | undefined,
  ): Promise<{ later: ArchivedCapture | undefined; earlier: ArchivedCapture | undefined }> {
    const before = event.digestBefore && digestHex(event.digestBefore)
    let later: ArchivedCapture | undefined
    let earlier: ArchivedCapture | undefined
    for await (const capture of this.#versions(event.url, event.atMs + secondMs)) {
      if (capture.status >= 300 || capture.content === undefined) continue
      if (later === undefined) later = capture
      else if (
        baseMs === undefined ? before === undefined || isOf(capture, before) : capture.capturedAtMs <= baseMs
      ) {
        earlier = capture
        break
      }
    }
    return { later, earlier }
  }

  /** The newest that shows something. */
  async newest(url: string): Promise<ArchivedCapture | undefined> {
    for await (const capture of this.#versions(url, undefined))
      if (capture.status < 300 && capture.content !== undefined) return capture
    return undefined
  }

  /** undefined when it is no text, or too large. */
  async read(capture: ArchivedCapture): Promise<VersionBytes | undefined> {
    if (capture.payloadBytes > versionBytesMax) return undefined
    const { head, payload } = await this.#archive.read(capture)
    const headers = head && parseHttpHead(head)?.headers
    const contentType = headers?.get('Content-Type') ?? capture.mime
    if (contentType !== '' && !textType.test(contentType)) return undefined
    const bytes = await gatherVersion(payload())
    if (bytes === undefined) return undefined
    const contentEncoding = headers?.get('Content-Encoding')
    return { bytes, contentEncoding, contentType, url: capture.url, capturedAtMs: capture.capturedAtMs }
  }

  #versions(href: string, toMs: number | undefined): Listed<ArchivedCapture> {
    const url = tryParseUrl(href)
    if (url === null) return []
    return this.#archive.versions(url, { toMs, reverse: true, limit: lookedThroughMax })
  }
}

function isOf({ content }: ArchivedCapture, hex: string): boolean {
  return content !== undefined && digestHex(content.digest) === hex
}
