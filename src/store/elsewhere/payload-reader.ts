// The payload of a capture, wherever it is kept: here, or by other peers.
//
// Invariant: as for what is read here, bytes that are not what was captured are never delivered as if they were.

import { PolyhistorError } from '../../errors.ts'
import type { Digest } from '../../model/digest.ts'
import { equalDigests } from '../../model/digest.ts'
import { joined } from '../../model/listed.ts'
import type { ContentDigest } from '../contents/content-digest.ts'
import type { ContentKey } from '../contents/content-key.ts'
import { type ContentLoader, type KnownRecord, wholeBytesMax } from '../contents/content-loader.ts'
import { StoreError } from '../store-error.ts'

/** Where contents come from that other peers keep. */
export interface ElsewhereSource {
  /** `refersTo`: the URL of the capture that the payload was first seen with, if that may be named. undefined when those who
   * should have it say that they have not. Rejects with a PolyhistorError when that cannot be told now. */
  content(
    digest: Digest,
    sizeBytes: number,
    refersTo: string | undefined,
  ): Promise<AsyncIterable<Uint8Array> | undefined>
}

interface CapturePayload {
  /** Of the capture: for what is said when it cannot be read. */
  readonly url: string
  readonly content: ContentKey
  readonly sizeBytes: number
  readonly isElsewhere: boolean
  /** The URL that the capture's own record names for it. */
  readonly refersTo: string | undefined
}

export class PayloadReader {
  readonly #loader: ContentLoader
  readonly #digest: ContentDigest
  #source: ElsewhereSource | undefined

  constructor(needs: { loader: ContentLoader; digest: ContentDigest }) {
    this.#loader = needs.loader
    this.#digest = needs.digest
  }

  /** From now on what is elsewhere is asked for there. */
  reachElsewhere(source: ElsewhereSource | undefined): void {
    this.#source = source
  }

  chunks(payload: CapturePayload, known?: KnownRecord): AsyncIterable<Uint8Array> {
    const { content, isElsewhere } = payload
    // It may have come here since.
    if (!isElsewhere || this.#isSoundHere(content)) return this.#loader.chunks(content, known)
    return this.#verified(payload)
  }

  bytes(payload: CapturePayload): Promise<Uint8Array> {
    return joined(this.chunks(payload))
  }

  #isSoundHere(content: ContentKey): boolean {
    return this.#loader.has(content) && !this.#loader.entry(content).isDamaged
  }

  async *#verified(payload: CapturePayload): AsyncGenerator<Uint8Array> {
    const digest = this.#digest.start()
    const waiting: Uint8Array[] = []
    for await (const chunk of await this.#fetched(payload)) {
      digest.update(chunk)
      if (payload.sizeBytes <= wholeBytesMax) waiting.push(chunk)
      else yield chunk
    }
    if (!equalDigests(digest.finish(), payload.content.digest)) throw lost(payload)
    yield* waiting
  }

  async #fetched(payload: CapturePayload): Promise<AsyncIterable<Uint8Array>> {
    const { content, sizeBytes, refersTo, url } = payload
    if (this.#source === undefined) throw unreachable(url, undefined)
    let found: AsyncIterable<Uint8Array> | undefined
    try {
      found = await this.#source.content(content.digest, sizeBytes, refersTo)
    } catch (error) {
      throw error instanceof PolyhistorError ? unreachable(url, error) : error
    }
    if (found === undefined) throw lost(payload)
    return found
  }
}

function lost({ url }: CapturePayload): StoreError {
  return new StoreError(
    'store-content-damaged',
    `The payload of ${url} was kept by other peers, and they have it no more. It is fetched anew at the next visit.`,
  )
}

function unreachable(url: string, cause: PolyhistorError | undefined): StoreError {
  const why = cause === undefined ? 'this peer is not connected to them' : cause.message
  return new StoreError(
    'store-content-missing',
    `The payload of ${url} is kept by other peers: ${why}.`,
    cause,
  )
}
