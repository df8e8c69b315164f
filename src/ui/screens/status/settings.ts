// Settings: what can be set, what it is, where that comes from, and what it trades off. Those that are safe to change have a field.

import type { PageSetting } from '../../archive.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { ownersOnly } from '../jobs/archive-now.ts'

interface SettingsData {
  readonly settings: readonly PageSetting[]
  readonly isOwner: boolean
  readonly mistake?: { readonly name: string; readonly value: string; readonly message: string }
}

export function settingsScreen({ settings, isOwner, mistake }: SettingsData): Screen {
  const groups = Map.groupBy(settings, ({ name }) => groupOf(name))
  return {
    title: 'Settings',
    name: 'settings',
    body: html`<header class="about-url"><h1>Settings</h1>
${
  isOwner
    ? html`<p>They stand in <code>config.toml</code> in the home folder of this archive. What is changed here is written there, and holds from the next start on; some of it sooner, with <code>polyhistor reload</code>. Where there is no field, a mistake could lock you out or lose something: edit the file instead.</p>`
    : html`<p>The settings of this archive are for its owner to see.</p>${ownersOnly}`
}
</header>
${mistake === undefined ? nothing : html`<p class="trouble" role="alert"><strong>Not changed:</strong> ${mistake.message}</p>`}
${[...groups].map(([group, members]) => section(group, members, mistake))}`,
  }
}

const groupNames: Readonly<Record<string, string>> = {
  '': 'In general',
  log: 'What is told',
  http: 'Who can reach the archive',
  store: 'How things are kept',
  crawl: 'How it crawls',
  ring: 'Other peers',
  network: 'Other peers',
}

function groupOf(name: string): string {
  const first = name.includes('.') ? name.split('.', 1)[0]! : ''
  return groupNames[first] ?? first
}

function section(group: string, members: readonly PageSetting[], mistake: SettingsData['mistake']): Html {
  const id = `group-${group.toLowerCase().replaceAll(/\W+/g, '-')}`
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${group}</h2>
<dl class="settings">${members.map((setting) => item(setting, setting.name === mistake?.name ? mistake.value : undefined))}</dl></section>`
}

const sources: Readonly<Record<PageSetting['source'], string>> = {
  default: 'by default',
  preset: 'by the preset',
  file: 'from config.toml',
  environment: 'from the environment',
  flag: 'from the command line',
}

function item(setting: PageSetting, typed: string | undefined): Html {
  const { name, value, source, meaning, next, environmentName, canChange } = setting
  return html`<div><dt><code>${name}</code> <span class="setting-value">${value === '' ? 'none' : value}</span> <small class="note">${sources[source]}</small></dt>
<dd>${meaning[0]!.toUpperCase()}${meaning.slice(1)}.
${source === 'environment' ? html`<span class="note">The variable is <code>${environmentName}</code>.</span>` : nothing}
${next === undefined ? nothing : html`<strong class="next">From the next start on: ${next === '' ? 'none' : next}.</strong>`}
${canChange ? changeForm(setting, typed) : nothing}</dd></div>`
}

function changeForm({ name, value, next, expects }: PageSetting, typed: string | undefined): Html {
  const id = `set-${name.replaceAll('.', '-')}`
  return html`<details${typed === undefined ? nothing : html` open`}><summary>Change</summary><form action="/settings" method="post"><input type="hidden" name="name" value="${name}">
<label for="${id}">${name}: ${expects}</label> <input id="${id}" name="value" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" value="${typed ?? next ?? value}"> <button type="submit">Set</button></form></details>`
}
