// Explains what a robots.txt at hand says about a URL, without asking anyone.

import { parseUrl, type Url } from '../../model/url/url.ts'
import { productTokenOf } from './product-token.ts'
import { parseRobots } from './robots-file.ts'
import { RobotsRules, type RobotsVerdict } from './robots-rules.ts'

export interface RobotsExplanation extends RobotsVerdict {
  /** As robots.txt would name this crawler; '' when the name holds no token, so that only `*` speaks to it. */
  readonly token: string
  readonly crawlDelayMs: number | undefined
  readonly sitemaps: readonly string[]
  /** Whether there was more of the file than a crawler reads. */
  readonly isCut: boolean
}

/** `agent` is a product token or a whole user agent. Throws UrlError. */
export function explainRobots(bytes: Uint8Array, agent: string, url: Url | string): RobotsExplanation {
  const { target } = typeof url === 'string' ? parseUrl(url) : url
  const file = parseRobots(bytes)
  const rules = new RobotsRules(file, agent)
  return {
    ...rules.verdictOn(target),
    token: productTokenOf(agent),
    crawlDelayMs: rules.crawlDelayMs,
    sitemaps: rules.sitemaps,
    isCut: file.isCut,
  }
}
