// Crawls that are begun at their times: when next, and how the last runs went.

import { printJobTimes } from '../../../crawl/jobs/job-times.ts'
import { type JobSchedule, nextRunMs, type ScheduledRun } from '../../../model/jobs/job-schedule.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, inEnglish, nothing } from '../../markup/html.ts'
import { jobPath } from '../../markup/links.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { jobStateTexts } from '../../texts/job-state.ts'
import { jobsTexts } from '../../texts/jobs.ts'
import { sharedTexts } from '../../texts/shared.ts'

const runsShown = 5

export function scheduleSection(schedules: readonly JobSchedule[], isOwner: boolean): Html {
  if (schedules.length === 0) return nothing
  return html`<section aria-labelledby="schedules"><h2 id="schedules">${jobsTexts.bySchedule}</h2>
<ul class="rules">${schedules.map((schedule) => scheduleItem(schedule, isOwner))}</ul></section>`
}

function scheduleItem(schedule: JobSchedule, isOwner: boolean): Html {
  const { request, runs, isPaused } = schedule
  const more = request.seeds.length - 1
  const nextMs = nextRunMs(schedule)
  const next = isPaused
    ? jobStateTexts.paused
    : nextMs === undefined
      ? jobsTexts.over
      : jobsTexts.nextRun({ when: momentElement(nextMs) })
  return html`<li><div><h3><span class="rule-name">${urlElement(request.seeds[0]!)}</span>${more > 0 ? html` <small>${sharedTexts.andMore({ number: more })}</small>` : nothing}</h3>
<p>${whenWords(schedule)} · ${next}</p>
${runs.length === 0 ? nothing : html`<p class="note">${jobsTexts.runs({ count: runs.length })}: ${runs.slice(0, runsShown).map((run, index) => runLink(run, index))}</p>`}</div>
${isOwner ? controls(schedule) : nothing}</li>`
}

/** Of former runs there is only what was written down of them. */
function runLink({ atMs, jobId, ending, fetched }: ScheduledRun, index: number): Html {
  const when = momentElement(atMs)
  const end =
    ending === undefined
      ? nothing
      : html` (${jobsTexts.runEnd({ fetched: fetched ?? 0, ending: inEnglish(ending) })})`
  return html`${index === 0 ? html`<a href="${jobPath(jobId)}">${when}</a>` : html` · ${when}`}${end}`
}

function controls({ id, isPaused }: JobSchedule): Html {
  const action = isPaused ? 'resume' : 'pause'
  return html`<form class="inline" action="/schedules/${encodeURIComponent(id)}" method="post"><button type="submit" name="action" value="${action}">${isPaused ? sharedTexts.goOn : sharedTexts.pause}</button> <button type="submit" name="action" value="remove">${sharedTexts.remove}</button></form>`
}

function whenWords({ times }: JobSchedule): Html {
  const printed = printJobTimes(times)
  if ('every' in printed) return jobsTexts.every({ span: printed.every })
  return 'cron' in printed ? html`<code>${printed.cron}</code> UTC` : jobsTexts.once
}
