// Planned visits: which pages are visited again and when, and the rules for that. The owner changes or stops them.

import type { PlannedVisit, VisitRule, VisitTarget } from '../../../model/jobs/planned-visit.ts'
import { plural } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { printDuration } from '../../markup/duration.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { calendarPath } from '../../markup/links.ts'
import { urlElement } from '../../markup/shown-url.ts'
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
    title: 'Planned visits',
    name: 'visits',
    current: 'jobs',
    body: html`<header class="about-url"><h1>Planned visits</h1>
<p>Archived pages are visited again while the archive runs: those that change often more often, those that stay as they are ever more rarely.</p>
${isShared ? sharedNote : nothing}</header>
${mistake === undefined ? nothing : html`<p class="trouble" role="alert"><strong>Not changed:</strong> ${mistake}</p>`}
<form class="opening compact" action="/visits"><div class="field"><label for="of">Site or page</label>
<input id="of" name="of" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" value="${of}" placeholder="everything"></div>
<div class="actions"><button type="submit">Show</button></div></form>
${isOwner ? changeForm(of) : ownersOnly}
${rules.length === 0 ? nothing : html`<section aria-labelledby="rules"><h2 id="rules">Rules</h2><ul>${rules.slice(0, rulesShownMax).map((rule) => ruleItem(rule, isOwner))}</ul>${rules.length > rulesShownMax ? html`<p class="note">and ${plural(rules.length - rulesShownMax, 'more rule')}</p>` : nothing}</section>`}
<section aria-labelledby="next"><h2 id="next">Next</h2>
${visits.length === 0 ? html`<p>No visits are planned.</p>` : html`<ul class="recent">${visits.map(visitItem)}</ul>`}</section>`,
  }
}

const rulesShownMax = 200

const sharedNote = html`<p class="note">Listed are the visits of this peer; every peer visits the sites that it crawls. A rule for a site or a page holds on all of them, a rule for everything on this one.</p>`

function changeForm(of: string): Html {
  return html`<form class="opening compact" action="/visits" method="post"><input type="hidden" name="of" value="${of}">
<div class="field"><label for="every">Visit ${of === '' ? 'everything' : of} every</label>
<input id="every" name="every" type="text" autocomplete="off" placeholder="1d, or 1h-7d"></div>
<div class="actions"><button type="submit" name="action" value="every">Change</button> <button type="submit" name="action" value="stop">Stop</button></div></form>`
}

function ruleItem({ target, bounds }: VisitRule, isOwner: boolean): Html {
  const often =
    bounds === undefined
      ? 'not visited again'
      : `visited every ${printDuration(bounds.minMs)} to ${printDuration(bounds.maxMs)}`
  const name = nameOf(target)
  return html`<li>${name === '' ? 'Everything' : name}: ${often} ${
    isOwner
      ? html`<form class="inline" action="/visits" method="post"><input type="hidden" name="of" value="${name}"><button type="submit" name="action" value="resume">Take back</button></form>`
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
    state === 'planned' ? momentElement(dueAtMs) : state === 'stopped' ? 'stopped' : 'being visited now'
  const last = visitedAtMs === undefined ? nothing : html` · last ${momentElement(visitedAtMs)}`
  const failed = failures === 0 ? nothing : html` · failed ${failures === 1 ? 'once' : `${failures} times`}`
  return html`<li><a href="${calendarPath(url)}">${urlElement(url)}</a> <span class="note">${when}${last}${failed}</span></li>`
}
