// Years of what was found, as a row of bars: each leads to the search as of that year.

import type { FacetCount } from '../../../search/search-answer.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import { searchPath } from '../../markup/links.ts'
import { searchTexts } from '../../texts/search.ts'
import { sharedTexts } from '../../texts/shared.ts'
import type { SearchAsked } from './search.ts'

const height = 48
const width = 240
const yearsMax = 40

export function searchYears(asked: SearchAsked, years: readonly FacetCount[]): Html {
  const counts = new Map(years.map(({ name, count }) => [Number(name), count]))
  const last = Math.max(...counts.keys())
  const first = Math.max(Math.min(...counts.keys()), last - yearsMax + 1)
  if (counts.size === 0 || first === last) return nothing
  const most = Math.max(...counts.values())
  const step = width / (last - first + 1)
  const bars = Array.from({ length: last - first + 1 }, (_, index) => {
    const year = first + index
    const count = counts.get(year) ?? 0
    const tall = count === 0 ? 1 : Math.max(4, (height * count) / most)
    const isAsked = asked.at === String(year)
    return html`<a href="${searchPath({ ...asked, at: String(year) })}" aria-label="${year}: ${sharedTexts.pages({ count })}"${isAsked ? html` aria-current="true"` : nothing}><title>${searchTexts.barOf({ year: String(year), pages: sharedTexts.pages({ count }) })}</title><rect class="reach" x="${printed(index * step)}" y="0" width="${printed(step)}" height="${height}"/><rect class="bar" x="${printed(index * step + step * 0.1)}" y="${printed(height - tall)}" width="${printed(step * 0.8)}" height="${printed(tall)}"/></a>`
  })
  return html`<section class="search-years"><h2>${searchTexts.asOfHeading}</h2>
<svg viewBox="0 0 ${width} ${height}" role="group" aria-label="${searchTexts.byYear}" preserveAspectRatio="none">${bars}</svg>
<p class="note"><span>${first}</span><span>${last}</span></p>
${asked.at === '' ? nothing : html`<p><a href="${searchPath({ ...asked, at: '' })}">${searchTexts.newestVersions}</a></p>`}
</section>`
}

function printed(value: number): string {
  return value.toFixed(1)
}
