// What the console tells of a URL: its visits, its versions, and what can be done to it.

import { writeFields } from '../../crawl/rules/written-rule.ts'
import type { SiteRule } from '../../model/jobs/site-rule.ts'
import type { VisitRow } from '../../model/survey.ts'
import type { Version } from '../archive.ts'
import { printBytes } from '../markup/amounts.ts'
import { momentElement } from '../markup/dates.ts'
import { printDuration } from '../markup/duration.ts'
import { type Html, html } from '../markup/html.ts'
import { calendarPath, linksPath, versionPath } from '../markup/links.ts'
import { urlElement } from '../markup/shown-url.ts'
import { actionButton, actionField, dangerous } from './action-forms.ts'
import { type Fact, factList } from './figures.ts'
import { nodeQuery, type UrlNode } from './node.ts'

export interface UrlData {
  readonly visit: VisitRow | undefined
  /** Newest first. */
  readonly versions: readonly Version[]
  /** Of this URL itself. */
  readonly rule: SiteRule | undefined
}

export function urlFacts(node: UrlNode, { visit, versions, rule }: UrlData): Html {
  const { url } = node
  const access: Fact[] = rule?.access === undefined ? [] : [['rule', rule.access]]
  return html`<h2>${urlElement(url)}</h2><p class="note"><a href="${calendarPath(url)}">All versions</a> · <a href="${linksPath('to', url)}">What links here</a></p>
${factList([...visitFacts(visit), ...access])}
<h3>History</h3>
${versions.length === 0 ? html`<p class="note">Nothing of it is archived yet.</p>` : html`<ul class="recent">${versions.map(({ capturedAtMs, status, payloadBytes, kind }) => html`<li><a href="${versionPath(capturedAtMs, url)}">${momentElement(capturedAtMs)}</a> <span class="note">${status}, ${printBytes(payloadBytes)}${kind === 'same' || kind === 'not-modified' ? ', as before' : ''}</span></li>`)}</ul>`}
${urlActions(node, rule)}`
}

function visitFacts(visit: VisitRow | undefined): Fact[] {
  if (visit === undefined) return [['state', 'not visited yet']]
  const { state, dueAtMs, visitedAtMs, intervalMs, failures } = visit
  return [
    ['state', state === 'stopped' ? 'not visited again, by a rule' : state],
    ['next visit', state === 'planned' ? momentElement(dueAtMs) : undefined],
    ['last visit', visitedAtMs === undefined ? 'never' : momentElement(visitedAtMs)],
    ['planned every', intervalMs === undefined ? undefined : printDuration(intervalMs)],
    ['failures in a row', failures],
  ]
}

function urlActions(node: UrlNode, rule: SiteRule | undefined): Html {
  const { url } = node
  const shared = { of: { url }, back: nodeQuery(node) }
  const isDenied = rule?.access === 'deny'
  return html`<h3>Do</h3><div class="console-actions">
<div class="console-buttons">${actionButton({ action: 'revisit-now', label: 'Visit now', isPrimary: true, ...shared })}${
    isDenied
      ? actionButton({ action: 'resume', label: 'Allow', ...shared })
      : actionButton({ action: 'deny', label: 'Deny', ...shared })
  }</div>
${actionField({ action: 'revisit-every', label: 'Set', ...shared }, { name: 'every', label: 'Visit it again every', placeholder: '1d, 1h-7d or never; empty: as it changes', value: String((rule && writeFields(rule).fresh) ?? '') })}
${dangerous('Take it down', 'All its captures are hidden at once, on all peers, and destroyed when the time to undo that is over.', actionField({ action: 'take-down', label: 'Take down', ...shared }, { name: 'reason', label: 'Why', placeholder: 'asked for by …' }))}
</div>`
}
