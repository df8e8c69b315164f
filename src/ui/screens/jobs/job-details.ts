// Who did what of a crawl: by host, by peer; and its results as files.

import type { JobDetails } from '../../../model/jobs/job-service.ts'
import type { PageJob } from '../../archive.ts'
import { printBytes, printCount } from '../../markup/amounts.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import { jobsTexts } from '../../texts/jobs.ts'
import { missingWords } from './missing-words.ts'

const hostsShown = 50

export function detailsSection({ id }: PageJob, details: JobDetails): Html {
  const { hosts, areHostsAll, peers, silent = 0 } = details
  const isShared = hosts.some(({ peer }) => peer !== undefined)
  const path = `/api/v1/jobs/${encodeURIComponent(id)}/results`
  const shown = [...hosts].sort((left, right) => right.pending - left.pending || right.queued - left.queued)
  const more = hosts.length - hostsShown
  return html`${
    hosts.length === 0
      ? nothing
      : html`<section aria-labelledby="hosts"><h2 id="hosts">${jobsTexts.byHost}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${jobsTexts.hostTable}"><table class="list"><thead><tr><th scope="col">${jobsTexts.host}</th><th scope="col">${jobsTexts.done}</th><th scope="col">${jobsTexts.toDoHead}</th>${isShared ? html`<th scope="col">${jobsTexts.crawledBy}</th>` : nothing}</tr></thead>
<tbody>${shown.slice(0, hostsShown).map(({ host, queued, pending, peer }) => html`<tr><th scope="row">${host}</th><td>${printCount(queued - pending)}</td><td>${printCount(pending)}</td>${isShared ? html`<td><code title="${peer ?? ''}">…${peer?.slice(-8) ?? ''}</code></td>` : nothing}</tr>`)}</tbody></table></div>
${more > 0 || !areHostsAll ? html`<p class="note">${areHostsAll ? jobsTexts.moreHosts({ count: more }) : jobsTexts.hostsUncounted}</p>` : nothing}${silent > 0 ? html`<p class="note">${jobsTexts.silent({ count: silent })}</p>` : nothing}</section>`
  }
${
  peers.length === 0
    ? nothing
    : html`<section aria-labelledby="peers"><h2 id="peers">${jobsTexts.byPeer}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${jobsTexts.byPeer}"><table class="list"><thead><tr><th scope="col">${jobsTexts.peer}</th><th scope="col">${jobsTexts.fetchedHead}</th><th scope="col">${jobsTexts.failedHead}</th><th scope="col">${jobsTexts.refusedHead}</th><th scope="col">${jobsTexts.toDoHead}</th><th scope="col">${jobsTexts.receivedHead}</th></tr></thead>
<tbody>${peers.map(({ peer, fetched, failed, refused, pending, bytes }) => html`<tr><th scope="row"><code title="${peer}">…${peer.slice(-8)}</code></th><td>${printCount(fetched)}</td><td>${printCount(failed)}</td><td>${printCount(refused)}</td><td>${printCount(pending)}</td><td>${printBytes(bytes)}</td></tr>`)}</tbody></table></div></section>`
}
${errorsSection(details)}
<p class="note results">${resultsWords(id, path, peers.length > 1)}</p>`
}

function resultsWords(id: string, path: string, isShared: boolean): Html {
  const job = encodeURIComponent(id)
  const file = (href: string, name: string) => (words: Html) =>
    html`<a href="${href}" download="crawl-${id}${name}">${words}</a>`
  return jobsTexts.results({
    csv: file(`${path}?format=csv`, '.csv'),
    lines: file(path, '.ndjson'),
    wacz: file(`/api/v1/jobs/${job}/wacz`, '.wacz'),
    whose: isShared ? jobsTexts.ofThisPeer : nothing,
    links: file(`/api/v1/tables/links?job=${job}`, '-links.ndjson'),
    pages: file(`/api/v1/tables/pages?job=${job}`, '-pages.ndjson'),
    command: html`<code>polyhistor export graph.parquet --job ${id}</code>`,
  })
}

/** Of all peers; what this one knows stands above. */
function errorsSection({ missing = [] }: JobDetails): Html {
  if (missing.length === 0) return nothing
  return html`<section aria-labelledby="errors"><h2 id="errors">${jobsTexts.errorsByKind}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${jobsTexts.errorsByKind}"><table class="list"><thead><tr><th scope="col">${jobsTexts.kind}</th><th scope="col">${jobsTexts.addresses}</th><th scope="col">${jobsTexts.ofThemStarts}</th></tr></thead>
<tbody>${missing.map(({ code, words, count, seeds }) => html`<tr><th scope="row">${missingWords(code, words)} <code>${code}</code></th><td>${printCount(count)}</td><td>${printCount(seeds)}</td></tr>`)}</tbody></table></div></section>`
}
