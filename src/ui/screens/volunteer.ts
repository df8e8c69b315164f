// The page of a volunteer, for its owner alone: what it fetches now, what it has given, its rank, its limits, and a button to stop.
//
// Plain HTML without scripts, and not laid out as the pages of a peer: it has none of their files.

import type { VolunteerStatus } from '../../model/peer-status.ts'
import { printBytes, printCount, printDecimal } from '../markup/amounts.ts'
import { type Html, html } from '../markup/html.ts'
import { languageCode, languageLinks } from '../markup/layout.ts'
import { volunteerTexts } from '../texts/volunteer.ts'

export interface VolunteerView {
  readonly leaders: number
  readonly pause: 'stopped' | 'metered' | 'hours' | 'battery' | 'memory' | 'busy' | undefined
  readonly pages: number
  readonly bytes: number
  readonly bundles: number
  readonly memoryBytes: number
  readonly best:
    | (Pick<VolunteerStatus, 'score' | 'state'> & { readonly rank: number; readonly of: number })
    | undefined
  /** The version of the program that the network runs, where it is later than this one. */
  readonly release: string | undefined
  /** Addresses; one that is not known yet is empty. */
  readonly now: readonly string[]
  readonly limits: {
    /** Bytes a second. */
    readonly up: number | null
    readonly down: number | null
    /** Of a core. */
    readonly cpu: number | null
    readonly hours: { readonly from: number; readonly to: number } | null
    readonly pausesOnBattery: boolean
    readonly isMetered: boolean
    readonly pausesWhenBusy: boolean
    readonly isStopped: boolean
  }
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}.stop{font-size:2rem;padding:1rem 3rem;background:#a00;color:#fff;border:0;border-radius:.5rem}dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem}dd{margin:0}code{overflow-wrap:anywhere}@media(prefers-color-scheme:dark){:root{color-scheme:dark}a{color:#9cf}}'

const states = {
  new: volunteerTexts.newcomer,
  proven: volunteerTexts.proven,
  barred: volunteerTexts.barred,
} as const

export function volunteerPage(view: VolunteerView): Html {
  const { best, release, now, limits } = view
  return html`<!doctype html><html lang="${languageCode}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${volunteerTexts.title}</title><style>${style}</style></head><body><main><h1>${volunteerTexts.title}</h1>
<form method="post"><input type="hidden" name="isStopped" value="${limits.isStopped ? 'no' : 'yes'}"><button class="stop">${limits.isStopped ? volunteerTexts.goOn : volunteerTexts.stop}</button></form>
<p>${stateOf(view)} <a href="/">${volunteerTexts.lookAgain}</a></p>
<dl><dt>${volunteerTexts.pagesGiven}</dt><dd>${printCount(view.pages)}</dd><dt>${volunteerTexts.sent}</dt><dd>${printBytes(view.bytes)}</dd><dt>${volunteerTexts.bundles}</dt><dd>${printCount(view.bundles)}</dd><dt>${volunteerTexts.memoryTaken}</dt><dd>${printBytes(view.memoryBytes)}</dd>${best && html`<dt>${volunteerTexts.rank}</dt><dd>${volunteerTexts.rankOf({ rank: printCount(best.rank), of: printCount(best.of) })}</dd><dt>${volunteerTexts.score}</dt><dd>${printDecimal(best.score, 2)} (${states[best.state]})</dd>`}</dl>
${release !== undefined && html`<p class="news">${volunteerTexts.release({ version: release })}</p>`}
<h2>${volunteerTexts.now}</h2>
${now.length === 0 ? html`<p>${volunteerTexts.nothingNow}</p>` : html`<ul>${now.map((href) => html`<li>${href === '' ? volunteerTexts.aboutToBegin : html`<code>${href}</code>`}</li>`)}</ul>`}
<h2>${volunteerTexts.limits}</h2>
${limitsForm(limits)}</main><footer><p>${languageLinks}</p></footer></body></html>`
}

function stateOf({ pause, leaders, limits }: VolunteerView): Html {
  if (pause === undefined) return volunteerTexts.fetches({ count: leaders })
  if (pause !== 'hours') return volunteerTexts.pauses({ reason: volunteerTexts[pause] })
  const { from = 0, to = 24 } = limits.hours ?? {}
  return volunteerTexts.pauses({ reason: volunteerTexts.hours({ from, to }) })
}

function limitsForm(limits: VolunteerView['limits']): Html {
  const { up, down, cpu, hours } = limits
  const field = (name: string, label: Html, value: number | string | null) =>
    html`<p><label>${label} <input name="${name}" value="${value ?? ''}"></label></p>`
  const box = (name: 'pausesOnBattery' | 'isMetered' | 'pausesWhenBusy') =>
    html`<p><label><input type="checkbox" name="${name}" value="yes"${limits[name] && html` checked`}> ${volunteerTexts[name]}</label></p>`
  return html`<form method="post"><input type="hidden" name="form" value="limits">
${field('up', volunteerTexts.up, up === null ? null : up / 1_000)}
${field('down', volunteerTexts.down, down === null ? null : down / 1_000)}
${field('cpu', volunteerTexts.cpu, cpu === null ? null : cpu * 100)}
${field('hours', volunteerTexts.hoursField, hours === null ? null : `${hours.from}-${hours.to}`)}
${box('pausesOnBattery')}
${box('isMetered')}
${box('pausesWhenBusy')}
<p><button>${volunteerTexts.keep}</button></p></form>`
}
