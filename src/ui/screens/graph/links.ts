// Links: which pages link to a page or site, and where it links to, with the words of the links and since when.

import type { LinkAnswer, LinkDirection, PageLink } from '../../../model/page-link.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { calendarPath, linksPath, versionPath } from '../../markup/links.ts'
import { briefUrl, readableUrl } from '../../markup/readable-url.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { linksTexts } from '../../texts/links.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { type Neighbourhood, neighbourhoodDrawing } from './neighbourhood-drawing.ts'

interface LinksData {
  readonly direction: LinkDirection
  /** The href of a page, or the name of a site. */
  readonly name: string
  readonly isSite: boolean
  readonly site: string
  readonly answer: LinkAnswer
  /** Of the site. */
  readonly neighbourhood: Neighbourhood | undefined
}

export function linksScreen(data: LinksData): Screen {
  const { direction, name, isSite, site, answer, neighbourhood } = data
  const isTo = direction === 'to'
  const shown = isSite ? name : briefUrl(name)
  return {
    title: (isTo ? linksTexts.whatLinksTo : linksTexts.whereTo)({ name: shown }),
    name: 'links',
    typed: isSite ? name : readableUrl(name),
    body: html`<header class="about-url">
<p class="eyebrow">${isTo ? sharedTexts.whatLinksHere : linksTexts.linksOf}</p>
<h1>${isSite ? html`<bdi>${name}</bdi>` : urlElement(name)}</h1>
<p>${summary(answer, isTo)}</p>
<ul class="tools">
<li><a href="${linksPath(isTo ? 'from' : 'to', name)}">${isTo ? linksTexts.whereItLinks : sharedTexts.whatLinksHere}</a></li>
${isSite ? nothing : html`<li><a href="${linksPath(direction, site)}">${(isTo ? linksTexts.whatLinksTo : linksTexts.allLinksOf)({ name: site })}</a></li><li><a href="${calendarPath(name)}">${sharedTexts.allVersionsButton}</a></li>`}
</ul></header>
${neighbourhood === undefined ? nothing : neighbourhoodDrawing(site, neighbourhood)}
${answer.links.length === 0 ? html`<p>${isTo ? linksTexts.noneHere : linksTexts.noneKnown}</p>` : html`<ul class="recent">${answer.links.map((link) => linkItem(link, direction, isSite))}</ul>`}`,
  }
}

function summary({ links, isPartial }: LinkAnswer, isTo: boolean): Html {
  const pages = new Set(links.map(({ from, to }) => (isTo ? from : to))).size
  return html`${isPartial ? linksTexts.atLeast : ''}${(isTo ? linksTexts.fromPages : linksTexts.toPages)({
    links: html`<strong>${linksTexts.linkCount({ count: links.length })}</strong>`,
    pages: html`<strong>${sharedTexts.pages({ count: pages })}</strong>`,
  })}`
}

function linkItem(link: PageLink, direction: LinkDirection, isSite: boolean): Html {
  const { from, to, text, relation, isNoFollow, firstSeenMs, lastSeenMs, goneMs } = link
  const other = direction === 'to' ? from : to
  const words = text === '' ? nothing : html` <q dir="auto">${text}</q>`
  const own = direction === 'to' ? to : from
  const ownPage = isSite
    ? html` ${direction === 'to' ? '→' : '←'} <a href="${linksPath(direction, own)}">${urlElement(own)}</a>`
    : nothing
  const kind = `${relation}${isNoFollow ? ', nofollow' : ''}`
  const until =
    goneMs === undefined
      ? linksTexts.lastSeen({ when: momentElement(lastSeenMs) })
      : linksTexts.gone({ when: momentElement(goneMs) })
  return html`<li><a href="${direction === 'to' ? versionPath(lastSeenMs, from) : calendarPath(other)}">${urlElement(other)}</a>${ownPage}${words} <span class="note">${kind} · ${linksTexts.since({ when: momentElement(firstSeenMs) })} · ${until}</span></li>`
}
