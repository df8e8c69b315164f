// Status: what the archive holds, what it saved by keeping everything once, and how fast it crawls right now.

import type { NetworkStatus } from '../../../model/peer-status.ts'
import type { ArchiveTotals, PageJob } from '../../archive.ts'
import { printBytes, printCount, printShare } from '../../markup/amounts.ts'
import { type Html, html, inEnglish } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { jobPath } from '../../markup/links.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { statusTexts } from '../../texts/status.ts'
import { troubleNotice } from '../jobs/jobs.ts'
import { networkSection } from './network-status.ts'
import { rolesSection } from './roles.ts'
import { soundnessSection } from './soundness.ts'

interface StatusData {
  readonly totals: ArchiveTotals
  readonly running: readonly PageJob[]
  readonly trouble: string | undefined
  /** Of a peer that is alone, too. */
  readonly network: NetworkStatus | undefined
}

const barWidth = 640

export function statusScreen({ totals, running, trouble, network }: StatusData): Screen {
  const { captures, distinctPayloads, bytes } = totals
  const isShared = network !== undefined && network.network.kind !== 'alone'
  return {
    title: statusTexts.title,
    name: 'status',
    script: 'status.ts',
    current: 'status',
    body: html`<header class="about-url"><h1>${sharedTexts.status}</h1></header>
${troubleNotice(trouble)}
${(network?.warnings ?? []).map((warning) => html`<p class="trouble">${statusTexts.lookAtThis({ warning: inEnglish(warning) })}</p>`)}
${isShared ? html`<p class="note">${statusTexts.ofPeer({ network: (words) => html`<a href="#network">${words}</a>` })}</p>` : ''}
<dl class="figures large" data-stats="/api/v1/stats">
<div><dt>${statusTexts.captures}</dt><dd data-value="${statusTexts.captures}">${printCount(captures)}</dd></div>
<div><dt>${statusTexts.contents}</dt><dd data-value="contents">${printCount(distinctPayloads)}</dd></div>
<div><dt>${statusTexts.onDisk}</dt><dd data-value="on-disk">${printBytes(bytes.onDisk)}</dd></div>
<div><dt>${statusTexts.saved}</dt><dd data-value="${statusTexts.saved}">${printShare(Math.max(0, bytes.original - bytes.onDisk), bytes.original)}</dd></div>
</dl>
<section aria-labelledby="rate"><h2 id="rate">${statusTexts.crawlingNow}</h2>
<figure class="plot${running.length === 0 ? ' idle' : ''}" data-events="/api/v1/events">
<svg viewBox="0 0 ${barWidth} 160" preserveAspectRatio="none" role="img" aria-labelledby="rate"><path class="ground" d="M0 159.5H${barWidth}"/><path class="area" d=""/><path class="line" d=""/></svg>
<figcaption><span data-value="rate">${running.length === 0 ? statusTexts.nothingCrawled : statusTexts.waiting}</span> <span class="note" data-value="span"></span></figcaption>
</figure>
${running.length === 0 ? html`<p><a href="/jobs">${statusTexts.archiveSomething}</a></p>` : html`<ul class="recent">${running.map(({ id, seeds }) => html`<li><a href="${jobPath(id)}">${seeds[0] === undefined ? id : urlElement(seeds[0])}</a></li>`)}</ul>`}
</section>
${isShared ? networkSection(network) : ''}
${network?.roles === undefined ? '' : rolesSection(network.roles)}
${network === undefined ? '' : soundnessSection(network.sums.soundness)}
${isShared ? ringSection : ''}
<section aria-labelledby="${statusTexts.saved}"><h2 id="${statusTexts.saved}">${statusTexts.savesTitle}</h2>
${savings(bytes)}
</section>`,
  }
}

/** Of a peer that is alone there is nothing to see. */
const ringSection = html`<section aria-labelledby="ring"><h2 id="ring">${statusTexts.ring}</h2>
<figure><img src="/api/v1/ring.svg" width="400" height="400" loading="lazy" alt="${statusTexts.ringAlt}"><figcaption class="note">${statusTexts.ringNote}</figcaption></figure>
</section>`

export function savings({ original, afterDedup, onDisk }: ArchiveTotals['bytes']): Html {
  const most = Math.max(1, original, afterDedup, onDisk)
  const rows = [
    [statusTexts.asTheyCame, original, 'original'],
    [statusTexts.eachOnce, afterDedup, 'dedup'],
    [statusTexts.compressed, onDisk, 'disk'],
  ] as const
  return html`<dl class="savings">${rows.map(
    ([label, amount, kind]) =>
      html`<div><dt>${label}</dt><dd><svg class="saving ${kind}" viewBox="0 0 ${barWidth} 18" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="room" width="${barWidth}" height="18" rx="3"/><rect class="amount" width="${Math.max(2, (barWidth * amount) / most).toFixed(1)}" height="18" rx="3"/></svg><span>${printBytes(amount)}</span></dd></div>`,
  )}</dl>
<p class="note">${statusTexts.savedBy({
    dedup: printBytes(Math.max(0, original - afterDedup)),
    compression: printBytes(Math.max(0, afterDedup - onDisk)),
  })}</p>`
}
