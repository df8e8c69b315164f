// A URL in a page: its host in bold, its whole in the title.

import { type Html, html } from './html.ts'
import { briefUrl } from './readable-url.ts'

/** Isolated, so that an address in Arabic or Hebrew does not turn the text around it. */
export function urlElement(url: string): Html {
  const brief = briefUrl(url)
  const slash = brief.indexOf('/')
  const host = slash === -1 ? brief : brief.slice(0, slash)
  return html`<bdi class="url" title="${url}"><span class="host">${host}</span>${brief.slice(host.length)}</bdi>`
}
