// Rules: what is crawled and how, by site, host, pattern and URL. The owner adds, changes and removes them.

import { ruleBounds } from '../../../crawl/rules/rule-schema.ts'
import type { ListedRule } from '../../../crawl/rules/rule-service.ts'
import { writeFields, writtenFieldNames } from '../../../crawl/rules/written-rule.ts'
import type { RuleTarget } from '../../../model/jobs/site-rule.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, inEnglish, nothing, spoken } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { rulesTexts } from '../../texts/rules.ts'
import { sharedTexts } from '../../texts/shared.ts'
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
    title: rulesTexts.title,
    name: 'rules',
    current: 'jobs',
    body: html`<header class="about-url"><h1>${rulesTexts.title}</h1>
<p>${rulesTexts.lead}</p>
${isShared ? sharedNote : nothing}</header>
${mistake === undefined ? nothing : html`<p class="trouble" role="alert">${sharedTexts.notChanged({ mistake: inEnglish(mistake) })}</p>`}
${isOwner ? ruleForm(typed) : ownersOnly}
<section aria-labelledby="rules"><h2 id="rules">${count === 0 && find === '' ? rulesTexts.none : rulesTexts.count({ count })}</h2>
${count > searchableMin || find !== '' ? findForm(find) : count > 0 ? nothing : html`<p>${rulesTexts.noneWords}</p>`}
${rules.length === 0 ? nothing : html`<ul class="rules">${rules.map((rule) => ruleItem(rule, isOwner))}</ul>`}
${count > rules.length ? html`<p class="note">${rulesTexts.more({ count: count - rules.length })}</p>` : nothing}
</section>`,
  }
}

/** Fewer can be looked through. */
const searchableMin = 10

const sharedNote = html`<p class="note">${rulesTexts.shared}</p>`

const kinds: readonly (readonly [kind: string, words: Html])[] = [
  ['site', rulesTexts.kindSite],
  ['host', rulesTexts.kindHost],
  ['pattern', rulesTexts.kindPattern],
  ['url', rulesTexts.kindUrl],
  ['all', rulesTexts.everything],
]

const kindWords = {
  site: rulesTexts.siteWord,
  host: rulesTexts.hostWord,
  pattern: rulesTexts.patternWord,
  url: rulesTexts.urlWord,
} as const

/** What is chosen rather than typed. */
const choices: Readonly<Record<string, readonly string[]>> = {
  access: ['allow', 'deny', 'pause', 'none'],
  priority: ['low', 'normal', 'high', 'none'],
  browser: ['auto', 'always', 'never', 'none'],
}

const choiceWords: Readonly<Record<string, Html>> = {
  allow: rulesTexts.wordAllow,
  deny: rulesTexts.wordDeny,
  pause: rulesTexts.wordPause,
  none: rulesTexts.wordNone,
  low: rulesTexts.wordLow,
  normal: rulesTexts.wordNormal,
  high: rulesTexts.wordHigh,
  auto: rulesTexts.wordAuto,
  always: rulesTexts.wordAlways,
  never: rulesTexts.wordNever,
}

/** Of what is typed. */
const expectations: Readonly<Record<string, Html>> = {
  delay: rulesTexts.expectsDelay,
  hours: rulesTexts.expectsHours,
  fresh: rulesTexts.expectsFresh,
  depth: rulesTexts.expectsDepth({ max: String(ruleBounds.depthMax) }),
  types: rulesTexts.expectsTypes,
  size: rulesTexts.expectsSize,
}

const accessWords = {
  allow: rulesTexts.crawled,
  deny: rulesTexts.notCrawled,
  pause: rulesTexts.paused,
} as const

const labels: Readonly<Record<string, Html>> = {
  access: rulesTexts.access,
  delay: rulesTexts.delay,
  hours: rulesTexts.hours,
  fresh: rulesTexts.fresh,
  depth: rulesTexts.depth,
  types: rulesTexts.types,
  size: rulesTexts.size,
  priority: rulesTexts.priority,
  browser: rulesTexts.browser,
}

const placeholders: Readonly<Record<string, Html | string>> = {
  delay: '5s',
  hours: '22:00-06:00',
  fresh: rulesTexts.freshPlaceholder,
  depth: '3',
  types: 'html,image',
  size: '10MB',
}

function ruleForm({ kind, name, fields }: TypedRule): Html {
  return html`<form class="rule-form" action="/rules" method="post">
<div class="rule-target"><span class="choice"><label for="for">${rulesTexts.ruleFor}</label>
<select id="for" name="for">${kinds.map(([value, words]) => option(value, words, value === kind))}</select></span>
<span class="field"><label class="unseen" for="name">${rulesTexts.name}</label>
<input id="name" name="name" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="example.org" value="${name}"></span></div>
<div class="rule-fields">${writtenFieldNames.map((field) => fieldOf(field, fields[field] ?? ''))}</div>
<p class="note">${rulesTexts.empty}</p>
<div class="actions"><button type="submit" name="action" value="set" class="primary">${rulesTexts.set}</button></div>
</form>`
}

function fieldOf(field: string, value: string): Html {
  const id = `rule-${field}`
  const label = html`<label for="${id}">${labels[field]}</label>`
  const chosen = choices[field]
  if (chosen !== undefined)
    return html`<span class="rule-field">${label}<select id="${id}" name="${field}"><option value="">${rulesTexts.asIs}</option>${chosen.map((word) => option(word, choiceWords[word] ?? word, word === value))}</select></span>`
  return html`<span class="rule-field">${label}<input id="${id}" name="${field}" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" title="${expectations[field] ?? ''}" placeholder="${placeholders[field] ?? ''}" value="${value}"></span>`
}

function option(value: string, words: Html | string, isChosen: boolean): Html {
  return html`<option value="${value}"${isChosen ? html` selected` : nothing}>${words}</option>`
}

function findForm(find: string): Html {
  return html`<form class="opening compact" action="/rules"><div class="field"><label for="find-rule">${rulesTexts.lookFor}</label>
<input id="find-rule" name="find" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" value="${find}" placeholder="${rulesTexts.partOfName}"></div>
<div class="actions"><button type="submit">${rulesTexts.show}</button></div></form>`
}

function ruleItem(rule: ListedRule, isOwner: boolean): Html {
  const { target, setAtMs, setBy, isInForce } = rule
  const { access } = rule
  const fields = Object.entries(writeFields(rule)).filter(([field]) => field !== 'access')
  const set =
    setAtMs === 0
      ? nothing
      : setBy === ''
        ? rulesTexts.setAt({ when: momentElement(setAtMs) })
        : rulesTexts.setBy({
            when: momentElement(setAtMs),
            peer: html`<code title="${setBy}">…${setBy.slice(-8)}</code>`,
          })
  return html`<li><div><h3><small>${target.kind === 'all' ? nothing : kindWords[target.kind]}</small> <bdi class="rule-name">${nameOf(target)}</bdi></h3>
<p>${access === undefined ? nothing : html`<strong class="rule-access ${access}">${accessWords[access]}</strong>`} ${fields.map(([field, value]) => html`<span class="rule-said">${labelWords(field)} <b>${choiceWords[String(value)] ?? String(value)}</b></span> `)}</p>
<p class="note">${isInForce ? nothing : html`<strong>${rulesTexts.notInForce}</strong> `}${set === nothing ? nothing : set}</p></div>
${isOwner ? removeForm(target) : nothing}</li>`
}

/** Within a sentence. */
function labelWords(field: string): Html {
  return spoken((locale) => {
    const label = labels[field]!.textIn(locale)
    return html`${locale.language === 'en' ? label.toLowerCase().replace('utc', 'UTC') : label}`
  })
}

function removeForm(target: RuleTarget): Html {
  const name = target.kind === 'all' ? '' : typedName(target)
  return html`<form class="inline" action="/rules" method="post"><input type="hidden" name="for" value="${target.kind}"><input type="hidden" name="name" value="${name}"><button type="submit" name="action" value="remove" aria-label="${rulesTexts.removeFor({ name: nameOf(target) })}">${sharedTexts.remove}</button></form>`
}

function nameOf(target: RuleTarget): Html | string {
  return target.kind === 'all' ? rulesTexts.everything : typedName(target)
}

function typedName(target: Exclude<RuleTarget, { kind: 'all' }>): string {
  switch (target.kind) {
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
