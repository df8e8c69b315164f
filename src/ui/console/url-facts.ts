// What the console tells of a URL: its visits, its versions, and what can be done to it.

import { writeFields } from '../../crawl/rules/written-rule.ts'
import type { SiteRule } from '../../model/jobs/site-rule.ts'
import type { VisitRow } from '../../model/survey.ts'
import type { Version } from '../archive.ts'
import { printBytes, printDuration } from '../markup/amounts.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html } from '../markup/html.ts'
import { calendarPath, linksPath, versionPath } from '../markup/links.ts'
import { urlElement } from '../markup/shown-url.ts'
import { consoleTexts } from '../texts/console.ts'
import { sharedTexts } from '../texts/shared.ts'
import { statusTexts } from '../texts/status.ts'
import { actionButton, actionField, dangerous } from './action-forms.ts'
import { accessWords, visitStates } from './console-words.ts'
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
  const access: Fact[] = rule?.access === undefined ? [] : [[consoleTexts.rule, accessWords[rule.access]]]
  return html`<h2>${urlElement(url)}</h2><p class="note"><a href="${calendarPath(url)}">${sharedTexts.allVersionsButton}</a> · <a href="${linksPath('to', url)}">${sharedTexts.whatLinksHere}</a></p>
${factList([...visitFacts(visit), ...access])}
<h3>${consoleTexts.history}</h3>
${versions.length === 0 ? html`<p class="note">${consoleTexts.nothingArchived}</p>` : html`<ul class="recent">${versions.map(({ capturedAtMs, status, payloadBytes, kind }) => html`<li><a href="${versionPath(capturedAtMs, url)}">${momentElement(capturedAtMs)}</a> <span class="note">${status}, ${printBytes(payloadBytes)}${kind === 'same' || kind === 'not-modified' ? consoleTexts.asBefore : ''}</span></li>`)}</ul>`}
${urlActions(node, rule)}`
}

function visitFacts(visit: VisitRow | undefined): Fact[] {
  if (visit === undefined) return [[statusTexts.state, consoleTexts.notVisited]]
  const { state, dueAtMs, visitedAtMs, intervalMs, failures } = visit
  return [
    [statusTexts.state, state === 'stopped' ? consoleTexts.notAgain : (visitStates[state] ?? state)],
    [consoleTexts.nextVisit, state === 'planned' ? momentElement(dueAtMs) : undefined],
    [consoleTexts.lastVisit, visitedAtMs === undefined ? consoleTexts.never : momentElement(visitedAtMs)],
    [consoleTexts.plannedEvery, intervalMs === undefined ? undefined : printDuration(intervalMs)],
    [consoleTexts.failuresInRow, failures],
  ]
}

function urlActions(node: UrlNode, rule: SiteRule | undefined): Html {
  const { url } = node
  const shared = { of: { url }, back: nodeQuery(node) }
  const isDenied = rule?.access === 'deny'
  return html`<h3>${consoleTexts.do}</h3><div class="console-actions">
<div class="console-buttons">${actionButton({ action: 'revisit-now', label: consoleTexts.visitNow, isPrimary: true, ...shared })}${
    isDenied
      ? actionButton({ action: 'resume', label: consoleTexts.allow, ...shared })
      : actionButton({ action: 'deny', label: consoleTexts.deny, ...shared })
  }</div>
${actionField({ action: 'revisit-every', label: consoleTexts.set, ...shared }, { name: 'every', label: consoleTexts.visitItEvery, placeholder: consoleTexts.everyPlaceholderOne, value: String((rule && writeFields(rule).fresh) ?? '') })}
${dangerous(consoleTexts.takeItDown, consoleTexts.takeDownAll, actionField({ action: 'take-down', label: consoleTexts.takeDown, ...shared }, { name: 'reason', label: consoleTexts.whyLabel, placeholder: consoleTexts.askedBy }))}
</div>`
}
