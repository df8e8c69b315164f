// Layout: what is around every page of the archive's own. Landmarks, a way to skip to the content, one stylesheet; a
// script only where a page lives on without it.

import type { PageAssets } from '../archive.ts'
import { languages } from '../language/locale.ts'
import { sharedTexts } from '../texts/shared.ts'
import { type Html, html, nothing, spoken } from './html.ts'

export interface Screen {
  readonly title: Html | string
  /** For the stylesheet: `screen-home`. */
  readonly name: string
  /** An entry of web/ that makes the page livelier. */
  readonly script?: string
  /** One that must run before the page is there: the browser waits for it. */
  readonly earlyScript?: string
  /** The same for feed readers. */
  readonly feed?: string
  /** What stands in the field at the top. */
  readonly typed?: string
  readonly current?: 'sites' | 'jobs' | 'watches' | 'status'
  /** The home page has a larger field of its own, a replayed page a bar. */
  readonly masthead?: 'full' | 'no-field' | 'none'
  readonly body: Html
}

export class Layout {
  readonly #assets: PageAssets
  readonly #isPartial: () => boolean

  /** `isPartial`: what the page lists may lack something. */
  constructor(assets: PageAssets, isPartial: () => boolean = () => false) {
    this.#assets = assets
    this.#isPartial = isPartial
  }

  page(screen: Screen): Html {
    const { title, name, script, earlyScript, feed, masthead = 'full', body } = screen
    return html`<!doctype html>
<html lang="${languageCode}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="${this.#assets.pathOf('icon.svg')}" type="image/svg+xml">
<link rel="search" type="application/opensearchdescription+xml" title="Polyhistor" href="/opensearch.xml">
<link rel="stylesheet" href="${this.#assets.pathOf('archive.css')}">
${feed === undefined ? nothing : html`<link rel="alternate" type="application/atom+xml" title="${sharedTexts.changesFeed}" href="${feed}">\n`}${earlyScript === undefined ? nothing : html`<script src="${this.#assets.pathOf(earlyScript)}"></script>`}
${script === undefined ? nothing : html`<script type="module" src="${this.#assets.pathOf(script)}"></script>`}
</head>
<body class="screen-${name}">
<a class="skip" href="#main">${sharedTexts.skip}</a>
${
  masthead === 'none'
    ? body
    : html`${this.#masthead(screen)}
<main id="main" tabindex="-1">
${this.#isPartial() ? partialNotice : nothing}
${body}
</main>
${footer}`
}
</body>
</html>
`
  }

  #masthead({ typed = '', current, masthead }: Screen): Html {
    return html`<header class="masthead">
<a class="brand" href="/">${brandMark}<span>Polyhistor</span></a>
${masthead === 'no-field' ? nothing : finder(typed)}
<nav aria-label="${sharedTexts.archive}"><ul>
<li>${navLink('/sites', sharedTexts.sites, current === 'sites')}</li>
<li>${navLink('/jobs', sharedTexts.crawls, current === 'jobs')}</li>
<li>${navLink('/watches', sharedTexts.watches, current === 'watches')}</li>
<li>${navLink('/status', sharedTexts.status, current === 'status')}</li>
</ul></nav>
</header>`
  }
}

function navLink(path: string, text: Html, isCurrent: boolean): Html {
  return html`<a href="${path}"${isCurrent ? html` aria-current="page"` : nothing}>${text}</a>`
}

function finder(typed: string): Html {
  return html`<form class="finder" action="/go" role="search" aria-label="${sharedTexts.theArchive}">
<label class="unseen" for="find">${sharedTexts.addressOrWords}</label>
<input id="find" name="url" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" required placeholder="${sharedTexts.addressPlaceholder}" value="${typed}">
<button type="submit">${sharedTexts.read}</button>
<button type="submit" name="all" value="1" class="quiet">${sharedTexts.allVersionsButton}</button>
</form>`
}

/** Rings of a tree: a page, grown over the years. */
export const brandMark: Html = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><g fill="none" stroke="currentColor" stroke-linecap="round"><path stroke-width="2.4" d="M16 3a13 13 0 1 1-9.2 3.8"/><path stroke-width="2.2" d="M22.6 11.1A8.2 8.2 0 1 1 16 7.8"/><path stroke-width="2" d="M12.6 15.4a3.5 3.5 0 1 1 1.6 3.6"/></g><circle cx="16" cy="16" r="1.2" fill="currentColor"/></svg>`

const partialNotice = html`<p class="trouble" role="status">${sharedTexts.partialNotice}</p>`

export const languageCode: Html = spoken(({ language }) => html`${language}`)

const languageNames = { en: 'English', de: 'Deutsch' } as const

/** To the languages that this page is not in, each in its own words. */
export const languageLinks: Html = spoken(({ language }) => {
  const others = languages.filter((other) => other !== language)
  return html`${others.map((other) => html`<a href="/language/${other}" lang="${other}" rel="nofollow">${languageNames[other]}</a>`)}`
})

const footer = html`<footer class="colophon">
<p>${sharedTexts.colophon}</p>
<p><a href="/docs/">${sharedTexts.documentation}</a> · <a href="/feeds">${sharedTexts.feeds}</a> · <a href="/tools">${sharedTexts.browserTools}</a> · <a href="/settings">${sharedTexts.settings}</a> · <a href="/plan">${sharedTexts.planLink}</a> · <a href="/admin">${sharedTexts.console}</a> · <a href="/interfaces">${sharedTexts.interfaces}</a> · ${languageLinks}</p>
</footer>`
