// Following redirects to their end, for what is wanted now rather than crawled: robots.txt (RFC 9309, 2.3.1.2: at least
// five). Pages are not fetched like this: their redirects go through the frontier.

import type { Url } from '../../model/url/url.ts'
import type { Fetched, FetchFailureCode, FetchOutcome } from './outcome.ts'
import { RedirectTrail } from './redirect.ts'

const redirectsMax = 5

interface Followed {
  /** The redirects on the way, each a capture of its own. */
  readonly hops: readonly Fetched[]
  readonly last: FetchOutcome
}

/** `fetch` is asked for every URL of the chain, and may refuse one. */
export async function fetchFollowing(
  fetch: (url: Url) => Promise<FetchOutcome>,
  start: Url,
): Promise<Followed> {
  const trail = new RedirectTrail(start, redirectsMax)
  const hops: Fetched[] = []
  for (let url = start; ; ) {
    const last = await fetch(url)
    if (last.kind !== 'fetched' || last.redirect === undefined) return { hops, last }
    hops.push(last)
    const { target } = last.redirect
    if (target === undefined) return { hops, last: ended(last, 'bad-location', last.redirect.reason) }
    const end = trail.step(target)
    if (end !== undefined)
      return { hops, last: ended(last, end, `${hops.length} redirects, then ${target.href}`) }
    url = target
  }
}

function ended({ capture, endedAtMs }: Fetched, code: FetchFailureCode, reason: string): FetchOutcome {
  return { kind: 'failed', code, reason, retry: 'later', address: capture.ipAddress, endedAtMs }
}
