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

/** How many targets came and went, without telling which. */
export function linkCounts(
  left: readonly PageLink[],
  right: readonly PageLink[],
): { added: number; removed: number } {
  if (left.length === right.length && left.every(({ href }, at) => href === right[at]!.href))
    return { added: 0, removed: 0 }
  const before = new Set(left.map(({ href }) => href))
  const after = new Set(right.map(({ href }) => href))
  let kept = 0
  for (const href of before) if (after.has(href)) kept++
  return { added: after.size - kept, removed: before.size - kept }
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
