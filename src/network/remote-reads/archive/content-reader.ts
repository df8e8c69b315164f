// Reads contents that other peers keep: from those who keep the capture that they came with.
//
// Which one that is, the capture's own record says. Where that says nothing, or those peers have it no more, the directory is asked:
// somebody else may have kept it since.

import { unlessFails } from '../../../errors.ts'
import type { Digest } from '../../../model/digest.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import { tryParseUrl } from '../../../model/url/url.ts'
import type { ElsewhereSource } from '../../../store/elsewhere/elsewhere.ts'
import type { KnownContent } from '../../content-directory/known-content.ts'
import { KnownContentError } from '../../content-directory/known-content-error.ts'
import type { NetworkView } from '../network-view.ts'
import { contentAsCapture } from './content-view.ts'

interface Needs {
  readonly known: KnownContent
  readonly view: NetworkView
  placeOf(url: string): RingKey
}

interface Wanted {
  readonly digest: Digest
  readonly sizeBytes: number
}

export class ContentReader implements ElsewhereSource {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async content(
    digest: Digest,
    sizeBytes: number,
    refersTo: string | undefined,
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const wanted = { digest, sizeBytes }
    const named = refersTo !== undefined && tryParseUrl(refersTo) !== null ? refersTo : undefined
    const found = named && (await this.#from(named, wanted))
    if (found) return found
    // Rejects when nobody can tell: then it is not lost, as far as is known.
    const listed = (await this.#needs.known.whereIs(digest))?.url
    const listedElsewhere = listed === named ? undefined : listed
    const foundElsewhere = listedElsewhere && (await this.#from(listedElsewhere, wanted))
    if (foundElsewhere) return foundElsewhere
    if (await this.#isLost(digest, [named, listedElsewhere])) return undefined
    throw new KnownContentError('content-unreachable', 'those who should have it could not be asked')
  }

  async #from(url: string, { digest, sizeBytes }: Wanted): Promise<AsyncIterable<Uint8Array> | undefined> {
    const record = await unlessFails(this.#needs.view.read(contentAsCapture(url, digest, sizeBytes)))
    return record?.payload()
  }

  /** All who should have it say that they have not. */
  async #isLost(digest: Digest, urls: readonly (string | undefined)[]): Promise<boolean> {
    const { known, placeOf } = this.#needs
    const named = urls.filter((url) => url !== undefined)
    const safeties = await known.check(named.map((url) => ({ digest, place: placeOf(url) })))
    return safeties.every((safety) => safety === 'lost')
  }
}
