// Comparison: two versions of a document, what a reader would notice between them. Plain data in and out, so that it can
// be work for another thread.

import { parseUrl } from '../../../model/url/url.ts'
import { type Comparable, comparableHtml, comparableText } from './comparable.ts'
import { type LinkDifference, linkDifference } from './link-difference.ts'
import { type TextDifference, textDifference } from './text-difference.ts'

interface ComparedDocument {
  readonly text: string
  readonly contentType: string
  /** Where its relative links start from. */
  readonly url: string
  /** The text is only the document's beginning. */
  readonly isCut: boolean
}

export interface ComparisonWork {
  readonly left: ComparedDocument
  readonly right: ComparedDocument
}

export interface Comparison {
  readonly titles: { readonly left: string; readonly right: string }
  readonly text: TextDifference
  readonly links: LinkDifference
  /** Only the beginning of one or both was compared. */
  readonly isCut: boolean
}

export function compareDocuments({ left, right }: ComparisonWork): Comparison {
  const before = comparableOf(left)
  const after = comparableOf(right)
  return {
    titles: { left: before.title, right: after.title },
    text: textDifference(before.lines, after.lines),
    links: linkDifference(before.links, after.links),
    isCut: left.isCut || right.isCut || before.isCut || after.isCut,
  }
}

/** The name under which worker threads look for what to do. */
export { compareDocuments as work }

function comparableOf({ text, contentType, url }: ComparedDocument): Comparable {
  return isHtml(contentType, text) ? comparableHtml(text, parseUrl(url)) : comparableText(text)
}

export function isHtml(contentType: string, text: string): boolean {
  if (/^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)) return true
  return contentType === '' && /^\s*<(?:!doctype\s+html|html|head|body)\b/i.test(text.slice(0, 1_000))
}
