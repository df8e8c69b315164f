// Link difference: which links a page gained and lost, by where they lead.

import type { PageLink } from './comparable.ts'

export interface LinkDifference {
  readonly added: readonly PageLink[]
  readonly removed: readonly PageLink[]
  /** On both sides. */
  readonly kept: number
  /** Of each list, those that did not fit. */
  readonly leftOut: { readonly added: number; readonly removed: number }
}

export const listedLinksMax = 500

export function linkDifference(left: readonly PageLink[], right: readonly PageLink[]): LinkDifference {
  const before = byTarget(left)
  const after = byTarget(right)
  const removed = [...before.values()].filter(({ href }) => !after.has(href))
  const added = [...after.values()].filter(({ href }) => !before.has(href))
  return {
    added: added.slice(0, listedLinksMax),
    removed: removed.slice(0, listedLinksMax),
    kept: before.size - removed.length,
    leftOut: {
      added: Math.max(0, added.length - listedLinksMax),
      removed: Math.max(0, removed.length - listedLinksMax),
    },
  }
}

/** The first link to a target that says something, in the order of the page. */
function byTarget(links: readonly PageLink[]): Map<string, PageLink> {
  const found = new Map<string, PageLink>()
  for (const link of links) {
    const known = found.get(link.href)
    if (known === undefined || (known.text === '' && link.text !== '')) found.set(link.href, link)
  }
  return found
}
