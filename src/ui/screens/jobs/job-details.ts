// Who did what of a crawl: by host, by peer; and its results as files.

import type { JobDetails } from '../../../model/jobs/job-service.ts'
import type { PageJob } from '../../archive.ts'
import { plural, printBytes, printCount } from '../../markup/amounts.ts'
import { type Html, html, nothing } from '../../markup/html.ts'

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
      : html`<section aria-labelledby="hosts"><h2 id="hosts">By host</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Table of hosts"><table class="list"><thead><tr><th scope="col">Host</th><th scope="col">Done</th><th scope="col">To do</th>${isShared ? html`<th scope="col">Crawled by</th>` : nothing}</tr></thead>
<tbody>${shown.slice(0, hostsShown).map(({ host, queued, pending, peer }) => html`<tr><th scope="row">${host}</th><td>${printCount(queued - pending)}</td><td>${printCount(pending)}</td>${isShared ? html`<td><code title="${peer ?? ''}">…${peer?.slice(-8) ?? ''}</code></td>` : nothing}</tr>`)}</tbody></table></div>
${more > 0 || !areHostsAll ? html`<p class="note">and ${areHostsAll ? plural(more, 'more host') : 'more hosts'}</p>` : nothing}${silent > 0 ? html`<p class="note">${plural(silent, 'peer does', 'peers do')} not answer, and may have more.</p>` : nothing}</section>`
  }
${
  peers.length === 0
    ? nothing
    : html`<section aria-labelledby="peers"><h2 id="peers">By peer</h2>
<div class="scroll" tabindex="0" role="region" aria-label="By peer"><table class="list"><thead><tr><th scope="col">Peer</th><th scope="col">Fetched</th><th scope="col">Failed</th><th scope="col">Not allowed</th><th scope="col">To do</th><th scope="col">Received</th></tr></thead>
<tbody>${peers.map(({ peer, fetched, failed, refused, pending, bytes }) => html`<tr><th scope="row"><code title="${peer}">…${peer.slice(-8)}</code></th><td>${printCount(fetched)}</td><td>${printCount(failed)}</td><td>${printCount(refused)}</td><td>${printCount(pending)}</td><td>${printBytes(bytes)}</td></tr>`)}</tbody></table></div></section>`
}
${errorsSection(details)}
<p class="note results">Results as a list: <a href="${path}?format=csv" download="crawl-${id}.csv">CSV</a> · <a href="${path}" download="crawl-${id}.ndjson">JSON lines</a> · what was kept: <a href="/api/v1/jobs/${encodeURIComponent(id)}/wacz" download="crawl-${id}.wacz">WACZ</a>${peers.length > 1 ? ', of what this peer fetched' : ''} · as a graph: <a href="/api/v1/tables/links?job=${encodeURIComponent(id)}" download="crawl-${id}-links.ndjson">links</a> and <a href="/api/v1/tables/pages?job=${encodeURIComponent(id)}" download="crawl-${id}-pages.ndjson">pages</a> as JSON lines, or <code>polyhistor export graph.parquet --job ${id}</code></p>`
}

/** Of all peers; what this one knows stands above. */
function errorsSection({ missing = [] }: JobDetails): Html {
  if (missing.length === 0) return nothing
  return html`<section aria-labelledby="errors"><h2 id="errors">Errors by kind</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Errors by kind"><table class="list"><thead><tr><th scope="col">Kind</th><th scope="col">Addresses</th><th scope="col">Of them starts</th></tr></thead>
<tbody>${missing.map(({ code, words, count, seeds }) => html`<tr><th scope="row">${words} <code>${code}</code></th><td>${printCount(count)}</td><td>${printCount(seeds)}</td></tr>`)}</tbody></table></div></section>`
}
