// Settings: what can be set, what it is, where that comes from, and what it trades off. Those that are safe to change have a field.

import type { PageSetting } from '../../archive.ts'
import { type Html, html, inEnglish, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { settingExpects, settingMeaning } from '../../texts/setting-meanings.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { ownersOnly } from '../jobs/archive-now.ts'

interface SettingsData {
  readonly settings: readonly PageSetting[]
  readonly isOwner: boolean
  readonly mistake?: { readonly name: string; readonly value: string; readonly message: string }
}

export function settingsScreen({ settings, isOwner, mistake }: SettingsData): Screen {
  const groups = Map.groupBy(settings, ({ name }) => groupOf(name))
  return {
    title: settingsTexts.title,
    name: 'settings',
    body: html`<header class="about-url"><h1>${settingsTexts.title}</h1>
${isOwner ? html`<p>${settingsTexts.lead}</p>` : html`<p>${settingsTexts.strangers}</p>${ownersOnly}`}
</header>
${mistake === undefined ? nothing : html`<p class="trouble" role="alert">${sharedTexts.notChanged({ mistake: inEnglish(mistake.message) })}</p>`}
${[...groups].map(([group, members]) => section(group, members, mistake))}`,
  }
}

const groupNames: Readonly<Record<string, Html>> = {
  '': settingsTexts.general,
  log: settingsTexts.log,
  traces: settingsTexts.log,
  peer: settingsTexts.general,
  http: settingsTexts.http,
  store: settingsTexts.store,
  crawl: settingsTexts.crawl,
  ring: settingsTexts.peers,
  network: settingsTexts.peers,
  changes: settingsTexts.changes,
  search: settingsTexts.search,
  rank: settingsTexts.search,
  volunteers: settingsTexts.volunteers,
  audits: settingsTexts.proof,
  proof: settingsTexts.proof,
  corroboration: settingsTexts.proof,
}

/** By its English name, which its address on the page is made of. */
function groupOf(name: string): string {
  const first = name.includes('.') ? name.split('.', 1)[0]! : ''
  return Object.hasOwn(groupNames, first) ? String(groupNames[first]) : first
}

function headingOf(group: string, [setting]: readonly PageSetting[]): Html | string {
  const name = setting?.name ?? ''
  return groupNames[name.includes('.') ? name.split('.', 1)[0]! : ''] ?? group
}

function section(group: string, members: readonly PageSetting[], mistake: SettingsData['mistake']): Html {
  const id = `group-${group.toLowerCase().replaceAll(/\W+/g, '-')}`
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${headingOf(group, members)}</h2>
<dl class="settings">${members.map((setting) => item(setting, setting.name === mistake?.name ? mistake.value : undefined))}</dl></section>`
}

const sources: Readonly<Record<PageSetting['source'], Html>> = {
  default: settingsTexts.byDefault,
  preset: settingsTexts.byPreset,
  file: settingsTexts.fromFile,
  environment: settingsTexts.fromEnvironment,
  flag: settingsTexts.fromFlag,
}

function item(setting: PageSetting, typed: string | undefined): Html {
  const { name, value, source, meaning, next, environmentName, canChange } = setting
  return html`<div><dt><code>${name}</code> <span class="setting-value">${value === '' ? settingsTexts.none : value}</span> <small class="note">${sources[source]}</small></dt>
<dd>${settingMeaning(name, meaning)}
${source === 'environment' ? html`<span class="note">${settingsTexts.variable({ name: html`<code>${environmentName}</code>` })}</span>` : nothing}
${next === undefined ? nothing : html`<strong class="next">${settingsTexts.fromNextStart({ value: next === '' ? settingsTexts.none : next })}</strong>`}
${canChange ? changeForm(setting, typed) : nothing}</dd></div>`
}

function changeForm({ name, value, next, expects }: PageSetting, typed: string | undefined): Html {
  const id = `set-${name.replaceAll('.', '-')}`
  return html`<details${typed === undefined ? nothing : html` open`}><summary>${settingsTexts.change}</summary><form action="/settings" method="post"><input type="hidden" name="name" value="${name}">
<label for="${id}">${name}: ${settingExpects(expects)}</label> <input id="${id}" name="value" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" value="${typed ?? next ?? value}"> <button type="submit">${settingsTexts.set}</button></form></details>`
}
