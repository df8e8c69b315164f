// Crawls: a list of them, and one as it happens. The figures are there at first paint; a script keeps them true.

import type { JobSchedule } from '../../../model/jobs/job-schedule.ts'
import type { JobDetails } from '../../../model/jobs/job-service.ts'
import { type PageJob, requestScopes } from '../../archive.ts'
import { pendingWords, shareDone, stateClass, stateOf } from '../../job-state.ts'
import { plural, printBytes, printCount } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { calendarPath, jobPath, versionPath } from '../../markup/links.ts'
import { briefUrl } from '../../markup/readable-url.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { ownersOnly, scopeChoice, scopeWords } from './archive-now.ts'
import { detailsSection } from './job-details.ts'
import { outcomeSection } from './job-outcome.ts'
import { scheduleSection } from './schedules.ts'

/** A crawl can have a hundred thousand. */
export const seedsShownMax = 5
const seedsAgainMax = 200

/** Said on every page about crawls, when there are none any more. */
export function troubleNotice(trouble: string | undefined): Html {
  if (trouble === undefined) return nothing
  return html`<p class="trouble" role="alert"><strong>Nothing is crawled at present.</strong> ${trouble}</p>`
}

interface JobsData {
  readonly jobs: readonly PageJob[]
  readonly schedules: readonly JobSchedule[]
  readonly trouble: string | undefined
  readonly isOwner: boolean
}

export function jobsScreen({ jobs, schedules, trouble, isOwner }: JobsData): Screen {
  return {
    title: 'Crawls',
    name: 'jobs',
    script: 'jobs.ts',
    current: 'jobs',
    masthead: 'no-field',
    body: html`<header class="about-url"><h1>Crawls</h1><p><a href="/visits">Planned visits</a>: what is archived is visited again · <a href="/rules">Rules</a>: what is crawled, and how · <a href="/taking-in">Take in archives</a> of others</p></header>
${troubleNotice(trouble)}
${isOwner ? archivingForm : ownersOnly}
${scheduleSection(schedules, isOwner)}
${schedules.length > 0 && jobs.length > 0 ? html`<h2>Begun so far</h2>` : nothing}
${jobs.length === 0 ? html`<p>Nothing has been crawled from here yet.</p>` : html`<ul class="jobs">${jobs.map(jobItem)}</ul>`}`,
  }
}

const archivingForm = html`<form class="opening compact" action="/save" method="post" enctype="multipart/form-data">
<div class="field"><label for="url">Address to archive</label>
<input id="url" name="url" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="https://example.com/"></div>
<details class="more-choices"><summary>From a list, or again and again</summary>
<div class="field"><label for="list">A list of addresses: one a line, a sitemap, a feed, OPML, or bookmarks of a browser</label>
<input id="list" name="list" type="file"></div>
<div class="field"><label for="when">When: every <code>1d</code>, at <code>2026-12-01T03:00Z</code>, or by cron, <code>0 3 * * *</code> (UTC); at once when empty</label>
<input id="when" name="when" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="at once"></div></details>
<div class="actions"><button type="submit" class="primary">Archive</button>${scopeChoice('jobs-scope')}</div>
</form>`

function jobItem(job: PageJob): Html {
  const { id, seeds, scope, createdAtMs, counters } = job
  return html`<li class="job" data-job="${id}">
<h2><a href="${jobPath(id)}">${seeds[0] === undefined ? id : urlElement(seeds[0])}</a>${seeds.length > 1 ? html` <small>and ${seeds.length - 1} more</small>` : nothing}</h2>
<p class="note"><span class="${stateClass(job)}" data-value="state">${stateOf(job)}</span> · ${scopeWords(scope)} · begun ${momentElement(createdAtMs)}</p>
${progressBar(job)}
<p class="note">${shortFigure('fetched', 'fetched', counters.fetched)} · ${shortFigure('pending', pendingLabel(job), counters.pending)} · ${shortFigure('failed', 'failed', counters.failed)} · ${shortFigure('refused', 'not allowed', counters.refused)} · <span data-value="bytes">${printBytes(counters.bytes)}</span></p>
</li>`
}

/** A script changes it when the crawl ends. */
function pendingLabel(job: PageJob): Html {
  return html`<span data-value="pending-words">${pendingWords(job)}</span>`
}

function shortFigure(name: string, label: Html | string, count: number): Html {
  return html`<span data-value="${name}">${printCount(count)}</span> ${label}`
}

interface JobData {
  readonly job: PageJob
  readonly isOwner: boolean
  readonly trouble: string | undefined
  readonly details: JobDetails
  /** The first few, and when each was captured last; undefined when it was not. */
  readonly seeds: readonly { readonly url: string; readonly lastMs: number | undefined }[]
}

export function jobScreen({ job, seeds, details, trouble, isOwner }: JobData): Screen {
  const { id, scope, counters, createdAtMs } = job
  const more = job.seeds.length - seeds.length
  return {
    title: `Crawl of ${seeds[0] === undefined ? id : briefUrl(seeds[0].url)}`,
    name: 'job',
    script: 'jobs.ts',
    current: 'jobs',
    body: html`<article class="job" data-job="${id}" data-events="/api/v1/jobs/${encodeURIComponent(id)}/events">
<header class="about-url">
<p class="eyebrow">Crawl of</p>
<h1>${seeds[0] === undefined ? id : urlElement(seeds[0].url)}</h1>
<p><span class="${stateClass(job)}" data-value="state">${stateOf(job)}</span> · ${scopeWords(scope)} · begun ${momentElement(createdAtMs)}</p>
</header>
${troubleNotice(trouble)}
${progressBar(job)}
${outcomeSection(job)}
${isOwner ? [jobControls(job), againForm(job)] : ownersOnly}
<dl class="figures">
${figure('fetched', 'fetched', counters.fetched)}
${figure('pending', pendingLabel(job), counters.pending)}
${isOfThisRun(job) ? [figure('new', 'new', job.counts.new), figure('changed', 'changed', job.counts.changed), figure('same', 'unchanged', job.counts.same)] : nothing}
${figure('failed', 'failed', counters.failed)}
${figure('refused', 'not allowed', counters.refused)}
<div><dt>received</dt><dd data-value="bytes">${printBytes(counters.bytes)}</dd></div>
${job.state === 'done' ? nothing : html`<div><dt>time left, about</dt><dd data-value="left" data-details="/api/v1/jobs/${encodeURIComponent(id)}/details">not known</dd></div>`}
</dl>
<p class="unseen" role="status" data-value="spoken"></p>
<section aria-labelledby="seeds"><h2 id="seeds">What was asked for</h2>
<ul class="recent" data-seeds>${seeds.map((seed) => seedItem(seed, job))}</ul>
${more > 0 ? html`<p class="note">and ${plural(more, 'more address', 'more addresses')}</p>` : nothing}
</section>
${detailsSection(job, details)}
<section aria-labelledby="happening" class="happening" hidden><h2 id="happening">As it happens</h2><ol class="feed" data-value="feed"></ol></section>
</article>`,
  }
}

/** What a crawl that ended before this run brought is in its log, and not counted anew. */
function isOfThisRun({ state, counts, counters }: PageJob): boolean {
  return state !== 'done' || counters.fetched === 0 || counts.new + counts.changed + counts.same > 0
}

/** All are there, and the stylesheet shows those that make sense in the state that the crawl is in. */
function jobControls({ id, state }: PageJob): Html {
  const buttons = [
    ['pause', 'Pause'],
    ['resume', 'Go on'],
    ['cancel', 'End it'],
  ] as const
  return html`<form class="job-controls ${state}" data-controls action="${jobPath(id)}" method="post">${buttons.map(
    ([action, text]) => html`<button type="submit" name="action" value="${action}">${text}</button>`,
  )}</form>`
}

/** Shown when it is over. A crawl of very many starts, or by rules that no form has, is begun by the command. */
function againForm({ seeds, scope, state }: PageJob): Html {
  if (seeds.length > seedsAgainMax || !requestScopes.some((known) => known === scope)) return nothing
  return html`<form class="job-again ${state}" data-again action="/save" method="post"><input type="hidden" name="scope" value="${scope}">${seeds.map((seed) => html`<input type="hidden" name="url" value="${seed}">`)}<button type="submit">Crawl it again</button></form>`
}

function seedItem({ url, lastMs }: JobData['seeds'][number], { state }: PageJob): Html {
  if (lastMs === undefined)
    return html`<li data-seed="${url}">${urlElement(url)} <span class="note">${state === 'done' ? 'not in the archive' : 'not captured yet'}</span></li>`
  return html`<li data-seed="${url}"><a href="${versionPath(lastMs, url)}">${urlElement(url)}</a> <span class="note">${momentElement(lastMs)} · <a href="${calendarPath(url)}">all versions</a></span></li>`
}

function figure(name: string, label: Html | string, count: number): Html {
  return html`<div><dt>${label}</dt><dd data-value="${name}">${printCount(count)}</dd></div>`
}

function progressBar(job: PageJob): Html {
  const done = shareDone(job)
  return html`<progress class="${job.outcome ?? ''}" max="1" value="${done.toFixed(3)}" data-value="progress" aria-label="Share of the known addresses that are done">${Math.round(done * 100)} %</progress>`
}
