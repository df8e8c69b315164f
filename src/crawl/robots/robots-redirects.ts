// Robots redirects: the way from /robots.txt of an authority to the answer (RFC 9309, section 2.3.1.2).
//
// Redirects are followed wherever they lead, other authorities included; what is found applies to the authority that
// was asked first. Pure: the caller fetches, and checks each address as for any other URL.

import { parseUrl, tryParseUrl, type Url } from '../../record/url.ts'

/** The RFC asks for at least five; more are taken for a file that is not there. */
export const robotsRedirectsMax = 5

export interface RobotsStep {
  readonly url: Url
  /** Followed so far. */
  readonly redirects: number
}

/** `final`: the response is the answer. `astray`: there is none. */
export type NextRobotsStep = RobotsStep | 'final' | 'astray'

export function firstRobotsStep(page: Url): RobotsStep {
  return { url: parseUrl('/robots.txt', page.origin), redirects: 0 }
}

export function nextRobotsStep(
  step: RobotsStep,
  status: number,
  location: string | undefined,
): NextRobotsStep {
  if (![301, 302, 303, 307, 308].includes(status)) return 'final'
  const url = location === undefined ? null : tryParseUrl(location, step.url)
  if (url === null || step.redirects >= robotsRedirectsMax) return 'astray'
  return { url, redirects: step.redirects + 1 }
}
