// The network's part of the status: how many copies everything has, drawn; who is there; what is lacking.

import {
  type AwayPeer,
  type NetworkStatus,
  type PeerStatus,
  stateOf,
  type VolunteerStatus,
} from '../../../model/peer-status.ts'
import { printBytes, printCount } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html } from '../../markup/html.ts'

const barWidth = 640
/** Of a large network the first are shown. */
const peersShown = 50

export function networkSection(status: NetworkStatus): Html {
  const { peers, away, sums } = status
  const { links } = sums
  return html`<section aria-labelledby="network"><h2 id="network">The network</h2>
${lackNotices(status)}
<dl class="figures">
<div><dt>peers</dt><dd>${printCount(peers.filter((peer) => peer.status).length)}</dd></div>
<div><dt>entries to copy</dt><dd>${printCount(sums.queue)}</dd></div>
<div><dt>queues of sites to copy</dt><dd>${printCount(sums.sitesToCopy)}</dd></div>
<div><dt>copied</dt><dd>${printBytes(sums.bytesPerSecond)}/s</dd></div>
<div><dt>links sent</dt><dd>${printCount(links.sent)}</dd></div>
<div><dt>links received</dt><dd>${printCount(links.received)}</dd></div>
<div><dt>links waiting</dt><dd>${printCount(links.waiting)}</dd></div>
<div><dt>the oldest waits</dt><dd>${links.waiting === 0 ? '–' : `${(links.oldestMs / 1_000).toFixed(1)} s`}</dd></div>
</dl>
<h3>Copies of every entry</h3>
${copiesHistogram(status)}
${auditSection(status.audits)}
<h3>Peers</h3>
<div class="scroll peers" tabindex="0" role="region" aria-label="Peers"><table><thead><tr><th scope="col">peer</th><th scope="col">state</th><th scope="col">captures</th><th scope="col">disk</th><th scope="col">sites crawled</th><th scope="col">to copy</th><th scope="col">links waiting</th></tr></thead>
<tbody>${peers.slice(0, peersShown).map(({ peer, status: own }, index) => peerRow(peer, own, index === 0))}${away.slice(0, peersShown).map(awayRow)}</tbody></table></div>
${peers.length > peersShown ? html`<p class="note">And ${printCount(peers.length - peersShown)} more: <code>polyhistor status</code> has them all.</p>` : ''}
${volunteersTable(status.volunteers ?? [])}
<p><a href="/contributors">Who gives what to this archive</a></p>
</section>`
}

/** What challenges to other peers have shown. */
function auditSection(audits: NetworkStatus['audits']): Html | '' {
  if (audits === undefined || audits.audits === 0) return ''
  const { right, wrong, late, lacking } = audits
  const excluded = audits.peers.filter(({ isExcluded }) => isExcluded)
  return html`<h3>Do the others keep their copies?</h3>
${excluded.map(({ peer, excludedUntilMs }) => html`<p class="trouble"><strong>Not counted as a holder:</strong> <code>…${peer.slice(-8)}</code> could not show its copies again and again. Others keep them in its stead, until ${momentElement(excludedUntilMs)} at least.</p>`)}
<dl class="figures">
<div><dt>challenges</dt><dd>${printCount(audits.audits)}</dd></div>
<div><dt>answered rightly</dt><dd>${printCount(right)}</dd></div>
<div><dt>wrongly</dt><dd>${printCount(wrong)}</dd></div>
<div><dt>late</dt><dd>${printCount(late)}</dd></div>
<div><dt>copies missing</dt><dd>${printCount(lacking)}</dd></div>
</dl>`
}

const volunteersShown = 50

/** Who fetched most comes first: it is a list to be proud of. */
function volunteersTable(volunteers: readonly VolunteerStatus[]): Html | '' {
  if (volunteers.length === 0) return ''
  const rows = volunteers
    .slice(0, volunteersShown)
    .map(
      ({ id, fetched, bytes, score, state, basis }, index) =>
        html`<tr><th scope="row">${index + 1}. <code>…${id.slice(-8)}</code></th><td>${state === 'barred' ? 'shut out' : state}</td><td>${printCount(fetched)}</td><td>${printBytes(bytes)}</td><td>${score.toFixed(2)}</td><td>${basis ?? ''}</td></tr>`,
    )
  return html`<h3>Volunteers</h3>
<div class="scroll peers" tabindex="0" role="region" aria-label="Volunteers"><table><thead><tr><th scope="col">volunteer</th><th scope="col">state</th><th scope="col">pages</th><th scope="col">bytes</th><th scope="col">score</th><th scope="col">this peer goes by</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

/** Who has been alone so far lacks nothing that was ever there: no alarm. */
function lackNotices({ peers, away, lacks }: NetworkStatus): Html | Html[] {
  if (peers.length === 1 && away.length === 0 && lacks.length > 0)
    return html`<p class="note">So far this peer is alone, and everything has one copy. Others come with an invitation: <code>polyhistor network invite</code>.</p>`
  return lacks.map((lack) => html`<p class="trouble"><strong>The network lacks:</strong> ${lack}</p>`)
}

export function copiesHistogram({ sums, copiesWanted }: NetworkStatus): Html {
  const length = Math.max(sums.histogram.length, copiesWanted + 1)
  const counts = Array.from({ length }, (_, copies) => sums.histogram[copies] ?? 0)
  const most = Math.max(1, ...counts)
  return html`<dl class="savings">${counts.map((entries, copies) => {
    const kind = copies < copiesWanted && entries > 0 ? 'original' : 'disk'
    const label = `${copies} ${copies === 1 ? 'copy' : 'copies'}${copies === copiesWanted ? ', as wanted' : ''}`
    return html`<div><dt>${label}</dt><dd><svg class="saving ${kind}" viewBox="0 0 ${barWidth} 18" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="room" width="${barWidth}" height="18" rx="3"/><rect class="amount" width="${(entries === 0 ? 0 : Math.max(2, (barWidth * entries) / most)).toFixed(1)}" height="18" rx="3"/></svg><span>${printCount(entries)}</span></dd></div>`
  })}</dl>`
}

function awayRow({ peer, sinceMs, untilMs }: AwayPeer): Html {
  return html`<tr><th scope="row"><code>…${peer.slice(-8)}</code></th><td colspan="6">away since ${momentElement(sinceMs)}, waited for until ${momentElement(untilMs)}</td></tr>`
}

function peerRow(peer: string, status: PeerStatus | undefined, isUs: boolean): Html {
  const name = html`<th scope="row"><code>…${peer.slice(-8)}</code>${isUs ? ' (this one)' : ''}</th>`
  if (!status) return html`<tr>${name}<td colspan="6">does not answer</td></tr>`
  const { captures, copies, sites, links, share } = status
  return html`<tr>${name}<td>${stateOf(status)}</td><td>${printCount(captures)}</td><td>${printBytes(share.usedBytes)} of ${printBytes(share.shareBytes)}</td><td>${printCount(sites.crawled)}</td><td>${printCount(copies.queue)}</td><td>${printCount(links.waiting)}</td></tr>`
}
