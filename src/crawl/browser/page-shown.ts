// What came of a page that was shown: its parts, its links, and how it ended.

import type { RenderedPage } from '../../model/rendered-page.ts'
import type { Url } from '../../model/url/url.ts'
import type { PageEnding } from '../../platform/network/browser.ts'
import type { MissedPart } from '../frontier/fetch-task.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import type { Link } from '../links/link.ts'
import type { PagePart } from './page-parts.ts'

export interface PageShown {
  readonly ending: PageEnding
  /** Why it was shown. */
  readonly reason: string
  /** What could be read then. */
  readonly rendered: RenderedPage
  /** Another page reads the same, or this one did. */
  readonly isKnownText: boolean
  readonly parts: readonly PagePart[]
  /** What a reader can go to from there. */
  readonly links: readonly Url[]
  /** What the parts need themselves. */
  readonly requisites: readonly Link[]
  /** Parts that other peers are to fetch. */
  readonly elsewhere: readonly Url[]
}

/** For the crawl log. */
export function shownWords({ ending, reason, parts }: PageShown): string {
  const refused = parts.filter(({ outcome }) => outcome === 'refused').length
  const failed = parts.filter(({ outcome }) => outcome === 'failed').length
  const end = ending === 'settled' ? '' : ending === 'time' ? '; its time ran out' : '; it crashed'
  return `shown in a browser (${reason}): ${parts.length - refused - failed} parts kept, ${refused} refused, ${failed} failed${end}`
}

/** What is missed of a page itself: its parts tell of themselves. */
export function missedOf({ ending }: PageShown): MissedReason | undefined {
  return ending === 'crashed' ? crashed : undefined
}

/** Whether the browser saw more of the page than was fetched: text, data, or links that scripts made. */
export function hasGained({ parts, rendered }: PageShown, textChars: number): boolean {
  const shownChars = rendered.text.replace(/\s+/g, ' ').length
  const hasData = parts.some((part) => part.kind !== 'asset' && part.outcome !== 'refused' && isFound(part))
  return hasData || shownChars > textChars * 1.2 + gainCharsMin
}

const gainCharsMin = 100

function isFound({ status = 0 }: PagePart): boolean {
  return status >= 200 && status < 300
}

/** For the job: each part by its reason. */
export function missedPartsOf({ parts }: PageShown): MissedPart[] {
  return parts.flatMap(({ href, missed }) => (missed === undefined ? [] : [{ href, missed }]))
}

const crashed: MissedReason = { code: 'page-crashed', reason: 'the browser crashed while it showed the page' }
