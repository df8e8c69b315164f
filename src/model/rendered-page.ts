// Rendered page: what a browser could read of a page once its scripts had run: its words, and where it led.
//
// Whoever has to know what a page says asks for this first, and reads the response only where there is none: changes, the link graph, and
// full-text search. It lies with the page's captures (formats/warc/page-views.ts), wherever those lie.

import type { LinkFound } from './page-link.ts'
import type { Url } from './url/url.ts'

/** `href` as the browser wrote it. */
export type RenderedLink = Pick<LinkFound, 'href' | 'text' | 'isNoFollow'>

export interface RenderedPage {
  /** Of the page's capture, and so of this. */
  readonly capturedAtMs: number
  readonly title: string
  /** Line by line, as it stood in the window. */
  readonly text: string
  readonly links: readonly RenderedLink[]
}

export interface RenderedPages {
  /** Of the capture of just that time; undefined where no browser showed it. */
  at(page: Url, capturedAtMs: number): Promise<RenderedPage | undefined>
  /** The newest of an earlier one. */
  before(page: Url, capturedAtMs: number): Promise<RenderedPage | undefined>
}

/** Whether a reader sees the same. Where links lead is not seen; white space is how wide the window was. */
export function readsTheSame(one: RenderedPage, other: RenderedPage): boolean {
  return wordsOf(one) === wordsOf(other)
}

/** All that is read, with white space of one kind. */
export function wordsOf({ title, text }: Pick<RenderedPage, 'title' | 'text'>): string {
  return `${title}\n${text}`.replace(/\s+/g, ' ').trim()
}
