// Crawls: a list of them, and one as it happens. The figures are there at first paint; a script keeps them true.

import type { JobSchedule } from '../../../model/jobs/job-schedule.ts'
import type { JobDetails } from '../../../model/jobs/job-service.ts'
import { type PageJob, requestScopes } from '../../archive.ts'
import { pendingWords, shareDone, stateClass, stateOf } from '../../job-state.ts'
import { printBytes, printCount } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, inEnglish, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { calendarPath, jobPath, versionPath } from '../../markup/links.ts'
import { briefUrl } from '../../markup/readable-url.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { jobStateTexts } from '../../texts/job-state.ts'
import { jobsTexts } from '../../texts/jobs.ts'
import { sharedTexts } from '../../texts/shared.ts'
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
  return html`<p class="trouble" role="alert"><strong>${jobsTexts.nothingCrawled}</strong> ${inEnglish(trouble)}</p>`
}

interface JobsData {
  readonly jobs: readonly PageJob[]
  readonly schedules: readonly JobSchedule[]
  readonly trouble: string | undefined
  readonly isOwner: boolean
}

export function jobsScreen({ jobs, schedules, trouble, isOwner }: JobsData): Screen {
  return {
    title: sharedTexts.crawls,
    name: 'jobs',
    script: 'jobs.ts',
    current: 'jobs',
    masthead: 'no-field',
    body: html`<header class="about-url"><h1>${sharedTexts.crawls}</h1><p>${jobsTexts.alsoHere({
      visits: (words) => html`<a href="/visits">${words}</a>`,
      rules: (words) => html`<a href="/rules">${words}</a>`,
      takingIn: (words) => html`<a href="/taking-in">${words}</a>`,
    })}</p></header>
${troubleNotice(trouble)}
${isOwner ? archivingForm : ownersOnly}
${scheduleSection(schedules, isOwner)}
${schedules.length > 0 && jobs.length > 0 ? html`<h2>${jobsTexts.begunSoFar}</h2>` : nothing}
${jobs.length === 0 ? html`<p>${jobsTexts.noneYet}</p>` : html`<ul class="jobs">${jobs.map(jobItem)}</ul>`}`,
  }
}

const archivingForm = html`<form class="opening compact" action="/save" method="post" enctype="multipart/form-data">
<div class="field"><label for="url">${jobsTexts.addressToArchive}</label>
<input id="url" name="url" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="https://example.com/"></div>
<details class="more-choices"><summary>${jobsTexts.fromList}</summary>
<div class="field"><label for="list">${jobsTexts.listLabel}</label>
<input id="list" name="list" type="file"></div>
<div class="field"><label for="when">${jobsTexts.whenLabel}</label>
<input id="when" name="when" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="${jobsTexts.atOnce}"></div></details>
<div class="actions"><button type="submit" class="primary">${jobsTexts.archive}</button>${scopeChoice('jobs-scope')}</div>
</form>`

function jobItem(job: PageJob): Html {
  const { id, seeds, scope, createdAtMs, counters } = job
  return html`<li class="job" data-job="${id}">
<h2><a href="${jobPath(id)}">${seeds[0] === undefined ? id : urlElement(seeds[0])}</a>${seeds.length > 1 ? html` <small>${sharedTexts.andMore({ number: seeds.length - 1 })}</small>` : nothing}</h2>
<p class="note"><span class="${stateClass(job)}" data-value="state">${stateOf(job)}</span> · ${scopeWords(scope)} · ${jobsTexts.begun({ when: momentElement(createdAtMs) })}</p>
${progressBar(job)}
<p class="note">${shortFigure('fetched', jobsTexts.fetched, counters.fetched)} · ${shortFigure('pending', pendingLabel(job), counters.pending)} · ${shortFigure('failed', jobStateTexts.failed, counters.failed)} · ${shortFigure('refused', jobStateTexts.refused, counters.refused)} · <span data-value="bytes">${printBytes(counters.bytes)}</span></p>
</li>`
}

/** A script changes it when the crawl ends. */
function pendingLabel(job: PageJob): Html {
  return html`<span data-value="pending-words">${pendingWords(job)}</span>`
}

function shortFigure(name: string, label: Html, count: number): Html {
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
    title: jobsTexts.crawlOfTitle({ name: seeds[0] === undefined ? id : briefUrl(seeds[0].url) }),
    name: 'job',
    script: 'jobs.ts',
    current: 'jobs',
    body: html`<article class="job" data-job="${id}" data-events="/api/v1/jobs/${encodeURIComponent(id)}/events">
<header class="about-url">
<p class="eyebrow">${jobsTexts.crawlOf}</p>
<h1>${seeds[0] === undefined ? id : urlElement(seeds[0].url)}</h1>
<p><span class="${stateClass(job)}" data-value="state">${stateOf(job)}</span> · ${scopeWords(scope)} · ${jobsTexts.begun({ when: momentElement(createdAtMs) })}</p>
</header>
${troubleNotice(trouble)}
${progressBar(job)}
${outcomeSection(job)}
${isOwner ? [jobControls(job), againForm(job)] : ownersOnly}
<dl class="figures">
${figure('fetched', jobsTexts.fetched, counters.fetched)}
${figure('pending', pendingLabel(job), counters.pending)}
${isOfThisRun(job) ? [figure('new', jobStateTexts.new, job.counts.new), figure('changed', jobStateTexts.changed, job.counts.changed), figure('same', jobStateTexts.unchanged, job.counts.same)] : nothing}
${figure('failed', jobStateTexts.failed, counters.failed)}
${figure('refused', jobStateTexts.refused, counters.refused)}
<div><dt>${jobsTexts.received}</dt><dd data-value="bytes">${printBytes(counters.bytes)}</dd></div>
${job.state === 'done' ? nothing : html`<div><dt>${jobsTexts.timeLeft}</dt><dd data-value="left" data-details="/api/v1/jobs/${encodeURIComponent(id)}/details">${jobStateTexts.notKnown}</dd></div>`}
</dl>
<p class="unseen" role="status" data-value="spoken"></p>
<section aria-labelledby="seeds"><h2 id="seeds">${jobsTexts.askedFor}</h2>
<ul class="recent" data-seeds>${seeds.map((seed) => seedItem(seed, job))}</ul>
${more > 0 ? html`<p class="note">${jobsTexts.moreAddresses({ count: more })}</p>` : nothing}
</section>
${detailsSection(job, details)}
<section aria-labelledby="happening" class="happening" hidden><h2 id="happening">${jobsTexts.asItHappens}</h2><ol class="feed" data-value="feed"></ol></section>
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
    ['pause', sharedTexts.pause],
    ['resume', sharedTexts.goOn],
    ['cancel', jobsTexts.endIt],
  ] as const
  return html`<form class="job-controls ${state}" data-controls action="${jobPath(id)}" method="post">${buttons.map(
    ([action, text]) => html`<button type="submit" name="action" value="${action}">${text}</button>`,
  )}</form>`
}

/** Shown when it is over. A crawl of very many starts, or by rules that no form has, is begun by the command. */
function againForm({ seeds, scope, state }: PageJob): Html {
  if (seeds.length > seedsAgainMax || !requestScopes.some((known) => known === scope)) return nothing
  return html`<form class="job-again ${state}" data-again action="/save" method="post"><input type="hidden" name="scope" value="${scope}">${seeds.map((seed) => html`<input type="hidden" name="url" value="${seed}">`)}<button type="submit">${jobsTexts.crawlAgain}</button></form>`
}

function seedItem({ url, lastMs }: JobData['seeds'][number], { state }: PageJob): Html {
  if (lastMs === undefined)
    return html`<li data-seed="${url}">${urlElement(url)} <span class="note">${state === 'done' ? jobsTexts.notInArchive : jobsTexts.notCaptured}</span></li>`
  return html`<li data-seed="${url}"><a href="${versionPath(lastMs, url)}">${urlElement(url)}</a> <span class="note">${momentElement(lastMs)} · <a href="${calendarPath(url)}">${sharedTexts.allVersions}</a></span></li>`
}

function figure(name: string, label: Html, count: number): Html {
  return html`<div><dt>${label}</dt><dd data-value="${name}">${printCount(count)}</dd></div>`
}

function progressBar(job: PageJob): Html {
  const done = shareDone(job)
  return html`<progress class="${job.outcome ?? ''}" max="1" value="${done.toFixed(3)}" data-value="progress" aria-label="${jobsTexts.shareDone}">${Math.round(done * 100)} %</progress>`
}
