// Where each file of the repository lies on the site, and how one page names another. All addresses are relative, so that the
// site works below any path, and from a folder.

import { posix } from 'node:path'

/** Of docs/ and the pages beside it; undefined for what is not on the site, such as sources. */
export function addressOf(source: string): string | undefined {
  const inDocs = source.startsWith('docs/') ? source.slice('docs/'.length) : undefined
  if (/\.(?:png|webp|svg|json)$/.test(source)) return inDocs
  if (!source.endsWith('.md')) return undefined
  if (inDocs !== undefined) return inDocs.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html')
  if (/^[A-Z]+\.md$/.test(source) && source !== 'README.md')
    return `project/${source.slice(0, -3).toLowerCase()}.html`
  if (source.startsWith('bench/results/'))
    return `project/${source.replace(/README\.md$/, 'index.md').slice(0, -3)}.html`
  return undefined
}

/** From one address of the site to another. */
export function relativeAddress(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to)
}

export interface LinkTarget {
  /** A file of the repository. */
  readonly source: string
  /** With `#`, or nothing. */
  readonly fragment: string
}

/** What a link within the repository leads to; undefined where it leads out of it. */
export function linkTarget(fromSource: string, href: string): LinkTarget | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return undefined
  const [path, fragment] = href.split('#', 2) as [string, string | undefined]
  const source = path === '' ? fromSource : posix.join(posix.dirname(fromSource), path)
  return {
    source: /\.[a-z]+$/.test(source) ? source : posix.join(source, 'README.md'),
    fragment: fragment === undefined ? '' : `#${fragment}`,
  }
}
