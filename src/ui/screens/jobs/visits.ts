// Planned visits: which pages are visited again and when, and the rules for that. The owner changes or stops them.

import type { PlannedVisit, VisitRule, VisitTarget } from '../../../model/jobs/planned-visit.ts'
import { printDuration } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, inEnglish, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { calendarPath } from '../../markup/links.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { visitsTexts } from '../../texts/visits.ts'
import { ownersOnly } from './archive-now.ts'

interface VisitsData {
  readonly visits: readonly PlannedVisit[]
  readonly rules: readonly VisitRule[]
  readonly isOwner: boolean
  /** The site or page that is shown; everything unless told. */
  readonly of: string
  /** There are other peers, which keep the rules for sites and pages as well. */
  readonly isShared: boolean
  readonly mistake?: string | undefined
}

export function visitsScreen({ visits, rules, isOwner, of, isShared, mistake }: VisitsData): Screen {
  return {
    title: visitsTexts.title,
    name: 'visits',
    current: 'jobs',
    body: html`<header class="about-url"><h1>${visitsTexts.title}</h1>
<p>${visitsTexts.lead}</p>
${isShared ? sharedNote : nothing}</header>
${mistake === undefined ? nothing : html`<p class="trouble" role="alert">${sharedTexts.notChanged({ mistake: inEnglish(mistake) })}</p>`}
<form class="opening compact" action="/visits"><div class="field"><label for="of">${visitsTexts.siteOrPage}</label>
<input id="of" name="of" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" value="${of}" placeholder="${visitsTexts.everythingPlaceholder}"></div>
<div class="actions"><button type="submit">${visitsTexts.show}</button></div></form>
${isOwner ? changeForm(of) : ownersOnly}
${rules.length === 0 ? nothing : html`<section aria-labelledby="rules"><h2 id="rules">${visitsTexts.rules}</h2><ul>${rules.slice(0, rulesShownMax).map((rule) => ruleItem(rule, isOwner))}</ul>${rules.length > rulesShownMax ? html`<p class="note">${visitsTexts.moreRules({ count: rules.length - rulesShownMax })}</p>` : nothing}</section>`}
<section aria-labelledby="next"><h2 id="next">${visitsTexts.next}</h2>
${visits.length === 0 ? html`<p>${visitsTexts.none}</p>` : html`<ul class="recent">${visits.map(visitItem)}</ul>`}</section>`,
  }
}

const rulesShownMax = 200

const sharedNote = html`<p class="note">${visitsTexts.shared}</p>`

function changeForm(of: string): Html {
  return html`<form class="opening compact" action="/visits" method="post"><input type="hidden" name="of" value="${of}">
<div class="field"><label for="every">${visitsTexts.visitEvery({ name: of === '' ? visitsTexts.everythingPlaceholder : of })}</label>
<input id="every" name="every" type="text" autocomplete="off" placeholder="${visitsTexts.span}"></div>
<div class="actions"><button type="submit" name="action" value="every">${visitsTexts.change}</button> <button type="submit" name="action" value="stop">${visitsTexts.stop}</button></div></form>`
}

function ruleItem({ target, bounds }: VisitRule, isOwner: boolean): Html {
  const often =
    bounds === undefined
      ? visitsTexts.notAgain
      : visitsTexts.often({ min: printDuration(bounds.minMs), max: printDuration(bounds.maxMs) })
  const name = nameOf(target)
  return html`<li>${name === '' ? visitsTexts.everything : name}: ${often} ${
    isOwner
      ? html`<form class="inline" action="/visits" method="post"><input type="hidden" name="of" value="${name}"><button type="submit" name="action" value="resume">${visitsTexts.takeBack}</button></form>`
      : nothing
  }</li>`
}

/** As it is typed. */
export function nameOf(target: VisitTarget): string {
  if (target.kind === 'all') return ''
  return target.kind === 'site' ? target.site : target.url
}

function visitItem({ url, dueAtMs, visitedAtMs, failures, state }: PlannedVisit): Html {
  const when =
    state === 'planned' ? momentElement(dueAtMs) : state === 'stopped' ? visitsTexts.stopped : visitsTexts.now
  const last =
    visitedAtMs === undefined ? nothing : html` · ${visitsTexts.last({ when: momentElement(visitedAtMs) })}`
  const failed = failures === 0 ? nothing : html` · ${visitsTexts.failed({ count: failures })}`
  return html`<li><a href="${calendarPath(url)}">${urlElement(url)}</a> <span class="note">${when}${last}${failed}</span></li>`
}
