// Ranks: the most important sites, how that has changed, and who links to them; and the same of one site, with its best pages.

import type { Ranked, RankPoint } from '../../../rank/rank-service.ts'
import { printDigits } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { calendarPath, linksPath, rankPath } from '../../markup/links.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { linksTexts } from '../../texts/links.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { type Neighbourhood, neighbourhoodDrawing } from './neighbourhood-drawing.ts'
import { rankCurve } from './rank-curve.ts'

export interface RankedSite {
  readonly site: string
  readonly score: number
  readonly points: readonly RankPoint[]
  readonly linking: Neighbourhood['linking']
}

const linkingNamed = 3

export function rankScreen({
  sites,
  computedMs,
}: {
  readonly sites: readonly RankedSite[]
  readonly computedMs: number
}): Screen {
  const summary =
    sites.length === 0
      ? html`<p>${linksTexts.notComputed}</p>`
      : html`<p>${linksTexts.rankLead({ when: momentElement(computedMs) })}</p>`
  const most = sites[0]?.score ?? 1
  return {
    title: linksTexts.mostImportant,
    name: 'rank',
    body: html`<header class="about-url"><h1>${linksTexts.mostImportant}</h1>${summary}</header>
${sites.length === 0 ? nothing : html`<div class="scroll"><table class="plain ranks"><thead><tr><th scope="col">${linksTexts.site}</th><th scope="col" class="number">${linksTexts.share}</th><th scope="col">${linksTexts.overTime}</th><th scope="col">${linksTexts.linkedFrom}</th></tr></thead><tbody>${sites.map((site) => row(site, most))}</tbody></table></div>`}`,
  }
}

export function rankOfSiteScreen(data: {
  readonly site: string
  readonly pages: readonly Ranked[]
  readonly points: readonly RankPoint[]
  readonly neighbourhood: Neighbourhood
}): Screen {
  const { site, pages, points, neighbourhood } = data
  const score = points.at(-1)?.score
  const most = pages[0]?.score ?? 1
  return {
    title: linksTexts.howImportantTitle({ site }),
    name: 'rank',
    typed: site,
    body: html`<header class="about-url"><p class="eyebrow">${linksTexts.howImportant}</p><h1><bdi>${site}</bdi></h1>
<p>${score === undefined ? linksTexts.rankUnknown : linksTexts.rankOf({ share: html`<strong>${shareOf(score)}</strong>` })}</p>
<ul class="tools"><li><a href="/rank">${linksTexts.mostImportant}</a></li><li><a href="${linksPath('to', site)}">${sharedTexts.whatLinksHere}</a></li></ul></header>
${rankCurve(points, { width: 720, height: 160, isLabelled: true })}
${neighbourhoodDrawing(site, neighbourhood)}
${pages.length === 0 ? nothing : html`<h2>${linksTexts.bestPages}</h2><div class="scroll"><table class="plain ranks"><thead><tr><th scope="col">${linksTexts.page}</th><th scope="col" class="number">${linksTexts.share}</th></tr></thead><tbody>${pages.map(({ url, score: own }) => html`<tr><td><a href="${calendarPath(url)}">${urlElement(url)}</a></td><td class="number">${bar(own / most)} ${shareOf(own)}</td></tr>`)}</tbody></table></div>`}`,
  }
}

function row({ site, score, points, linking }: RankedSite, most: number): Html {
  const named = linking.slice(0, linkingNamed)
  const more = linking.length - named.length
  const from = named.map(
    ({ site: other }, at) => html`${at > 0 ? ', ' : ''}<a href="${rankPath(other)}">${other}</a>`,
  )
  const rest = more > 0 ? html` <a href="${linksPath('to', site)}">${linksTexts.andOthers}</a>` : nothing
  return html`<tr><td><a href="${rankPath(site)}">${site}</a></td><td class="number">${bar(score / most)} ${shareOf(score)}</td><td>${rankCurve(points, { width: 120, height: 28, isLabelled: false })}</td><td class="note">${from}${rest}</td></tr>`
}

function bar(share: number): Html {
  const width = Math.max(1, Math.round(60 * share))
  return html`<svg class="rank-bar" width="60" height="10" aria-hidden="true"><rect width="${width}" height="10" rx="2"/></svg>`
}

/** As many digits as tell two apart. */
function shareOf(score: number): Html {
  const percent = 100 * score
  return html`${printDigits(percent >= 1 ? percent.toFixed(1) : percent.toPrecision(2))} %`
}
