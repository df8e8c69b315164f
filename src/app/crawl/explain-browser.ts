// Whether a URL would be shown in a browser, and why: told from the newest version that the archive has.

import type { PageShowing } from '../../crawl/browser/page-showing.ts'
import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import { parseHttpHead } from '../../formats/http/http-message.ts'
import { bufferView } from '../../formats/wire/buffer-view.ts'
import type { BrowserUse } from '../../model/jobs/site-rule.ts'
import type { Url } from '../../model/url/url.ts'
import type { Store } from '../../store/store.ts'

type Showing = Pick<PageShowing, 'mode' | 'lack' | 'isUsedFor' | 'explain'>

/** What a rule or a crawl says of this URL. */
export interface BrowserWish {
  readonly use: BrowserUse
  /** Whose it is, in words. */
  readonly by: string
}

const bytesMax = 4 * 1024 * 1024

export async function explainBrowser(
  showing: Showing,
  store: Store,
  url: Url,
  wish: BrowserWish | undefined,
): Promise<string> {
  const said = wish && `${wish.by} says ${wish.use}`
  if (wish?.use === 'never') return `not used: ${said}`
  if (!showing.isUsedFor(wish?.use)) return 'not used: the setting crawl.browser is never'
  const page = await newestPage(store, url)
  if (page === undefined) return 'not used: what the archive has of it is no page'
  if (page === 'none') return unseen(showing, wish, said)
  const { isShown, reason } = showing.explain(url, page, wish?.use)
  const why = isShown && wish?.use === 'always' ? said : said ? `${reason} (${said})` : reason
  return `${isShown ? 'would be used' : 'not used'}: ${why}`
}

function unseen({ lack, mode }: Showing, wish: BrowserWish | undefined, said = 'every page is'): string {
  if (lack !== undefined) return `not used: ${lack}`
  if ((wish?.use ?? mode) === 'always') return `would be used: ${said}`
  return `not known: the archive has no version of it that tells${wish ? ` (${said})` : ''}`
}

/** undefined when it is no page, or too large to be shown. */
async function newestPage(store: Store, url: Url): Promise<string | 'none' | undefined> {
  const newest = store.newestNotNewer(url, Date.UTC(9999, 0))
  if (newest === undefined) return 'none'
  if (!/html/.test(newest.mime) || newest.payloadBytes > bytesMax) return undefined
  const { head, payload } = await store.read(newest)
  const headers = head && parseHttpHead(head)?.headers
  const { bytes } = await decodeContent(payload(), headers?.get('Content-Encoding'), bytesMax)
  return bufferView(bytes).toString('latin1')
}
