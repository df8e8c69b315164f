// Search: what was found, page by page, with the words that were looked for; narrower and wider ways to look.

import type { FacetCount, SearchAnswer, SearchHit, SnippetPart } from '../../../search/search-answer.ts'
import { printCount } from '../../markup/amounts.ts'
import { printShortDay } from '../../markup/dates.ts'
import { type Html, html, inEnglish, nothing, spoken } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { calendarPath, comparePath, searchPath, sitePath, versionPath } from '../../markup/links.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { thumbnail } from '../../markup/thumbnail.ts'
import { searchTexts } from '../../texts/search.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { searchYears } from './search-years.ts'

export interface SearchAsked {
  readonly text: string
  readonly site: string
  /** As in `at:`; '' for the newest versions. */
  readonly at: string
}

export interface ShownHit extends SearchHit {
  readonly hasThumbnail: boolean
  readonly site: string
}

interface SearchData {
  readonly asked: SearchAsked
  /** undefined where nothing was asked yet, or it made no sense. */
  readonly answer: (Omit<SearchAnswer, 'hits'> & { readonly hits: readonly ShownHit[] }) | undefined
  /** What is wrong with the query. */
  readonly trouble?: string | undefined
  readonly isFirstPage: boolean
  readonly year: number
}

export function searchScreen(data: SearchData): Screen {
  const { asked, answer, trouble } = data
  return {
    title: asked.text === '' ? searchTexts.title : searchTexts.titleOf({ words: asked.text }),
    name: 'search',
    masthead: 'no-field',
    body: html`<h1 class="unseen">${searchTexts.heading}</h1>
${searchForm(data)}
${trouble === undefined ? nothing : html`<p class="trouble" role="alert">${inEnglish(trouble)}</p>`}
${answer === undefined ? help : results(data, answer)}`,
  }
}

function searchForm({ asked: { text, site, at }, year }: SearchData): Html {
  const years = Array.from({ length: Math.max(0, year - 1995) }, (_, index) => String(year - 1 - index))
  const known = at === '' || at === 'ever' || years.includes(at)
  const option = (value: string, words: Html): Html =>
    html`<option value="${value}"${value === at ? html` selected` : nothing}>${words}</option>`
  return html`<form class="search-form" action="/search" role="search">
<label class="unseen" for="search">${searchTexts.label}</label>
<input id="search" name="q" type="search" autocomplete="off" required maxlength="2000" value="${text}" placeholder="${searchTexts.placeholder}"${text === '' ? html` autofocus` : nothing}>
<button type="submit" class="primary">${searchTexts.search}</button>
<div class="search-options">
<label for="search-at">${searchTexts.versions}</label>
<select id="search-at" name="at">
${option('', searchTexts.newest)}${option('ever', searchTexts.ever)}${known ? nothing : option(at, searchTexts.asOf({ time: at }))}
${years.map((each) => option(each, searchTexts.asOfEnd({ year: each })))}
</select>
${site === '' ? nothing : html`<label class="choice"><input type="checkbox" name="site" value="${site}" checked> ${searchTexts.only({ site: html`<bdi>${site}</bdi>` })}</label>`}
</div>
</form>`
}

function results(data: SearchData, answer: NonNullable<SearchData['answer']>): Html {
  const { asked, isFirstPage } = data
  const { total, isPartial, missing, hits, facets, cursor, suggestion } = answer
  // Where all are of one site there is nothing more from it.
  const isOfMany = asked.site === '' && (facets?.sites.length ?? 2) > 1
  const hasFacets = facets !== undefined && total > 0
  const suggested =
    suggestion === undefined
      ? nothing
      : html`<p class="suggested">${searchTexts.didYouMean({ suggestion: html`<a href="${searchPath({ ...asked, text: suggestion })}" dir="auto">${suggestion}</a>` })}</p>`
  return html`<p class="found" role="status">${foundSentence(total, asked)}${isPartial ? html` <span class="note">${searchTexts.notSearched({ missing: inEnglish(missing.join(' ')) })}</span>` : nothing}${hasFacets ? html` <a class="to-facets" href="#narrow">${searchTexts.narrow}</a>` : nothing}</p>
${suggested}
${hits.length === 0 ? nothingFound(asked) : nothing}
<div class="search-results">
<div>
<ol class="hits">${hits.map((hit) => hitItem(hit, asked, isOfMany))}</ol>
${hits.some(({ isTold }) => isTold) ? html`<p class="note">${searchTexts.told}</p>` : nothing}
<p class="paging">
${isFirstPage ? nothing : html`<a class="button quiet" href="${searchPath(asked)}">${sharedTexts.backToStart}</a>`}
${cursor === undefined ? nothing : html`<a class="button" rel="next" href="${searchPath({ ...asked, cursor })}">${searchTexts.more}</a>`}
</p>
</div>
${hasFacets ? facetList(asked, facets) : nothing}
</div>`
}

function foundSentence(total: number, { at, site }: SearchAsked): Html {
  const where = site === '' ? nothing : searchTexts.onSite({ site: html`<bdi>${site}</bdi>` })
  const when =
    at === '' ? nothing : at === 'ever' ? searchTexts.inAnyVersion : searchTexts.foundAsOf({ time: at })
  if (total === 0) return searchTexts.noPage({ where, when })
  return html`<strong>${sharedTexts.pages({ count: total })}</strong>${where}${when}.`
}

function nothingFound(asked: SearchAsked): Html {
  const wider = [
    ...(asked.at === 'ever'
      ? []
      : [
          searchTexts.lookAtAllTimes({
            way: (words) => html`<a href="${searchPath({ ...asked, at: 'ever' })}">${words}</a>`,
          }),
        ]),
    ...(asked.site === ''
      ? []
      : [
          searchTexts.lookAtAllSites({
            way: (words) => html`<a href="${searchPath({ ...asked, site: '' })}">${words}</a>`,
          }),
        ]),
  ]
  return wider.length === 0 ? nothing : html`<p>${wider.map((way) => html`${way} `)}</p>`
}

function hitItem(hit: ShownHit, asked: SearchAsked, isOfMany: boolean): Html {
  const { href, timeMs, title, snippet, language, type, version, versions, hasThumbnail, site, isTold } = hit
  const since =
    version.firstMs === timeMs
      ? nothing
      : html` · ${searchTexts.since({ day: printShortDay(version.firstMs) })}`
  const until =
    version.endMs === null ? nothing : html` ${searchTexts.until({ day: printShortDay(version.endMs) })}`
  return html`<li class="hit">
${hasThumbnail ? html`<a class="hit-picture" href="${versionPath(timeMs, href)}" tabindex="-1" aria-hidden="true">${thumbnail(timeMs, href)}</a>` : nothing}
<div class="hit-text">
<p class="hit-address">${urlElement(href)}</p>
<h2><a href="${versionPath(timeMs, href)}"${language === '' ? nothing : html` lang="${language}"`}><bdi>${title || searchTexts.untitled}</bdi></a>${type === 'html' ? nothing : html` <span class="hit-type">${type === 'pdf' ? 'PDF' : searchTexts.text}</span>`}</h2>
<p class="hit-snippet"${language === '' ? nothing : html` lang="${language}"`} dir="auto">${snippet.map(snippetPart)}${isTold ? html` <span class="note">°</span>` : nothing}</p>
<p class="note"><time datetime="${new Date(timeMs).toISOString()}">${printShortDay(timeMs)}</time>${since}${until} · <a href="${calendarPath(href)}">${versions > 1 ? searchTexts.versionCount({ number: printCount(versions) }) : searchTexts.allCaptures}</a>${
    version.endMs === null
      ? nothing
      : html` · <a href="${comparePath(timeMs, version.endMs, href)}">${searchTexts.whatChanged}</a>`
  }${
    isOfMany && site !== ''
      ? html` · <a href="${searchPath({ ...asked, site })}">${searchTexts.moreFrom({ site: html`<bdi>${site}</bdi>` })}</a>`
      : nothing
  }</p>
</div>
</li>`
}

function snippetPart({ text, isMarked }: SnippetPart): Html {
  return isMarked ? html`<mark>${text}</mark>` : html`${text}`
}

function facetList(
  asked: SearchAsked,
  { sites, years, types, languages }: NonNullable<SearchAnswer['facets']>,
): Html {
  const add = (words: string): string => searchPath({ ...asked, text: `${asked.text} ${words}` })
  return html`<aside class="facets" id="narrow" aria-label="${searchTexts.narrow}">
${searchYears(asked, years)}
${facet(sharedTexts.sites, asked.site === '' ? sites : [], ({ name }) => searchPath({ ...asked, site: name }))}
${facet(searchTexts.languages, languages.length > 1 ? languages : [], ({ name }) => add(`lang:${name}`), languageName)}
${facet(searchTexts.types, types.length > 1 ? types : [], ({ name }) => add(`type:${name}`))}
${asked.at === 'ever' ? html`<p class="note">${searchTexts.byVersions}</p>` : nothing}
${asked.site === '' ? nothing : html`<p><a href="${sitePath(asked.site)}">${searchTexts.allOf({ site: html`<bdi>${asked.site}</bdi>` })}</a></p>`}
</aside>`
}

function facet(
  heading: Html,
  counts: readonly FacetCount[],
  pathOf: (count: FacetCount) => string,
  nameOf: (name: string) => Html | string = (name) => name,
): Html {
  if (counts.length === 0) return nothing
  return html`<section><h2>${heading}</h2><ul>${counts.map(
    (each) =>
      html`<li><a href="${pathOf(each)}">${nameOf(each.name)}</a> <span class="number">${printCount(each.count)}</span></li>`,
  )}</ul></section>`
}

function languageName(code: string): Html {
  return spoken((locale) => html`${locale.languageName(code)}`)
}

const help = html`<section class="search-help" aria-labelledby="search-help">
<h2 id="search-help">${searchTexts.how}</h2>
<dl>
<div><dt><code>garden herbs</code></dt><dd>${searchTexts.helpBoth}</dd></div>
<div><dt><code>"to be or not to be"</code></dt><dd>${searchTexts.helpPhrase}</dd></div>
<div><dt><code>jaguar -car</code></dt><dd>${searchTexts.helpWithout}</dd></div>
<div><dt><code>cat OR dog</code></dt><dd>${searchTexts.helpOr}</dd></div>
<div><dt><code>site:example.org flood</code></dt><dd>${searchTexts.helpSite}</dd></div>
<div><dt><code>title:report url:2019</code></dt><dd>${searchTexts.helpTitle}</dd></div>
<div><dt><code>lang:de type:pdf</code></dt><dd>${searchTexts.helpLanguage}</dd></div>
<div><dt><code>election at:2016-11-08</code></dt><dd>${searchTexts.helpDay}</dd></div>
<div><dt><code>election after:2016 before:2018</code></dt><dd>${searchTexts.helpBetween}</dd></div>
<div><dt><code>election at:ever</code></dt><dd>${searchTexts.helpEver}</dd></div>
</dl>
</section>`
