// The documentation as a whole: which files are pages, what they became, and what stands in the index of the search.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressOf, linkTarget } from './addresses.ts'
import { type RenderedMarkdown, renderMarkdown } from './markdown.ts'

const patterns = ['docs/*.md', 'docs/operating/*.md', 'docs/decisions/*.md', 'bench/results/*.md', '*.md']

export class DocsSite {
  readonly root: string
  /** By file of the repository. */
  readonly pages: ReadonlyMap<string, RenderedMarkdown>

  constructor(root: string) {
    this.root = root
    const sources = globSync(patterns, { cwd: root }).filter((source) => addressOf(source) !== undefined)
    const known = new Set(sources)
    const isOnSite = (source: string): boolean => known.has(source) || !source.endsWith('.md')
    this.pages = new Map(
      sources
        .sort()
        .map((source) => [
          source,
          renderMarkdown(source, readFileSync(join(root, source), 'utf8'), isOnSite),
        ]),
    )
  }

  /** Pictures and other files that pages show or link: files of the repository. */
  files(): string[] {
    const named = [...this.pages].flatMap(([source, { links, images }]) =>
      [...links, ...images].map((href) => linkTarget(source, href)?.source),
    )
    return [...new Set(named)].filter(
      (source) => source !== undefined && !source.endsWith('.md') && addressOf(source) !== undefined,
    ) as string[]
  }

  /** A line for each section. Results of benchmarks are figures, and would only be in the way. */
  searchedSections(): SearchedSection[] {
    return [...this.pages]
      .filter(([source]) => !source.startsWith('bench/'))
      .flatMap(([source, page]) =>
        page.sections.map((section, place) => ({
          address: addressOf(source)! + (place === 0 ? '' : `#${section.id}`),
          page: page.title,
          heading: section.text,
          text: section.body,
        })),
      )
  }
}

export interface SearchedSection {
  readonly address: string
  readonly page: string
  readonly heading: string
  readonly text: string
}
