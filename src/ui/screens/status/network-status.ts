// The network's part of the status: how many copies everything has, drawn; who is there; what is lacking.

import type { AwayPeer, NetworkStatus, PeerStatus, VolunteerStatus } from '../../../model/peer-status.ts'
import { printBytes, printCount, printDecimal } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, inEnglish } from '../../markup/html.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { statusTexts } from '../../texts/status.ts'
import { peerState } from './peer-state.ts'

const volunteerStates = {
  new: statusTexts.volunteerNew,
  proven: statusTexts.volunteerProven,
  barred: statusTexts.shutOut,
} as const

const barWidth = 640
/** Of a large network the first are shown. */
const peersShown = 50

export function networkSection(status: NetworkStatus): Html {
  const { peers, away, sums } = status
  const { links } = sums
  return html`<section aria-labelledby="network"><h2 id="network">${statusTexts.network}</h2>
${lackNotices(status)}
<dl class="figures">
<div><dt>${statusTexts.peersFigure}</dt><dd>${printCount(peers.filter((peer) => peer.status).length)}</dd></div>
<div><dt>${statusTexts.entriesToCopy}</dt><dd>${printCount(sums.queue)}</dd></div>
<div><dt>${statusTexts.queuesToCopy}</dt><dd>${printCount(sums.sitesToCopy)}</dd></div>
<div><dt>${statusTexts.copied}</dt><dd>${printBytes(sums.bytesPerSecond)}/s</dd></div>
<div><dt>${statusTexts.linksSent}</dt><dd>${printCount(links.sent)}</dd></div>
<div><dt>${statusTexts.linksReceived}</dt><dd>${printCount(links.received)}</dd></div>
<div><dt>${statusTexts.linksWaiting}</dt><dd>${printCount(links.waiting)}</dd></div>
<div><dt>${statusTexts.oldestWaits}</dt><dd>${links.waiting === 0 ? '–' : html`${printDecimal(links.oldestMs / 1_000, 1)} s`}</dd></div>
</dl>
<h3>${statusTexts.copiesOfEvery}</h3>
${copiesHistogram(status)}
${auditSection(status.audits)}
<h3>${statusTexts.peers}</h3>
<div class="scroll peers" tabindex="0" role="region" aria-label="${statusTexts.peers}"><table><thead><tr><th scope="col">${statusTexts.peerHead}</th><th scope="col">${statusTexts.state}</th><th scope="col">${statusTexts.captures}</th><th scope="col">${statusTexts.disk}</th><th scope="col">${statusTexts.sitesCrawled}</th><th scope="col">${statusTexts.toCopy}</th><th scope="col">${statusTexts.linksWaiting}</th></tr></thead>
<tbody>${peers.slice(0, peersShown).map(({ peer, status: own }, index) => peerRow(peer, own, index === 0))}${away.slice(0, peersShown).map(awayRow)}</tbody></table></div>
${peers.length > peersShown ? html`<p class="note">${statusTexts.morePeers({ number: peers.length - peersShown })}</p>` : ''}
${volunteersTable(status.volunteers ?? [])}
<p><a href="/contributors">${statusTexts.whoGives}</a></p>
</section>`
}

/** What challenges to other peers have shown. */
function auditSection(audits: NetworkStatus['audits']): Html | '' {
  if (audits === undefined || audits.audits === 0) return ''
  const { right, wrong, late, lacking } = audits
  const excluded = audits.peers.filter(({ isExcluded }) => isExcluded)
  return html`<h3>${statusTexts.audits}</h3>
${excluded.map(({ peer, excludedUntilMs }) => html`<p class="trouble">${statusTexts.excluded({ peer: html`<code>…${peer.slice(-8)}</code>`, until: momentElement(excludedUntilMs) })}</p>`)}
<dl class="figures">
<div><dt>${statusTexts.challenges}</dt><dd>${printCount(audits.audits)}</dd></div>
<div><dt>${statusTexts.rightly}</dt><dd>${printCount(right)}</dd></div>
<div><dt>${statusTexts.wrongly}</dt><dd>${printCount(wrong)}</dd></div>
<div><dt>${statusTexts.late}</dt><dd>${printCount(late)}</dd></div>
<div><dt>${statusTexts.copiesMissing}</dt><dd>${printCount(lacking)}</dd></div>
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
        html`<tr><th scope="row">${index + 1}. <code>…${id.slice(-8)}</code></th><td>${volunteerStates[state]}</td><td>${printCount(fetched)}</td><td>${printBytes(bytes)}</td><td>${printDecimal(score, 2)}</td><td>${inEnglish(basis ?? '')}</td></tr>`,
    )
  return html`<h3>${statusTexts.volunteers}</h3>
<div class="scroll peers" tabindex="0" role="region" aria-label="${statusTexts.volunteers}"><table><thead><tr><th scope="col">${statusTexts.volunteer}</th><th scope="col">${statusTexts.state}</th><th scope="col">${statusTexts.pages}</th><th scope="col">${statusTexts.bytes}</th><th scope="col">${statusTexts.score}</th><th scope="col">${statusTexts.goesBy}</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

/** Who has been alone so far lacks nothing that was ever there: no alarm. */
function lackNotices({ peers, away, lacks }: NetworkStatus): Html | Html[] {
  if (peers.length === 1 && away.length === 0 && lacks.length > 0)
    return html`<p class="note">${statusTexts.alone}</p>`
  return lacks.map((lack) => html`<p class="trouble">${statusTexts.lacks({ lack: inEnglish(lack) })}</p>`)
}

export function copiesHistogram({ sums, copiesWanted }: NetworkStatus): Html {
  const length = Math.max(sums.histogram.length, copiesWanted + 1)
  const counts = Array.from({ length }, (_, copies) => sums.histogram[copies] ?? 0)
  const most = Math.max(1, ...counts)
  return html`<dl class="savings">${counts.map((entries, copies) => {
    const kind = copies < copiesWanted && entries > 0 ? 'original' : 'disk'
    const label = (copies === copiesWanted ? statusTexts.copiesWanted : statusTexts.copies)({ count: copies })
    return html`<div><dt>${label}</dt><dd><svg class="saving ${kind}" viewBox="0 0 ${barWidth} 18" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="room" width="${barWidth}" height="18" rx="3"/><rect class="amount" width="${(entries === 0 ? 0 : Math.max(2, (barWidth * entries) / most)).toFixed(1)}" height="18" rx="3"/></svg><span>${printCount(entries)}</span></dd></div>`
  })}</dl>`
}

function awayRow({ peer, sinceMs, untilMs }: AwayPeer): Html {
  return html`<tr><th scope="row"><code>…${peer.slice(-8)}</code></th><td colspan="6">${statusTexts.away({ since: momentElement(sinceMs), until: momentElement(untilMs) })}</td></tr>`
}

function peerRow(peer: string, status: PeerStatus | undefined, isUs: boolean): Html {
  const name = html`<th scope="row"><code>…${peer.slice(-8)}</code>${isUs ? statusTexts.thisOne : ''}</th>`
  if (!status) return html`<tr>${name}<td colspan="6">${sharedTexts.noAnswer}</td></tr>`
  const { captures, copies, sites, links, share } = status
  return html`<tr>${name}<td>${peerState(status)}</td><td>${printCount(captures)}</td><td>${statusTexts.usedOf({ used: printBytes(share.usedBytes), whole: printBytes(share.shareBytes) })}</td><td>${printCount(sites.crawled)}</td><td>${printCount(copies.queue)}</td><td>${printCount(links.waiting)}</td></tr>`
}
