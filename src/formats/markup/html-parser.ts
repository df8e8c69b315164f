// htmlparser2, loaded when it is first needed: few pages of a crawl need it, for most are read by the scanner (html-scanner.ts), and it
// takes as long to load as a hundred pages to read.

import { createRequire } from 'node:module'
import type * as HtmlParser from 'htmlparser2'

const load = createRequire(import.meta.url)
let loaded: typeof HtmlParser | undefined

export function htmlParser(): typeof HtmlParser {
  loaded ??= load('htmlparser2') as typeof HtmlParser
  return loaded
}
