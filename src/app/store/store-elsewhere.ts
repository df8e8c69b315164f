// Payloads that other peers keep, for whoever keeps captures here: asked about before they are kept, told of when they are new.

import type { Digest } from '../../model/digest.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Url } from '../../model/url/url.ts'
import type { EarlierCapture, KeepOptions, Receipt } from '../../store/capture.ts'
import type { OtherKeepers } from '../../store/import/record-importer.ts'

/** A payload of a page of that site. */
interface SitePayload {
  readonly digest: Digest
  readonly sizeBytes: number
  readonly site: RingKey
}

/** Contents that other peers keep, and are told of ours. Absent where there are no others. */
export interface ContentsElsewhere {
  /** The capture that others safely keep this payload with. */
  find(payload: SitePayload): Promise<EarlierCapture | undefined>
  /** Whether they still do, for a capture that names it. */
  isSafe(payload: SitePayload): Promise<boolean>
  /** It is kept here, for the first time. */
  register(content: {
    readonly digest: Digest
    readonly sizeBytes: number
    readonly capture: { readonly url: string; readonly capturedAtMs: number; readonly recordId: string }
  }): void
}

/** For imports: who asks and tells of all that is taken in. */
export function otherKeepers(elsewhere: ContentsElsewhere | undefined): OtherKeepers | undefined {
  return (
    elsewhere && {
      look: (url) => lookElsewhere(elsewhere, url),
      kept: (receipt) => registerKept(elsewhere, receipt),
    }
  )
}

/** How a payload of this URL is asked about. */
export function lookElsewhere(
  elsewhere: ContentsElsewhere | undefined,
  { ringKey: site }: Url,
): KeepOptions['elsewhere'] {
  return elsewhere && ((payload) => elsewhere.find({ ...payload, site }))
}

/** What was kept may be a content that is new to all. */
export function registerKept(elsewhere: ContentsElsewhere | undefined, { outcome, capture }: Receipt): void {
  const { kind, content, payloadBytes, url, capturedAtMs, recordId } = capture
  const isFirst = outcome === 'kept' && (kind === 'full' || kind === 'plain' || kind === 'delta')
  // Those that share a digest are told apart by what nobody else knows.
  if (!isFirst || content?.overflow !== 0) return
  const about = { url, capturedAtMs, recordId }
  elsewhere?.register({ digest: content.digest, sizeBytes: payloadBytes, capture: about })
}
