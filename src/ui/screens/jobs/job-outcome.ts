// What became of a crawl: complete, partly kept or nothing kept; what is missing, by reason; and what can be done about it.

import type { JobMissing } from '../../../model/jobs/job-missing.ts'
import type { PageJob } from '../../archive.ts'
import { plural } from '../../markup/amounts.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import { urlElement } from '../../markup/shown-url.ts'

const headings = { complete: 'Complete', partly: 'Partly kept', nothing: 'Nothing kept' } as const
const marks = { complete: '✓', partly: '◐', nothing: '✕' } as const
const reasonsMax = 12

/** Always there, so that it can be changed for another while the crawl goes on. */
export function outcomeSection({ outcome, missing, advice, counters }: PageJob): Html {
  const list = missing.length === 0 ? nothing : reasons(missing)
  const todo =
    advice === undefined ? nothing : html`<p class="advice"><strong>What you can do:</strong> ${advice}</p>`
  if (outcome === undefined) {
    const head = missing.length === 0 ? nothing : html`<h2>Not kept so far</h2>`
    return html`<section class="job-outcome" data-outcome>${head}${list}${todo}</section>`
  }
  return html`<section class="job-outcome ${outcome}" data-outcome>
<h2><span aria-hidden="true">${marks[outcome]}</span> ${headings[outcome]}</h2>
<p>${sentences[outcome](counters.fetched)}</p>
${list}${todo}
</section>`
}

const sentences: Readonly<Record<keyof typeof headings, (fetched: number) => string>> = {
  complete: (fetched) => `All ${plural(fetched, 'address', 'addresses')} that were to be fetched are kept.`,
  partly: (fetched) => `${plural(fetched, 'address was', 'addresses were')} fetched; something is missing.`,
  nothing: () => 'Nothing of what was asked for is in the archive.',
}

function reasons(missing: readonly JobMissing[]): Html {
  const more = missing.length - reasonsMax
  return html`<ul class="reasons">${missing.slice(0, reasonsMax).map(reason)}${more > 0 ? html`<li>and ${plural(more, 'other reason')}</li>` : nothing}</ul>`
}

function reason({ count, words, url, reason: exactly }: JobMissing): Html {
  const which = count === 1 ? nothing : html`such as `
  return html`<li><strong>${plural(count, 'address', 'addresses')}:</strong> ${words} <span class="note">${which}${urlElement(url)}${exactly === '' || exactly === words ? nothing : html` (${exactly})`}</span></li>`
}
