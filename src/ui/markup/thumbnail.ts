// A small picture of a page, beside its link: what it shows is said there in words.

import { type Html, html } from './html.ts'
import { thumbnailPath } from './links.ts'

export function thumbnail(atMs: number, url: string): Html {
  return html`<img class="thumbnail" src="${thumbnailPath(atMs, url)}" alt="" width="160" height="100" loading="lazy" decoding="async">`
}
