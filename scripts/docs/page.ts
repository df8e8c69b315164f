// A page of the documentation: landmarks, the list of all pages, the content, what is on this page, and the way on.

import { addressOf, relativeAddress } from './addresses.ts'
import { escaped, type RenderedMarkdown } from './markdown.ts'
import { type NavigationPage, navigation } from './site-map.ts'

export interface SiteAssets {
  readonly style: string
  readonly script: string
  readonly icon: string
}

const ordered = navigation.flatMap(({ pages }) => pages)

export function pageMarkup(source: string, rendered: RenderedMarkdown, assets: SiteAssets): string {
  const address = addressOf(source)!
  const to = (target: string): string => relativeAddress(address, target)
  const root = to('index.html').slice(0, -'index.html'.length)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escaped(titleOf(source, rendered))}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${to(assets.icon)}" type="image/svg+xml">
<link rel="stylesheet" href="${to(assets.style)}">
<script type="module" src="${to(assets.script)}"></script>
</head>
<body class="screen-docs" data-root="${root}">
<a class="skip" href="#main">Skip to the content</a>
<header class="masthead">
<a class="brand" href="${to('index.html')}">${mark}<span>Polyhistor</span> <span class="of">documentation</span></a>
<form class="docs-search" role="search" aria-label="The documentation" hidden>
<label class="unseen" for="docs-find">Words to look for</label>
<input id="docs-find" type="search" autocomplete="off" spellcheck="false" placeholder="Search ( / )" aria-controls="docs-found" aria-describedby="docs-count">
<div id="docs-found" class="found" hidden><p id="docs-count" role="status"></p><ol></ol></div>
</form>
<a class="to-archive" href="/" hidden>This archive</a>
</header>
<div class="columns">
<nav class="pages" aria-label="Pages">
<details open><summary>All pages</summary>
${navigation.map((group) => navigationGroup(group.name, group.pages, source, to)).join('\n')}
</details>
</nav>
<main id="main" tabindex="-1">
<article>
${rendered.markup}</article>
${wayOn(source, to)}
</main>
${onThisPage(rendered)}
</div>
</body>
</html>
`
}

function titleOf(source: string, { title }: RenderedMarkdown): string {
  return source === 'docs/README.md' ? 'Polyhistor documentation' : `${title} · Polyhistor`
}

function navigationGroup(
  name: string,
  pages: readonly NavigationPage[],
  current: string,
  to: (address: string) => string,
): string {
  const items = pages.map(
    (page) =>
      `<li><a href="${to(addressOf(page.source)!)}"${page.source === current ? ' aria-current="page"' : ''}>${escaped(page.name)}</a></li>`,
  )
  return `<p class="group">${escaped(name)}</p>\n<ul>${items.join('\n')}</ul>`
}

function wayOn(source: string, to: (address: string) => string): string {
  const place = ordered.findIndex((page) => page.source === source)
  if (place === -1) return ''
  const link = (page: NavigationPage | undefined, word: string, rel: string): string =>
    page === undefined
      ? ''
      : `<a rel="${rel}" href="${to(addressOf(page.source)!)}"><small>${word}</small> ${escaped(page.name)}</a>`
  return `<nav class="way-on" aria-label="Before and after">${link(ordered[place - 1], 'Before', 'prev')}${link(ordered[place + 1], 'Next', 'next')}</nav>`
}

/** Worth it from three headings on. */
function onThisPage({ headings }: RenderedMarkdown): string {
  const shown = headings.filter(({ depth }) => depth === 2)
  if (shown.length < 3) return ''
  const items = shown.map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`)
  return `<nav class="on-page" aria-label="On this page"><p class="group">On this page</p><ul>${items.join('\n')}</ul></nav>`
}

/** The same as on the archive's own pages. */
const mark =
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><g fill="none" stroke="currentColor" stroke-linecap="round"><path stroke-width="2.4" d="M16 3a13 13 0 1 1-9.2 3.8"/><path stroke-width="2.2" d="M22.6 11.1A8.2 8.2 0 1 1 16 7.8"/><path stroke-width="2" d="M12.6 15.4a3.5 3.5 0 1 1 1.6 3.6"/></g><circle cx="16" cy="16" r="1.2" fill="currentColor"/></svg>'
