// Page link: one page's link to another, with the time for which the archive knows of it; and what is asked of those who know links.

/** A link as a page has it. */
export interface LinkFound {
  readonly href: string
  /** The element and attribute, or header, that it was found in: `a href`, `img src`, `Location header` … */
  readonly relation: string
  /** The page does not vouch for it. */
  readonly isNoFollow: boolean
  /** What it is linked with, in one line; '' when with nothing. */
  readonly text: string
}

export interface PageLink extends Omit<LinkFound, 'href'> {
  /** Hrefs. */
  readonly from: string
  readonly to: string
  readonly firstSeenMs: number
  /** When a version of the page had it last. */
  readonly lastSeenMs: number
  /** When a version first lacked it; undefined while the newest has it. */
  readonly goneMs?: number | undefined
}

/** What a page's peer tells the target's: from now on the page has this link, or it has it no more. */
export interface LinkMention extends Omit<LinkFound, 'href'> {
  /** The href of the page. */
  readonly page: string
  readonly atMs: number
  readonly isGone: boolean
}

/** Whether a reader may follow a link that was found so. */
export function isFollowed(relation: string): boolean {
  return followed.test(relation)
}

const followed = /^(?:a|area|iframe|frame) |^(?:Location|Refresh) header$|^meta refresh$|^link page$/

export type LinkDirection = 'from' | 'to'

export interface LinkQuestion {
  readonly direction: LinkDirection
  /** The href of a page, or the name of a site: then all its pages are meant. */
  readonly of:
    | { readonly kind: 'url'; readonly href: string }
    | { readonly kind: 'site'; readonly site: string }
  /** As of this time: links that the version of that time had. All that are known, when not given. */
  readonly atMs?: number | undefined
  readonly limit: number
}

export interface LinkAnswer {
  readonly links: readonly PageLink[]
  /** There are more than were asked for, or not everybody who may know some has answered. */
  readonly isPartial: boolean
}

export interface LinkService {
  links(question: LinkQuestion): Promise<LinkAnswer>
}

export function isThereAt({ firstSeenMs, goneMs }: PageLink, atMs: number): boolean {
  return firstSeenMs <= atMs && (goneMs === undefined || atMs < goneMs)
}

/** What several say of links: of each link once, for as long as any of them knew it. */
export function mergedLinks(lists: Iterable<readonly PageLink[]>): PageLink[] {
  const merged = new Map<string, PageLink>()
  for (const list of lists) {
    for (const link of list) {
      const name = `${link.from}\n${link.to}\n${link.relation}\n${link.text}`
      const known = merged.get(name)
      merged.set(name, known === undefined ? link : joined(known, link))
    }
  }
  return [...merged.values()]
}

/** Who saw it last knows whether it is gone. */
function joined(one: PageLink, other: PageLink): PageLink {
  const later = knownUntil(one) >= knownUntil(other) ? one : other
  return {
    ...later,
    firstSeenMs: Math.min(one.firstSeenMs, other.firstSeenMs),
    lastSeenMs: Math.max(one.lastSeenMs, other.lastSeenMs),
  }
}

export function knownUntil({ lastSeenMs, goneMs = 0 }: PageLink): number {
  return Math.max(lastSeenMs, goneMs)
}
