// Search: what was found, page by page, with the words that were looked for; narrower and wider ways to look.

import type { FacetCount, SearchAnswer, SearchHit, SnippetPart } from '../../../search/search-answer.ts'
import { plural, printCount } from '../../markup/amounts.ts'
import { printShortDay } from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { calendarPath, comparePath, searchPath, sitePath, versionPath } from '../../markup/links.ts'
import { urlElement } from '../../markup/shown-url.ts'
import { thumbnail } from '../../markup/thumbnail.ts'
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
    title: asked.text === '' ? 'Search the archive' : `${asked.text} – search`,
    name: 'search',
    masthead: 'no-field',
    body: html`<h1 class="unseen">Search</h1>
${searchForm(data)}
${trouble === undefined ? nothing : html`<p class="trouble" role="alert">${trouble}</p>`}
${answer === undefined ? help : results(data, answer)}`,
  }
}

function searchForm({ asked: { text, site, at }, year }: SearchData): Html {
  const years = Array.from({ length: Math.max(0, year - 1995) }, (_, index) => String(year - 1 - index))
  const known = at === '' || at === 'ever' || years.includes(at)
  const option = (value: string, words: string): Html =>
    html`<option value="${value}"${value === at ? html` selected` : nothing}>${words}</option>`
  return html`<form class="search-form" action="/search" role="search">
<label class="unseen" for="search">Words to look for</label>
<input id="search" name="q" type="search" autocomplete="off" required maxlength="2000" value="${text}" placeholder="Words, &quot;a phrase&quot;, -without"${text === '' ? html` autofocus` : nothing}>
<button type="submit" class="primary">Search</button>
<div class="search-options">
<label for="search-at">Versions</label>
<select id="search-at" name="at">
${option('', 'newest')}${option('ever', 'all, of any time')}${known ? nothing : option(at, `as of ${at}`)}
${years.map((each) => option(each, `as of the end of ${each}`))}
</select>
${site === '' ? nothing : html`<label class="choice"><input type="checkbox" name="site" value="${site}" checked> only ${site}</label>`}
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
      : html`<p class="suggested">Did you mean <a href="${searchPath({ ...asked, text: suggestion })}">${suggestion}</a>?</p>`
  return html`<p class="found" role="status">${foundSentence(total, asked)}${isPartial ? html` <span class="note">This may not be all. Not searched was: ${missing.join(' ')}</span>` : nothing}${hasFacets ? html` <a class="to-facets" href="#narrow">Narrow the search</a>` : nothing}</p>
${suggested}
${hits.length === 0 ? nothingFound(asked) : nothing}
<div class="search-results">
<div>
<ol class="hits">${hits.map((hit) => hitItem(hit, asked, isOfMany))}</ol>
${hits.some(({ isTold }) => isTold) ? html`<p class="note">Titles and excerpts marked ° are as another peer tells them. The pages themselves are checked when they are opened.</p>` : nothing}
<p class="paging">
${isFirstPage ? nothing : html`<a class="button quiet" href="${searchPath(asked)}">Back to the start</a>`}
${cursor === undefined ? nothing : html`<a class="button" rel="next" href="${searchPath({ ...asked, cursor })}">More results</a>`}
</p>
</div>
${hasFacets ? facetList(asked, facets) : nothing}
</div>`
}

function foundSentence(total: number, { at, site }: SearchAsked): Html {
  const where = site === '' ? nothing : html` on ${site}`
  const when = at === '' ? '' : at === 'ever' ? ', in any version' : `, as of ${at}`
  if (total === 0) return html`<strong>No page</strong>${where} has all of these words${when}.`
  return html`<strong>${plural(total, 'page')}</strong>${where}${when}.`
}

function nothingFound(asked: SearchAsked): Html {
  const wider = [
    ...(asked.at === 'ever'
      ? []
      : [html`<a href="${searchPath({ ...asked, at: 'ever' })}">look into all versions of all times</a>`]),
    ...(asked.site === ''
      ? []
      : [html`<a href="${searchPath({ ...asked, site: '' })}">look at all sites</a>`]),
  ]
  return wider.length === 0 ? nothing : html`<p>${wider.map((way) => html`You can ${way}. `)}</p>`
}

function hitItem(hit: ShownHit, asked: SearchAsked, isOfMany: boolean): Html {
  const { href, timeMs, title, snippet, language, type, version, versions, hasThumbnail, site, isTold } = hit
  const since =
    version.firstMs === timeMs ? nothing : html` · this text since ${printShortDay(version.firstMs)}`
  const until = version.endMs === null ? nothing : html` until ${printShortDay(version.endMs)}`
  return html`<li class="hit">
${hasThumbnail ? html`<a class="hit-picture" href="${versionPath(timeMs, href)}" tabindex="-1" aria-hidden="true">${thumbnail(timeMs, href)}</a>` : nothing}
<div class="hit-text">
<p class="hit-address">${urlElement(href)}</p>
<h2><a href="${versionPath(timeMs, href)}"${language === '' ? nothing : html` lang="${language}"`}><bdi>${title || 'Without a title'}</bdi></a>${type === 'html' ? nothing : html` <span class="hit-type">${type === 'pdf' ? 'PDF' : 'text'}</span>`}</h2>
<p class="hit-snippet"${language === '' ? nothing : html` lang="${language}"`} dir="auto">${snippet.map(snippetPart)}${isTold ? html` <span class="note">°</span>` : nothing}</p>
<p class="note"><time datetime="${new Date(timeMs).toISOString()}">${printShortDay(timeMs)}</time>${since}${until} · <a href="${calendarPath(href)}">${versions > 1 ? `${printCount(versions)} versions` : 'all captures'}</a>${
    version.endMs === null
      ? nothing
      : html` · <a href="${comparePath(timeMs, version.endMs, href)}">what changed then</a>`
  }${
    isOfMany && site !== ''
      ? html` · <a href="${searchPath({ ...asked, site })}">more from ${site}</a>`
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
  return html`<aside class="facets" id="narrow" aria-label="Narrow the search">
${searchYears(asked, years)}
${facet('Sites', asked.site === '' ? sites : [], ({ name }) => searchPath({ ...asked, site: name }))}
${facet('Languages', languages.length > 1 ? languages : [], ({ name }) => add(`lang:${name}`), languageName)}
${facet('Types', types.length > 1 ? types : [], ({ name }) => add(`type:${name}`))}
${asked.at === 'ever' ? html`<p class="note">Counted by versions, not by pages.</p>` : nothing}
${asked.site === '' ? nothing : html`<p><a href="${sitePath(asked.site)}">All pages of ${asked.site}</a></p>`}
</aside>`
}

function facet(
  heading: string,
  counts: readonly FacetCount[],
  pathOf: (count: FacetCount) => string,
  nameOf: (name: string) => string = (name) => name,
): Html {
  if (counts.length === 0) return nothing
  return html`<section><h2>${heading}</h2><ul>${counts.map(
    (each) =>
      html`<li><a href="${pathOf(each)}">${nameOf(each.name)}</a> <span class="number">${printCount(each.count)}</span></li>`,
  )}</ul></section>`
}

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' })

function languageName(code: string): string {
  return languageNames.of(code) ?? code
}

const help = html`<section class="search-help" aria-labelledby="search-help">
<h2 id="search-help">How to look for something</h2>
<dl>
<div><dt><code>garden herbs</code></dt><dd>pages with both words, in any form</dd></div>
<div><dt><code>"to be or not to be"</code></dt><dd>these words in this order</dd></div>
<div><dt><code>jaguar -car</code></dt><dd>the one without the other</dd></div>
<div><dt><code>cat OR dog</code></dt><dd>one of them will do</dd></div>
<div><dt><code>site:example.org flood</code></dt><dd>on one site, or under one domain</dd></div>
<div><dt><code>title:report url:2019</code></dt><dd>in the title, in the address</dd></div>
<div><dt><code>lang:de type:pdf</code></dt><dd>by language and by type: html, text, pdf</dd></div>
<div><dt><code>election at:2016-11-08</code></dt><dd>in pages as they were on that day</dd></div>
<div><dt><code>election after:2016 before:2018</code></dt><dd>in all versions that were kept in that time</dd></div>
<div><dt><code>election at:ever</code></dt><dd>in every version that was ever kept</dd></div>
</dl>
</section>`
