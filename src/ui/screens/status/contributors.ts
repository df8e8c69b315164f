// Contributors: who keeps and who fetches for this archive, those that give most first. Who was shut out has no place here.

import type { NetworkStatus } from '../../../model/peer-status.ts'
import { printBytes, printCount, printDuration } from '../../markup/amounts.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { statusTexts } from '../../texts/status.ts'

interface Contributor {
  readonly id: string
  readonly gives: 'keeps' | 'fetches' | 'spare'
  /** Kept, or brought; not known of those on probation. */
  readonly bytes: number | undefined
  readonly pages: number | undefined
  readonly copies: number | undefined
  readonly presentMs: number | undefined
}

const shown = 200
const barWidth = 60

export function contributorsScreen(status: NetworkStatus | undefined): Screen {
  const contributors = contributorsOf(status)
  const keeping = contributors.filter(({ gives }) => gives === 'keeps').length
  const fetching = contributors.filter(({ gives }) => gives === 'fetches').length
  const most = Math.max(1, contributors[0]?.bytes ?? 0)
  return {
    title: statusTexts.whoGives,
    name: 'contributors',
    current: 'status',
    body: html`<header class="about-url"><h1>${statusTexts.contributors}</h1>
${
  contributors.length === 0
    ? html`<p>${statusTexts.alonePeer}</p>`
    : html`<p>${statusTexts.keptBy({
        peers: statusTexts.peerCount({ count: keeping }),
        volunteers: statusTexts.volunteerCount({ count: fetching }),
      })}</p>`
}
<ul class="tools"><li><a href="/status">${sharedTexts.status}</a></li></ul></header>
${contributors.length === 0 ? nothing : table(contributors.slice(0, shown), most)}
${contributors.length > shown ? html`<p class="note">${statusTexts.andMore({ number: contributors.length - shown })}</p>` : nothing}`,
  }
}

/** Peers that answer, and volunteers that are not shut out. */
function contributorsOf(status: NetworkStatus | undefined): Contributor[] {
  if (status === undefined) return []
  const peers = status.peers.flatMap(({ peer, status: own }): Contributor[] =>
    own === undefined
      ? []
      : [
          {
            ...{ id: peer, gives: 'keeps', bytes: own.share.usedBytes, pages: undefined },
            ...{ copies: own.captures, presentMs: own.machine?.upMs },
          },
        ],
  )
  const volunteers = (status.volunteers ?? [])
    .filter(({ state, fetched }) => state !== 'barred' && fetched > 0)
    .map(({ id, bytes, fetched, presentMs }): Contributor => {
      return { id, gives: 'fetches', bytes, pages: fetched, copies: undefined, presentMs }
    })
  const newcomers = (status.newcomers ?? []).map(
    ({ peer, sinceMs, heardAtMs }): Contributor => ({
      ...{ id: peer, gives: 'spare', bytes: undefined, pages: undefined, copies: undefined },
      presentMs: sinceMs === 0 ? undefined : heardAtMs - sinceMs,
    }),
  )
  const giving = [...peers, ...volunteers].sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0))
  return [...giving, ...newcomers]
}

function table(contributors: readonly Contributor[], most: number): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${statusTexts.contributors}"><table class="plain ranks contributors"><thead><tr><th scope="col" class="number">${statusTexts.rank}</th><th scope="col">${statusTexts.who}</th><th scope="col">${statusTexts.gives}</th><th scope="col">${statusTexts.bytesHead}</th><th scope="col" class="number">${statusTexts.pagesFetched}</th><th scope="col" class="number">${statusTexts.copiesKept}</th><th scope="col">${statusTexts.hereFor}</th></tr></thead><tbody>${contributors.map((one, index) => row(one, index + 1, most))}</tbody></table></div>`
}

function row({ id, gives, bytes, pages, copies, presentMs }: Contributor, rank: number, most: number): Html {
  const width = Math.max(1, Math.round((barWidth * (bytes ?? 0)) / most))
  const bar = html`<svg class="rank-bar" width="${barWidth}" height="10" aria-hidden="true"><rect width="${width}" height="10" rx="2"/></svg>`
  return html`<tr><td class="number">${rank}</td><th scope="row"><code>…${id.slice(-8)}</code></th><td>${giftOf[gives]}</td><td>${bytes === undefined ? '–' : html`${bar} ${printBytes(bytes)}`}</td><td class="number">${amount(pages)}</td><td class="number">${amount(copies)}</td><td>${presentMs === undefined ? '–' : printDuration(presentMs)}</td></tr>`
}

const giftOf = {
  keeps: statusTexts.givesPlace,
  fetches: statusTexts.givesLine,
  spare: statusTexts.givesSpare,
} as const

function amount(count: number | undefined): Html | string {
  return count === undefined ? '–' : printCount(count)
}
