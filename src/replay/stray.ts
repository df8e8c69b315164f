// Strays: requests of replayed pages that no rewriting caught, such as `/style.css` on the replay host. The page they come
// from tells what was meant.

import { PolyhistorError } from '../errors.ts'
import { parseReplayAddress, printReplayAddress } from './replay-address.ts'
import { ReplayError } from './replay-error.ts'
import type { ReplayOrigins } from './replay-origins.ts'

/** Where it should have gone; undefined for what is no stray. */
export function strayAddress(
  target: string,
  referer: string | undefined,
  { replay }: ReplayOrigins,
): string | undefined {
  if (/^\/web\/(?:[0-9]|[0-9]*[a-z]{2,4}_\/|https?:)/i.test(target)) return undefined
  if (referer?.startsWith(`${replay}/web/`)) {
    try {
      const page = parseReplayAddress(referer.slice(replay.length))
      const meant = URL.parse(target, page.url.href)
      if (meant !== null && /^https?:$/.test(meant.protocol))
        return printReplayAddress(page.digits, page.modifier === '' ? 'mp_' : page.modifier, meant.href)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
    }
  }
  throw new ReplayError(
    'replay-bad-address',
    'Only archived pages are here, at addresses such as /web/20200131120000mp_/https://example.com/.',
  )
}
