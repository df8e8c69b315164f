// Media rewriter: playlists (HLS) and manifests (DASH) of films in pieces. Relative URLs are resolved against the address of
// the playlist and stay; absolute ones and those from the root are rewritten.

import type { RewriteLink } from './css-rewriter.ts'

const elsewhere = /^(?:https?:)?\//i

export function rewriteHls(text: string, rewriteLink: RewriteLink): string {
  return text.replace(/^(?!#)[^\r\n]+|(?<=^#[^\r\n]*\bURI=")[^"\r\n]+/gm, (url) =>
    elsewhere.test(url) ? (rewriteLink(url, 'oe_') ?? url) : url,
  )
}

export function rewriteDash(text: string, rewriteLink: RewriteLink): string {
  return text.replace(
    /(<(?:\w+:)?(?:BaseURL|Location)\b[^>]{0,1000}>)([^<]*)|(\b(?:media|initialization|sourceURL|index)=")([^"]*)/g,
    (
      all,
      tag: string | undefined,
      url: string | undefined,
      attribute: string | undefined,
      value: string | undefined,
    ) => {
      const written = url ?? value ?? ''
      if (!elsewhere.test(written)) return all
      return (tag ?? attribute ?? '') + (rewriteLink(written, 'oe_') ?? written)
    },
  )
}
