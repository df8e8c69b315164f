// Rules: what is crawled and how, by site, host, pattern and URL. The owner adds, changes and removes them.

import type { ListedRule } from '../../../crawl/rules/rule-service.ts'
import { fieldExpects, writeFields, writtenFieldNames } from '../../../crawl/rules/written-rule.ts'
import type { RuleTarget } from '../../../model/jobs/site-rule.ts'
import { plural } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { ownersOnly } from './archive-now.ts'

export interface TypedRule {
  readonly kind: string
  readonly name: string
  readonly fields: Readonly<Record<string, string>>
}

interface RulesData {
  readonly rules: readonly ListedRule[]
  /** In all; the first of them are shown. */
  readonly count: number
  /** What is looked for. */
  readonly find: string
  readonly isOwner: boolean
  /** There are other peers, which keep them as well. */
  readonly isShared: boolean
  readonly typed: TypedRule
  readonly mistake?: string | undefined
}

export function rulesScreen(data: RulesData): Screen {
  const { rules, count, find, isOwner, isShared, typed, mistake } = data
  return {
    title: 'Rules',
    name: 'rules',
    current: 'jobs',
    body: html`<header class="about-url"><h1>Rules</h1>
<p>What is crawled, and how. The most specific rule that says something about a matter decides it: one for a page, then a pattern, a host, a site, everything. robots.txt is obeyed in any case.</p>
${isShared ? sharedNote : nothing}</header>
${mistake === undefined ? nothing : html`<p class="trouble" role="alert"><strong>Not changed:</strong> ${mistake}</p>`}
${isOwner ? ruleForm(typed) : ownersOnly}
<section aria-labelledby="rules"><h2 id="rules">${count === 0 && find === '' ? 'No rules yet' : plural(count, 'rule')}</h2>
${count > searchableMin || find !== '' ? findForm(find) : count > 0 ? nothing : html`<p>Everything that a crawl asks for is fetched, at the pace that its host allows.</p>`}
${rules.length === 0 ? nothing : html`<ul class="rules">${rules.map((rule) => ruleItem(rule, isOwner))}</ul>`}
${count > rules.length ? html`<p class="note">and ${plural(count - rules.length, 'more rule')}: look for a name, or run <code>polyhistor rules list</code></p>` : nothing}
</section>`,
  }
}

/** Fewer can be looked through. */
const searchableMin = 10

const sharedNote = html`<p class="note">Rules hold on all peers of the network, within seconds. Only those for everything are this peer's own.</p>`

const kinds: readonly (readonly [kind: string, words: string])[] = [
  ['site', 'a site, with all its hosts'],
  ['host', 'a host'],
  ['pattern', 'URLs that match a pattern'],
  ['url', 'one page'],
  ['all', 'everything'],
]

/** What is chosen rather than typed. */
const choices: Readonly<Record<string, readonly string[]>> = {
  access: ['allow', 'deny', 'pause', 'none'],
  priority: ['low', 'normal', 'high', 'none'],
  browser: ['auto', 'always', 'never', 'none'],
}

const accessWords = { allow: 'crawled', deny: 'not crawled', pause: 'paused' } as const

const labels: Readonly<Record<string, string>> = {
  access: 'Crawl it',
  delay: 'Pause between requests',
  hours: 'Hours, UTC',
  fresh: 'Visit again every',
  depth: 'Steps from a start',
  types: 'Kinds kept',
  size: 'Largest response',
  priority: 'Priority',
  browser: 'In a browser',
}

const placeholders: Readonly<Record<string, string>> = {
  delay: '5s',
  hours: '22:00-06:00',
  fresh: '1d, 1h-7d or never',
  depth: '3',
  types: 'html,image',
  size: '10MB',
}

function ruleForm({ kind, name, fields }: TypedRule): Html {
  return html`<form class="rule-form" action="/rules" method="post">
<div class="rule-target"><span class="choice"><label for="for">A rule for</label>
<select id="for" name="for">${kinds.map(([value, words]) => option(value, words, value === kind))}</select></span>
<span class="field"><label class="unseen" for="name">Its name, address or pattern</label>
<input id="name" name="name" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="example.org" value="${name}"></span></div>
<div class="rule-fields">${writtenFieldNames.map((field) => fieldOf(field, fields[field] ?? ''))}</div>
<p class="note">What is left empty stays as it is; <code>none</code> takes a matter out of the rule.</p>
<div class="actions"><button type="submit" name="action" value="set" class="primary">Set the rule</button></div>
</form>`
}

function fieldOf(field: string, value: string): Html {
  const id = `rule-${field}`
  const label = html`<label for="${id}">${labels[field]}</label>`
  const chosen = choices[field]
  if (chosen !== undefined)
    return html`<span class="rule-field">${label}<select id="${id}" name="${field}"><option value="">as it is</option>${chosen.map((word) => option(word, word, word === value))}</select></span>`
  return html`<span class="rule-field">${label}<input id="${id}" name="${field}" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" title="${fieldExpects(field)}" placeholder="${placeholders[field] ?? ''}" value="${value}"></span>`
}

function option(value: string, words: string, isChosen: boolean): Html {
  return html`<option value="${value}"${isChosen ? html` selected` : nothing}>${words}</option>`
}

function findForm(find: string): Html {
  return html`<form class="opening compact" action="/rules"><div class="field"><label for="find-rule">Look for</label>
<input id="find-rule" name="find" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" value="${find}" placeholder="part of a name"></div>
<div class="actions"><button type="submit">Show</button></div></form>`
}

function ruleItem(rule: ListedRule, isOwner: boolean): Html {
  const { target, setAtMs, setBy, isInForce } = rule
  const { access } = rule
  const fields = Object.entries(writeFields(rule)).filter(([field]) => field !== 'access')
  const set =
    setAtMs === 0
      ? nothing
      : html`set ${momentElement(setAtMs)}${setBy === '' ? nothing : html` by <code title="${setBy}">…${setBy.slice(-8)}</code>`}`
  return html`<li><div><h3><small>${target.kind === 'all' ? nothing : target.kind}</small> <span class="rule-name">${nameOf(target)}</span></h3>
<p>${access === undefined ? nothing : html`<strong class="rule-access ${access}">${accessWords[access]}</strong>`} ${fields.map(([field, value]) => html`<span class="rule-said">${labelWords(field)} <b>${String(value)}</b></span> `)}</p>
<p class="note">${isInForce ? nothing : html`<strong>Not in force: there are too many patterns.</strong> `}${set === nothing ? nothing : set}</p></div>
${isOwner ? removeForm(target) : nothing}</li>`
}

/** Within a sentence. */
function labelWords(field: string): string {
  return labels[field]!.toLowerCase().replace('utc', 'UTC')
}

function removeForm(target: RuleTarget): Html {
  const name = target.kind === 'all' ? '' : nameOf(target)
  return html`<form class="inline" action="/rules" method="post"><input type="hidden" name="for" value="${target.kind}"><input type="hidden" name="name" value="${name}"><button type="submit" name="action" value="remove" aria-label="Remove the rule for ${nameOf(target)}">Remove</button></form>`
}

function nameOf(target: RuleTarget): string {
  switch (target.kind) {
    case 'all':
      return 'everything'
    case 'site':
      return target.site
    case 'host':
      return target.host
    case 'pattern':
      return target.pattern
    case 'url':
      return target.url
  }
}
