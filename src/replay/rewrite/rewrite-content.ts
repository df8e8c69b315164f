// Rewrite content: a text, by what it is, made to stay within the archive.
//
// Texts are byte strings (see text-bytes.ts). Nothing here throws, whatever the text holds; what is no URL and no script
// stays byte for byte.

import type { Declaration } from '../../formats/markup/charset.ts'
import type { ContentKind } from '../content/content-kind.ts'
import type { Modifier } from '../replay-address.ts'
import { ownFilesPath, type ReplayOrigins } from '../replay-origins.ts'
import { encodeQuotes } from './attribute-text.ts'
import { type RewriteLink, rewriteCss } from './css-rewriter.ts'
import { HtmlRewriter, type MarkupMode } from './html-rewriter.ts'
import { LinkRewriter } from './link-rewriter.ts'
import { rewriteManifest } from './manifest-rewriter.ts'
import { rewriteDash, rewriteHls } from './media-rewriter.ts'
import { type PageFacts, pageStart } from './page-start.ts'
import { rewriteScript, type ScriptContext, type ScriptKind } from './script-rewriter.ts'

export interface RewriteContext {
  readonly origins: ReplayOrigins
}

interface RewrittenPage extends PageFacts {
  /** Of links and parts. */
  readonly timestamp: string
  readonly modifier: Modifier
}

const markupModes: Partial<Record<ContentKind, MarkupMode>> = {
  html: 'html',
  xhtml: 'xhtml',
  svg: 'xml',
}

const scriptKinds: Partial<Record<ContentKind, ScriptKind>> = {
  script: 'classic',
  module: 'module',
  worker: 'worker',
  'module-worker': 'module-worker',
}

/** Pages have our start in them; a drawing that is an image runs no scripts. */
export function hasStart(kind: ContentKind, modifier: Modifier): boolean {
  return kind === 'html' || kind === 'xhtml' || (kind === 'svg' && modifier !== 'im_')
}

export function rewriteContent(
  text: string,
  kind: ContentKind,
  page: RewrittenPage,
  { origins }: RewriteContext,
): string {
  const links = new LinkRewriter(page.timestamp, page.url, origins.replay)
  const rewriteLink: RewriteLink = (url, modifier) => links.rewrite(url, modifier)
  const scripts: ScriptContext = {
    rewriteLink,
    scopeModule: `${ownFilesPath}scope.js`,
    scriptUrl: scriptKinds[kind] === undefined ? undefined : page.url,
  }
  const mode = markupModes[kind]
  if (mode !== undefined) {
    const started = hasStart(kind, page.modifier) ? pageStart(page, origins) : ''
    const start =
      mode === 'xml' ? started.replace('<script', '<script xmlns="http://www.w3.org/1999/xhtml"') : started
    const frameStart = text.includes('srcdoc') ? pageStart({ ...page, modifier: 'if_' }, origins) : ''
    return new HtmlRewriter(text, { mode, links, scripts, start, frameStart }).rewritten()
  }
  const scriptKind = scriptKinds[kind]
  if (scriptKind !== undefined) return rewriteScript(text, scriptKind, scripts)
  switch (kind) {
    case 'xml':
      return rewriteXml(text, rewriteLink)
    case 'css':
      return rewriteCss(text, rewriteLink)
    case 'manifest':
      return rewriteManifest(text, rewriteLink)
    case 'hls':
      return rewriteHls(text, rewriteLink)
    case 'dash':
      return rewriteDash(text, rewriteLink)
    default:
      return text
  }
}

/** What else there is in XML is for programs to read: only its style sheet is loaded by a browser. */
function rewriteXml(text: string, rewriteLink: RewriteLink): string {
  return text.replace(
    /(<\?xml-stylesheet[ \t\r\n][^>]{0,2000}?href[ \t]*=[ \t]*)("[^"<>]*"|'[^'<>]*')/g,
    (all, before: string, quoted: string) => {
      const rewritten = rewriteLink(quoted.slice(1, -1), 'cs_')
      return rewritten === undefined ? all : `${before}"${encodeQuotes(rewritten)}"`
    },
  )
}

export function declarationOf(kind: ContentKind): Declaration {
  if (kind === 'html') return 'html'
  if (kind === 'css') return 'css'
  return kind === 'xhtml' || kind === 'svg' || kind === 'xml' || kind === 'dash' ? 'xml' : 'none'
}
