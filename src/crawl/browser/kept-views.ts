// What a browser saw of a page, kept beside it: pictures, text, and what became of its parts, each under the time of its page.
//
// A page of which a view cannot be kept is kept all the same: its URL may be too long, or taken down meanwhile.

import { encodePageInfo, type PartAccount } from '../../formats/warc/page-info.ts'
import type { ViewKind } from '../../formats/warc/page-views.ts'
import type { Url } from '../../model/url/url.ts'
import type { ShownPage } from '../../platform/network/browser.ts'
import type { Archive, UntilOthers } from '../visit/archive.ts'
import type { PagePart } from './page-parts.ts'

interface SeenPage {
  readonly url: Url
  readonly capturedAtMs: number
  readonly shown: ShownPage
  readonly parts: readonly PagePart[]
}

/** True when another page reads the same, or this one did. */
export async function keepViews(
  archive: Archive,
  { url, capturedAtMs, shown, parts }: SeenPage,
  untilOthers: UntilOthers,
): Promise<boolean> {
  // Nothing is known of it.
  if (shown.ending === 'crashed') return false
  const keep = async (
    kind: ViewKind,
    contentType: string,
    bytes: Uint8Array | undefined,
  ): Promise<boolean> => {
    if (bytes === undefined || bytes.length === 0) return false
    return archive.keepView({ page: url, kind, capturedAtMs, contentType, bytes }, untilOthers)
  }
  const { title, links, shownBy } = shown
  const info = encodePageInfo({ url: url.href, title, links, parts: parts.map(accountOf), shownBy })
  const [isKnownText] = await Promise.all([
    keep('text', 'text/plain;charset=utf-8', Buffer.from(shown.text)),
    keep('view', 'image/jpeg', shown.view),
    keep('thumbnail', 'image/jpeg', shown.thumbnail),
    keep('pageinfo', 'application/json', info),
  ])
  return isKnownText
}

function accountOf(part: PagePart): PartAccount {
  const { method, href, outcome, status = 0, missed, protocol, offers = [] } = part
  const name = method === 'GET' ? href : `${method} ${href}`
  const isLeft = outcome === 'refused' || outcome === 'failed'
  const fate = isLeft ? outcome : outcome === 'not-kept' ? 'refused' : 'kept'
  return {
    ...{ name, fate, status, code: missed?.code, reason: missed?.reason },
    ...(protocol !== 'http/1.1' && { protocol }),
    ...(offers.length > 0 && { offers }),
  }
}
