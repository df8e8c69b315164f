// Srcset rewriter: the URLs of an attribute that offers one image in several sizes; what describes them is kept.

import { urlsOfSrcset } from '../../formats/markup/srcset.ts'

export function rewriteSrcset(text: string, rewriteLink: (url: string) => string | undefined): string {
  let written = ''
  let copied = 0
  for (const { url, start } of urlsOfSrcset(text)) {
    const rewritten = rewriteLink(url)
    if (rewritten === undefined) continue
    written += text.slice(copied, start) + rewritten
    copied = start + url.length
  }
  return written + text.slice(copied)
}
