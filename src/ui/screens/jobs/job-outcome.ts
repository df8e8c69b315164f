// What became of a crawl: complete, partly kept or nothing kept; what is missing, by reason; and what can be done about it.

import type { JobMissing } from '../../../model/jobs/job-missing.ts'
import type { PageJob } from '../../archive.ts'
import { type Html, html, inEnglish, nothing, spoken } from '../../markup/html.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { jobsTexts } from '../../texts/jobs.ts'
import { missingWords } from './missing-words.ts'

const headings = {
  complete: jobsTexts.completeHead,
  partly: jobsTexts.partlyHead,
  nothing: jobsTexts.nothingHead,
} as const
const marks = { complete: '✓', partly: '◐', nothing: '✕' } as const
const reasonsMax = 12

/** Always there, so that it can be changed for another while the crawl goes on. */
export function outcomeSection({ outcome, missing, advice, counters }: PageJob): Html {
  const list = missing.length === 0 ? nothing : reasons(missing)
  const todo =
    advice === undefined
      ? nothing
      : html`<p class="advice"><strong>${jobsTexts.whatToDo}</strong> ${adviceWords(missing, advice)}</p>`
  if (outcome === undefined) {
    const head = missing.length === 0 ? nothing : html`<h2>${jobsTexts.notKeptSoFar}</h2>`
    return html`<section class="job-outcome" data-outcome>${head}${list}${todo}</section>`
  }
  return html`<section class="job-outcome ${outcome}" data-outcome>
<h2><span aria-hidden="true">${marks[outcome]}</span> ${headings[outcome]}</h2>
<p>${sentences[outcome](counters.fetched)}</p>
${list}${todo}
</section>`
}

const sentences: Readonly<Record<keyof typeof headings, (fetched: number) => Html>> = {
  complete: (fetched) => jobsTexts.allKept({ count: fetched }),
  partly: (fetched) => jobsTexts.somethingMissing({ count: fetched }),
  nothing: () => jobsTexts.nothingOfIt,
}

/** By what is missing, in the order of crawl/jobs/job-outcome.ts; other advice names what this peer lacks. */
export function adviceWords(missing: readonly Pick<JobMissing, 'code' | 'seeds'>[], advice: string): Html {
  const isFor = (code: string) =>
    missing.some((part) => part.code === code && (part.seeds > 0 || code in advices))
  const known = Object.entries({ ...advices, ...advicesOnSeeds }).find(([code]) => isFor(code))
  return spoken(({ language }) =>
    language === 'en' || known?.[1] === undefined ? inEnglish(advice) : known[1],
  )
}

const advices: Readonly<Record<string, Html | undefined>> = {
  'address-forbidden': jobsTexts.adviceAddress,
  // Told as it is.
  'no-browser': undefined,
  'tls-failed': jobsTexts.adviceCertificate,
}
const advicesOnSeeds: Readonly<Record<string, Html>> = {
  'dns-not-found': jobsTexts.adviceName,
  'dns-failed': jobsTexts.adviceNames,
  'connect-refused': jobsTexts.advicePort,
  'connect-failed': jobsTexts.adviceReach,
  robots: jobsTexts.adviceRobots,
  'connect-timeout': jobsTexts.adviceLater,
  timeout: jobsTexts.adviceLater,
  stalled: jobsTexts.adviceLater,
  reset: jobsTexts.adviceLater,
  'server-busy': jobsTexts.adviceLater,
  'host-down': jobsTexts.adviceLater,
  'robots-unreachable': jobsTexts.adviceLater,
}

function reasons(missing: readonly JobMissing[]): Html {
  const more = missing.length - reasonsMax
  return html`<ul class="reasons">${missing.slice(0, reasonsMax).map(reason)}${more > 0 ? html`<li>${jobsTexts.otherReasons({ count: more })}</li>` : nothing}</ul>`
}

function reason({ code, count, words, url, reason: exactly }: JobMissing): Html {
  const which = count === 1 ? nothing : jobsTexts.suchAs
  return html`<li><strong>${jobsTexts.addressCount({ count })}:</strong> ${missingWords(code, words)} <span class="note">${which}${urlElement(url)}${exactly === '' || exactly === words || code === 'dns-not-found' ? nothing : html` (${inEnglish(exactly)})`}</span></li>`
}
